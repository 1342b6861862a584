"""Take something out of a knowledge base that some questions need, to measure whether they are then refused.

    python recipes/holes.py KB.nt.gz QUESTIONS.jsonl --out DIR [--ontology DIR] [--share 0.25] [--seed 1]

Questions are unified records with programs (`arcaneqa convert`). Until about `--share` of them have lost
their answer, one question after the other loses one thing that it needs: a relation, a class, an entity, or
the facts that one entity has for a relation. What says the same goes too: a relation's inverse, and with a
class all its members, for managers who are still there can still be asked about, whatever they are called;
a class that could be left unsaid is no loss. DIR then holds `kb.nt` without those things, its index, and
`questions.jsonl`: questions that lost their answer have none, say in `hole` what is missing and in `had` what
the answer was; those whose answer changed for want of something else are left out; the others have the
answers they had. For measuring only: nothing is trained on DIR. `recipes/refused.py` makes such folders of
GrailQA and Spider and measures.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.expression import And, Class, Entity, Expression, Join, post_order, relations
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import replacing


@dataclass(frozen=True)
class Hole:
    """Facts with all of what is given here are gone; an entity is gone as subject and as object, and so are
    the members of a class."""

    kind: str
    entity: str | None = None
    relations: frozenset[str] = frozenset()
    klass: str | None = None


@dataclass(frozen=True)
class Gone:
    """What holes take out of the facts, as N-Triples write it."""

    entities: frozenset[str]
    relations: frozenset[str]
    facts: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, holes: Iterable[Hole], kb: Index) -> Gone:
        entities: set[str] = set()
        relations: set[str] = set()
        facts: set[tuple[str, str]] = set()
        for hole in holes:
            predicates = {f"<{iri}>" for iri in hole.relations}
            if hole.klass is not None:
                members = kb.members(kb.schema.class_ids[hole.klass]).ids
                entities |= {f"<{term.value}>" for term in kb.terms(members) if isinstance(term, Iri)}
            elif hole.entity is None:
                relations |= predicates
            elif predicates:
                facts |= {(f"<{hole.entity}>", predicate) for predicate in predicates}
            else:
                entities.add(f"<{hole.entity}>")
        return cls(frozenset(entities), frozenset(relations), frozenset(facts))

    def takes(self, subject: str, predicate: str, value: str) -> bool:
        return (
            predicate in self.relations
            or subject in self.entities
            or value in self.entities
            or (subject, predicate) in self.facts
            or (value, predicate) in self.facts
        )


class Whole:
    """The knowledge base before anything is taken out of it."""

    def __init__(self, kb: Index) -> None:
        self.kb = kb
        hidden = {relation.iri for relation in kb.schema.relations if relation.hidden}
        assert kb.diagnosis is not None
        names = {relation for named in kb.diagnosis.by_attributes for relation in named.relations}
        # Without names nothing could be asked about at all.
        self._kept = hidden | names

    def holes(self, program: Expression) -> list[Hole]:
        """What could be taken away so that this question has no answer, each kind of thing once or more."""
        found = []
        for node in post_order(program):
            for relation in relations(node):
                if relation.iri not in self._kept:
                    found.append(Hole("relation", relations=self._same(relation.iri)))
            if isinstance(node, Class) and self._decides(node, program):
                found.append(Hole("class", klass=node.iri))
            if isinstance(node, Entity) and isinstance(node.term, Iri):
                found.append(Hole("entity", entity=node.term.value))
            if isinstance(node, Join) and isinstance(node.argument, Entity):
                entity, walked = node.argument.term, node.relation.iri
                if isinstance(entity, Iri) and walked not in self._kept:
                    found.append(Hole("facts", entity=entity.value, relations=self._same(walked)))
        return found

    def _same(self, relation: str) -> frozenset[str]:
        """A relation, and the one that says the same from the other side."""
        schema = self.kb.schema
        other = schema.relations[schema.relation_ids[relation]].inverse
        return frozenset({relation} if other is None else {relation, schema.relations[other].iri})

    def _decides(self, klass: Class, program: Expression) -> bool:
        """Whether the program has other answers where the class is not said."""

        def unsaid(node: Expression) -> Expression:
            match node:
                case And(left, right) if left == klass:
                    return right
                case And(left, right) if right == klass:
                    return left
            return node

        shorter = rewrite(program, unsaid)
        still = any(node == klass for node in post_order(shorter))
        return still or found_by(shorter, self.kb) != found_by(program, self.kb)


def chosen(possible: Sequence[list[Hole]], share: float, draw: Random) -> list[Hole]:
    """What to take out, given what each question could lose. Kinds take turns, so that a common one does not
    drive out the rest."""
    taken: list[Hole] = []
    kinds: Counter[str] = Counter()
    for mine in draw.sample(possible, len(possible)):
        lost = sum(any(hole in other for hole in taken) for other in possible)
        if lost >= share * len(possible):
            break
        if not mine or any(hole in mine for hole in taken):
            continue
        rarest = min(kinds[hole.kind] for hole in mine)
        hole = draw.choice([hole for hole in mine if kinds[hole.kind] == rarest])
        reach = sum(hole in other for other in possible)
        # One thing that nearly everything needs would leave nothing to answer.
        if lost + reach <= 1.3 * share * len(possible) + 1:
            taken.append(hole)
            kinds[hole.kind] += 1
    return taken


def lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as source:
        yield from source


def without(path: Path, gone: Gone) -> Iterator[str]:
    """The facts of an N-Triples file that are left."""
    for line in lines(path):
        if line.startswith(("#", "\n")):
            continue
        subject, predicate, rest = line.split(None, 2)
        if not gone.takes(subject, predicate, rest.rstrip().removesuffix(".").rstrip()):
            yield line


def answers(text: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """What a program finds; nothing where something that it names is gone."""
    try:
        return found_by(parse(text, Names(kb.profile), kb.schema), kb)
    except ArcaneError:
        return ()


def found_by(program: Expression, kb: KnowledgeBase) -> tuple[str, ...]:
    try:
        return answer_terms(execute(program, kb), kb)
    except ArcaneError:
        return ()


def make(
    source: Path, questions: Path, out: Path, share: float = 0.25, seed: int = 1, ontology: Path | None = None
) -> str:
    """Write the folder; returns what became of the questions."""
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "whole").is_dir():
        build_index([source], out / "whole", ontology=ontology)
    asked: list[tuple[Question, tuple[str, ...], list[Hole]]] = []
    with Index(out / "whole") as kb:
        whole, names = Whole(kb), Names(kb.profile)
        for question in read_questions(questions):
            if question.program is not None and (had := answers(question.program, kb)):
                possible = whole.holes(parse(question.program, names, kb.schema))
                asked.append((question, had, possible))
        holes = chosen([possible for _, _, possible in asked], share, Random(seed))
        gone = Gone.of(holes, kb)
    facts = out / "kb.nt"
    facts.write_text("".join(without(source, gone)), encoding="utf-8")
    build_index([facts], out / "index", ontology=ontology)
    told: Counter[str] = Counter()
    with open_kb(out / "index") as kb, replacing(out / "questions.jsonl") as target:
        for question, had, possible in asked:
            hole = next((hole for hole in holes if hole in possible), None)
            has = answers(question.program or "", kb)
            lost = hole is not None and not has
            kind = "as before" if has == had else f"without its {hole.kind}" if hole and lost else "changed"
            told[kind] += 1
            if kind != "changed":
                record = question.to_json() | {
                    "answers": list(has),
                    "hole": hole.kind if hole and lost else None,
                    "had": list(had),
                }
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
    return f"{out}: {len(holes)} holes; " + ", ".join(f"{n} {kind}" for kind, n in told.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kb", type=Path, help="N-Triples, plain or .gz")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ontology", type=Path, help="as for `arcaneqa index`")
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(make(given.kb, given.questions, given.out, given.share, given.seed, given.ontology))


if __name__ == "__main__":
    main()
