"""Take something out of a knowledge base that some questions need, to measure whether they are then refused.

    python recipes/holes.py KB.nt.gz QUESTIONS.jsonl --out DIR [--share 0.25] [--seed 1]

Questions are unified records with programs (`arcaneqa convert`). Until about `--share` of them have lost
their answer, one question after the other loses one thing that its program needs: a relation, a class, an
entity, or the facts that one entity has for a relation. DIR then holds `kb.nt` without those things, its
index, and `questions.jsonl`: questions that lost their answer have none and say in `hole` what is missing;
those whose answer changed for want of something else are left out; the others have the answers they had.
For measuring only: nothing is trained on DIR.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from arcaneqa.datasets.answers import answer_terms
from arcaneqa.errors import ArcaneError
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import Class, Entity, Expression, Join, post_order, relations
from arcaneqa.program.text import parse
from arcaneqa.record import Question, read_questions


@dataclass(frozen=True)
class Hole:
    """Facts with all of what is given here are gone; an entity is gone as subject and as object."""

    kind: str
    entity: str | None = None
    relation: str | None = None
    klass: str | None = None

    def takes(self, subject: str, predicate: str, value: str, types: frozenset[str]) -> bool:
        if self.klass is not None:
            return predicate in types and value == f"<{self.klass}>"
        if self.relation is not None and predicate != self.relation:
            return False
        return self.entity is None or f"<{self.entity}>" in (subject, value)

    def is_needed(self, program: Expression) -> bool:
        there = named_in(program)
        return all(one is None or one in there for one in (self.entity, self.relation, self.klass))


@cache
def named_in(program: Expression) -> frozenset[str]:
    """The IRIs of all that a program names."""
    found = set()
    for node in post_order(program):
        found |= {relation.iri for relation in relations(node)}
        if isinstance(node, Class):
            found.add(node.iri)
        if isinstance(node, Entity) and isinstance(node.term, Iri):
            found.add(node.term.value)
    return frozenset(found)


def holes_of(program: Expression) -> list[Hole]:
    """What could be taken away so that this program has no answer, each kind of thing once or more."""
    found = []
    for node in post_order(program):
        found += [Hole("relation", relation=relation.iri) for relation in relations(node)]
        if isinstance(node, Class):
            found.append(Hole("class", klass=node.iri))
        if isinstance(node, Entity) and isinstance(node.term, Iri):
            found.append(Hole("entity", entity=node.term.value))
        if (
            isinstance(node, Join)
            and isinstance(node.argument, Entity)
            and isinstance(node.argument.term, Iri)
        ):
            found.append(Hole("facts", entity=node.argument.term.value, relation=node.relation.iri))
    return found


def chosen(programs: list[Expression], share: float, draw: Random) -> list[Hole]:
    """Kinds take turns, so that a common one does not drive out the rest."""
    taken: list[Hole] = []
    kinds: Counter[str] = Counter()
    for program in draw.sample(programs, len(programs)):
        lost = sum(any(hole.is_needed(other) for hole in taken) for other in programs)
        possible = holes_of(program)
        if lost >= share * len(programs) or any(hole.is_needed(program) for hole in taken) or not possible:
            continue
        rarest = min(kinds[hole.kind] for hole in possible)
        hole = draw.choice([hole for hole in possible if kinds[hole.kind] == rarest])
        reach = sum(hole.is_needed(other) for other in programs)
        # One thing that nearly everything needs would leave nothing to answer.
        if lost + reach <= 1.3 * share * len(programs) + 1:
            taken.append(hole)
            kinds[hole.kind] += 1
    return taken


def lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as source:
        yield from source


def without(path: Path, holes: list[Hole], types: frozenset[str]) -> Iterator[str]:
    """The facts of an N-Triples file that no hole takes."""
    for line in lines(path):
        if line.startswith(("#", "\n")):
            continue
        subject, predicate, rest = line.split(None, 2)
        value = rest.rstrip().removesuffix(".").rstrip()
        if not any(hole.takes(subject, predicate[1:-1], value, types) for hole in holes):
            yield line


def answers(text: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """What a program finds; nothing where something that it names is gone."""
    try:
        return answer_terms(execute(parse(text, Names(kb.profile), kb.schema), kb), kb)
    except ArcaneError:
        return ()


def make(source: Path, questions: Path, out: Path, share: float, seed: int) -> str:
    """Write the folder; returns what became of the questions."""
    out.mkdir(parents=True, exist_ok=True)
    build_index([source], out / "whole")
    asked: list[tuple[Question, Expression, tuple[str, ...]]] = []
    with open_kb(out / "whole") as kb:
        names, types = Names(kb.profile), frozenset(kb.profile.type)
        for question in read_questions(questions):
            if question.program is not None and (had := answers(question.program, kb)):
                asked.append((question, parse(question.program, names, kb.schema), had))
    holes = chosen([program for _, program, _ in asked], share, Random(seed))
    facts = out / "kb.nt"
    facts.write_text("".join(without(source, holes, types)), encoding="utf-8")
    build_index([facts], out / "index")
    told: Counter[str] = Counter()
    with open_kb(out / "index") as kb, (out / "questions.jsonl").open("w", encoding="utf-8") as target:
        for question, program, had in asked:
            hole = next((hole for hole in holes if hole.is_needed(program)), None)
            has = answers(question.program or "", kb)
            lost = hole is not None and not has
            kind = "as before" if has == had else f"without its {hole.kind}" if hole and lost else "changed"
            told[kind] += 1
            if kind != "changed":
                record = question.to_json() | {
                    "answers": list(has),
                    "hole": hole.kind if hole and lost else None,
                }
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
    return f"{out}: {len(holes)} holes; " + ", ".join(f"{n} {kind}" for kind, n in told.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kb", type=Path, help="N-Triples, plain or .gz")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(make(given.kb, given.questions, given.out, given.share, given.seed))


if __name__ == "__main__":
    main()
