"""Overnight's paraphrases as records and prepared sets, and how many groups are answered alike.

    python recipes/overnight.py DATA --work FOLDER               (records and sets)
    python recipes/overnight.py DATA --work FOLDER --check [MODEL]

DATA holds overnight/. A program is made from each published logical form and kept where it finds the recorded
answers. The world `publications` is held: it gives `overnight-steps-held` and `overnight-readings-held`, the
others what training reads. `--check` asks every question of the held world and compares the answers within
each group of paraphrases.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training_data import WAYS, join_parts, prepare_one, save

from arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD
from arcaneqa.lab.datasets.convert import ConversionSummary, Converter
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.lab.datasets.sql.translate import mentions
from arcaneqa.language.text import parse
from arcaneqa.record import read_questions
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines

WORLDS = ("blocks", "calendar", "housing", "publications", "recipes")
HELD = "publications"
NAMESPACE = "http://example.org/overnight/"
_SIGNS = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "=": "EQ"}

Form = str | list["Form"]


class Unsayable(Exception):
    """The form asks for what a program does not say."""


def form_of(text: str) -> Form:
    """A logical form as nested lists."""
    stack: list[list[Form]] = [[]]
    for token in text.split():
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def program_of(form: Form) -> str:
    """The set, or number, that a form denotes.

    >>> program_of(form_of("( call SW.getProperty ( call SW.singleton en.block ) ( string ! type ) )"))
    '<http://example.org/overnight/class/block>'
    """
    match form:
        case str(name):
            _, *path = name.split(".")
            return f"<{NAMESPACE}{'/'.join(path)}>"
        case ["number", number, *_]:
            return f"{number}^^{XSD}integer"
        case ["date", year, "-1", "-1"]:
            return f"{year}^^{XSD}gYear"
        case ["date", str(year), str(month), str(day)]:
            return f"{year}-{month:0>2}-{day:0>2}^^{XSD}date"
        case ["time", str(hour), str(minute)]:
            return f"{hour:0>2}:{minute:0>2}:00^^{XSD}time"
        case ["call", "SW.listValue" | "SW.ensureNumericEntity", inner]:
            return program_of(inner)
        case ["call", "SW.getProperty", ["call", "SW.singleton", str(name)], ["string", "!", "type"]]:
            return f"<{NAMESPACE}class/{name.removeprefix('en.')}>"
        case ["call", "SW.getProperty", members, relation]:
            return f"(JOIN {inverse(relation_of(relation))} {program_of(members)})"
        case ["call", "SW.concat", one, other]:
            return f"(OR {program_of(one)} {program_of(other)})"
        case ["call", "SW.filter", members, relation]:
            return f"(AND {program_of(members)} (JOIN {relation_of(relation)} true))"
        case ["call", "SW.filter", members, relation, ["string", *sign], value]:
            return _filtered(program_of(members), relation_of(relation), "".join(map(str, sign)), value)
        case ["call", "SW.superlative", members, ["string", way], relation]:
            return f"({_extreme(way)} {program_of(members)} {relation_of(relation)})"
        case ["call", "SW.countSuperlative", members, ["string", way], relation, *_]:
            return f"({_extreme(way)} {program_of(members)} {_count(relation)})"
        case ["call", "SW.countComparative", members, relation, ["string", str(sign)], number, *_]:
            compared = f"({_SIGNS[sign]} {_count(relation)} {number[1]})"
            return f"(AND {program_of(members)} {compared})"
        case ["call", ".size", members]:
            return f"(COUNT {program_of(members)})"
        case ["call", "SW.aggregate", ["string", str(way)], ["call", "SW.getProperty", members, relation]]:
            return f"({way.upper()} {program_of(members)} {relation_of(relation)})"
    raise Unsayable(str(form)[:60])


def _filtered(members: str, relation: str, sign: str, value: Form) -> str:
    match sign:
        case "=":
            return f"(AND {members} (JOIN {relation} {program_of(value)}))"
        case "!=":
            return f"(NOT {members} (JOIN {relation} {program_of(value)}))"
        case _:
            return f"(AND {members} ({_SIGNS[sign]} {relation} {program_of(value)}))"


def _extreme(way: Form) -> str:
    return "ARGMAX" if way == "max" else "ARGMIN"


def _count(relation: Form) -> str:
    """By the relation alone: in these worlds it leads to no other class than the one that is counted."""
    return f"(COUNT {relation_of(relation)})"


def relation_of(form: Form) -> str:
    match form:
        case ["string", str(name)]:
            return f"<{NAMESPACE}p/{name}>"
        case ["call", "SW.reverse", inner]:
            return inverse(relation_of(inner))
        case ["call", "SW.ensureNumericProperty", inner]:
            return relation_of(inner)
    raise Unsayable(str(form)[:60])


def inverse(relation: str) -> str:
    return f"(R {relation})"


def drafts(items: list[Any], kb: KnowledgeBase) -> Iterator[DraftQuestion]:
    names = Names(kb.profile)
    for item in items:
        pairs = zip(item["answer_ids"], item["answers"], strict=True)
        answers = tuple(text if id is None else f"<{id}>" for id, text in pairs)
        try:
            program = parse(program_of(form_of(item["lf"])), names, kb.schema)
        except (Unsayable, ArcaneError) as error:
            yield DraftQuestion(item["id"], item["question"], answers=answers, reason=str(error)[:60])
            continue
        yield DraftQuestion(
            item["id"],
            item["question"],
            (program,),
            answers=answers,
            must_agree=True,
            mentions=mentions(program, item["question"], kb),
        )


def make(data: Path, work: Path) -> None:
    items: dict[str, list[Any]] = defaultdict(list)
    for _, item in read_lines(data / "overnight" / "questions.jsonl.gz"):
        items[item["domain"]].append(item)
    for world in WORLDS:
        index, records = index_of(work, world), records_of(work, world)
        if not index.exists():
            index.parent.mkdir(parents=True, exist_ok=True)
            build_index([data / "overnight" / f"{world}.nt.gz"], index)
        if not records.exists():
            records.parent.mkdir(parents=True, exist_ok=True)
            summary = ConversionSummary()
            with open_kb(str(index)) as kb:
                save(records, Converter(Names(kb.profile), kb, summary).records(drafts(items[world], kb)))
            print(f"{world}: {summary.table()}")
    for way in ("steps", "readings"):
        assert way in WAYS
        kept: dict[str, list[Path]] = {"held": [], "": []}
        for world in WORLDS:
            out = work / "prepared" / f"overnight-{way}" / world
            if not out.exists():
                prepare_one(records_of(work, world), index_of(work, world), out, way, None)
            kept["held" if world == HELD else ""].append(out)
        for which, parts in kept.items():
            target = work / "sets" / "-".join(filter(None, ("overnight", way, which)))
            shutil.rmtree(target, ignore_errors=True)
            join_parts(parts, target)


def index_of(work: Path, world: str) -> Path:
    return work / "kb" / f"overnight-{world}"


def records_of(work: Path, world: str) -> Path:
    return work / "records" / "overnight" / f"{world}.jsonl"


def check(data: Path, work: Path, model: Path | None) -> str:
    """How many groups get one and the same answer, and how many of all questions the right one."""
    groups = {
        item["id"]: item["group"]
        for _, item in read_lines(data / "overnight" / "questions.jsonl.gz")
        if item["domain"] == HELD
    }
    questions = list(read_questions(records_of(work, HELD)))
    qa = ArcaneQA.load(str(index_of(work, HELD)), model)
    answered: dict[str, set[frozenset[str]]] = defaultdict(set)
    right = 0
    for question, answer in zip(questions, qa.ask_many(questions), strict=True):
        given = frozenset(item.term for item in answer.items)
        answered[groups[question.id]].add(given)
        right += given == frozenset(question.answers or ())
    alike = sum(len(answers) == 1 for answers in answered.values())
    same = sum(len(answers) == 1 and answers != {frozenset()} for answers in answered.values())
    return (
        f"{len(answered)} groups, {alike} answered alike, {same} of them with an answer; "
        f"{right} of {len(questions)} questions right"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--check", nargs="?", const="", metavar="MODEL", help="the bundled one if left out")
    given = parser.parse_args()
    if given.check is None:
        make(given.data, given.work)
    else:
        print(check(given.data, given.work, Path(given.check) if given.check else None))


if __name__ == "__main__":
    main()
