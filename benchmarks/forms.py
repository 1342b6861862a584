"""Whether questions that need a form beyond the paper's are answered right or refused by its name.

What a question of Spider needs is read off its SQL as a program (`arcaneqa convert spider`); of the files
from the wild, which have no programs, the kind of a question tells. A maximum needs nothing new, since a JOIN
from an ARGMAX says it, and a set that comes out of its order is still the set. Every question is asked twice:
of the model as it is, and of the same model with the paper's forms alone, as if it had learned no other.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets import spider
from arcaneqa.lab.datasets.convert import ConversionSummary, Converter
from arcaneqa.language.forms import PAPER, SAYABLE, Form, forms_of
from arcaneqa.language.text import parse
from arcaneqa.verdict.refusals import ASKS_FOR

_KINDS = {
    "superlative-count": Form.BY_COUNT,
    "aggregate": Form.AVERAGE,
    "negation": Form.EXCEPT,
    "yes-no": Form.TRUTH,
    "compare-entity": Form.COMPARED_WITH_OTHERS,
    "compare-two": Form.EITHER,
    "top-n": Form.RANKS,
    "or": Form.EITHER,
}
"""Of the questions from the wild, what each kind needs; other kinds need none."""


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    answers: frozenset[str]
    needs: frozenset[Form]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`named`: refused, and what was heard is named. `given`: the forms of the program that answered."""

    asked: Asked
    is_right: bool
    is_refused: bool
    is_named: bool
    given: frozenset[Form]


def report(source: Path, wild: Path, model: Path | None, say: Callable[[str], None]) -> str:
    outcomes: dict[str, list[Outcome]] = {"as it is": [], "with the paper's forms alone": []}
    with tempfile.TemporaryDirectory() as folder:
        loaded = ArcaneQA.load(model=model)
        for name, graph in [*_databases(source), *_files(wild)]:
            say(name)
            build_index([_plain(graph, Path(folder))], Path(folder) / name)
            with open_kb(Path(folder) / name) as kb:
                asked = list(_converted(source, name, kb) if graph.parent.parent == source else _told(graph))
                for way, qa in zip(outcomes, _ways(loaded.over(kb)), strict=True):
                    outcomes[way] += [_judged(qa, one) for one in asked]
    return "\n\n".join([_table(outcomes), *(_misses(way, found) for way, found in outcomes.items())])


def _databases(source: Path) -> Iterator[tuple[str, Path]]:
    for name, database in spider.databases(source).items():
        if database.split == "dev":
            yield name, source / "kb" / f"{name}.nt.gz"


def _files(wild: Path) -> Iterator[tuple[str, Path]]:
    for folder in sorted(path for path in wild.iterdir() if path.is_dir()):
        yield folder.name, next(folder.glob("kb.*"))


def _plain(graph: Path, folder: Path) -> Path:
    plain = folder / graph.stem
    with gzip.open(graph) as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return plain


def _converted(source: Path, database: str, kb: KnowledgeBase) -> Iterator[Asked]:
    names = Names(kb.profile)
    converter = Converter(names, kb, ConversionSummary())
    for record in converter.records(spider.read(source, database, kb)):
        if record.program is not None and record.answers is not None:
            forms = forms_of(parse(record.program, names, kb.schema))
            yield Asked(record.question, frozenset(map(_spelled, record.answers)), forms - SAYABLE)


def _told(graph: Path) -> Iterator[Asked]:
    with (graph.parent / "questions.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            needs = frozenset(form for kind, form in _KINDS.items() if kind == record["kind"])
            yield Asked(record["question"], frozenset(map(_spelled, record["answers"])), needs)


def _ways(qa: ArcaneQA) -> tuple[ArcaneQA, ArcaneQA]:
    learned = qa.settings.learned
    assert learned is not None
    settings = replace(qa.settings, learned=replace(learned, forms=PAPER))
    return qa, ArcaneQA(qa.kb, qa.scorer, qa.fitted, qa.linker, settings)


def _judged(qa: ArcaneQA, asked: Asked) -> Outcome:
    answer = qa.ask(asked.question)
    found = {_spelled(item.iri or item.id or str(item.value)) for item in answer.items}
    by_id = {_spelled(item.id or str(item.value)) for item in answer.items}
    is_named = answer.reason is not None and answer.reason.startswith(ASKS_FOR)
    is_right = bool(asked.answers) and asked.answers in (found, by_id)
    return Outcome(asked, is_right, answer.reason is not None, is_named, _given(qa, answer))


def _given(qa: ArcaneQA, answer: Answer) -> frozenset[Form]:
    return frozenset() if answer.program is None else forms_of(parse(answer.program, qa.names, qa.kb.schema))


def _spelled(term: str) -> str:
    """Numbers to six digits."""
    try:
        return f"{float(term):.6g}"
    except ValueError:
        return term


def _table(outcomes: dict[str, list[Outcome]]) -> str:
    rows = [
        "| model | need a form | right or refused by its name | right | need none | refused for a form |",
        "|---|---|---|---|---|---|",
    ]
    for way, found in outcomes.items():
        needing = [one for one in found if one.asked.needs]
        others = [one for one in found if not one.asked.needs]
        kept = sum(one.is_right or one.is_named for one in needing)
        right = sum(one.is_right for one in needing)
        named = sum(one.is_named for one in others)
        rows.append(
            f"| {way} | {len(needing)} | {_share(kept, needing)} | {_share(right, needing)} "
            f"| {len(others)} | {_share(named, others)} |"
        )
    return "\n".join(rows)


def _misses(way: str, found: list[Outcome]) -> str:
    """What became of those that need a form and are neither right nor refused by its name."""
    kinds = Counter(_kind(one) for one in found if one.asked.needs and not one.is_right and not one.is_named)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    return f"The others, {way}: {told or 'none'}."


def _kind(outcome: Outcome) -> str:
    if outcome.is_refused:
        return "refused for another reason"
    if outcome.asked.needs <= outcome.given:
        return "a wrong answer by a program of that form"
    return "a wrong answer by a program of another form"


def _share(count: int, of: list[Outcome]) -> str:
    return f"{100 * count / max(len(of), 1):.1f}%"
