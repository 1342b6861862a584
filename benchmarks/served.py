"""The same questions over a file's index and over servers with the same file: where answers differ, and why.

The reason is the first thing on the way to an answer that is not alike: what the schema says of relations and
classes, what is linked in the question, which program is found, and last what the program gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from pyoxigraph import RdfFormat, Triple, serialize

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.sources import Source
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.harvest import harvest
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import value_of
from arcaneqa.links import Links
from arcaneqa.record import AnswerItem, Question
from arcaneqa.support.errors import InputError
from benchmarks.kb import engines

Say = Callable[[str], None]
_SHOWN = 8


@dataclass
class Told:
    """What one knowledge base made of the questions of a file."""

    name: str
    schema: dict[str, dict[str, object]]
    answers: list[Answer] = field(default_factory=list)


def run(folders: Sequence[Path], servers: Sequence[str], say: Say) -> str:
    """Every folder holds one file of facts (`kb.*`) and `questions.jsonl`."""
    lacking = [what for what in engines.missing() if "DuckDB" not in what]
    if lacking:
        raise InputError(f"This benchmark needs {' and '.join(lacking)}.")
    lines = ["| file | questions | server | same answers | what differs |", "|---|---|---|---|---|"]
    model = ArcaneQA.load()
    for folder in folders:
        facts = sorted(folder.glob("kb.*"))
        if len(facts) != 1:
            raise InputError(f"{folder} must hold one file of facts whose name begins with kb.")
        questions = _questions(folder / "questions.jsonl")
        with TemporaryDirectory() as work:
            for line in _compared(facts[0], questions, Path(work), servers, model, say):
                lines.append(f"| {folder.name} | {len(questions)} | {line}")
    return "\n".join(lines)


def _questions(path: Path) -> list[Question]:
    """Only the texts are needed; gold answers in any form are left alone."""
    lines = path.read_text(encoding="utf-8").splitlines()
    given = (json.loads(line) for line in lines if line.strip())
    return [Question(id=one["id"], question=one["question"]) for one in given]


def _compared(
    facts: Path, questions: Sequence[Question], work: Path, servers: Sequence[str], model: ArcaneQA, say: Say
) -> Iterator[str]:
    build_index([facts], work / "index")
    source = work / "facts.nt"
    with source.open("wb") as file:
        statements = (
            Triple(one.subject, one.predicate, one.object) for one in Source(facts, None).statements()
        )
        serialize(statements, file, RdfFormat.N_TRIPLES)
    with Index(work / "index") as index:
        first = _told("index", index, questions, model)
    for name in servers:
        with _served(name, source, work) as server:
            address = f"{server.url}?{urlencode(server.parameters)}" if server.parameters else server.url
            with open_endpoint(
                address, settings=EndpointSettings(folder=work / f"memory-{name}")
            ) as endpoint:
                harvest(endpoint)
                other = _told(name, endpoint, questions, model)
        schema = list(schema_differences(first, other))
        differing = list(differences(first, other))
        for line in (*schema, *(f"{id_}: {why}" for id_, why in differing)):
            say(f"{facts.parent.name} on {name}: {line}")
        same = len(questions) - len(differing)
        why = "; ".join(f"{id_} ({why.partition(':')[0]})" for id_, why in differing) or "–"
        yield f"{name} | {same} of {len(questions)} | {why} |"


def _served(name: str, source: Path, work: Path) -> AbstractContextManager[engines.Server]:
    if name == "Virtuoso":
        return engines.virtuoso(source, work / "virtuoso")
    engines.load_oxigraph(source, work / "oxigraph")
    return engines.oxigraph_server(work / "oxigraph")


def _told(name: str, kb: KnowledgeBase, questions: Sequence[Question], model: ArcaneQA) -> Told:
    qa = model.over(kb)
    return Told(name, _described(kb), [qa.ask(one.question, seconds=None) for one in questions])


# What differs -----------------------------------------------------------------------------------


def _described(kb: KnowledgeBase) -> dict[str, dict[str, object]]:
    """What may be asked for, by IRI. Counts are of use to nobody who asks."""
    classes = kb.schema.classes
    called: dict[int | None, str] = {klass.id: klass.iri for klass in classes}
    found: dict[str, dict[str, object]] = {
        f"class {klass.iri}": {"label": klass.label, "members": klass.members}
        for klass in classes
        if not klass.hidden
    }
    for relation in kb.schema.relations:
        if not relation.hidden:
            found[f"relation {relation.iri}"] = {
                "label": relation.label,
                "kinds": sorted(relation.kinds),
                "domain": called.get(relation.domain),
                "other domains": sorted(str(called.get(klass)) for klass in relation.other_domains),
                "range": called.get(relation.range),
                "inverse": None if relation.inverse is None else kb.schema.relations[relation.inverse].iri,
                "identifier": relation.is_identifier,
            }
    return found


def schema_differences(one: Told, other: Told) -> Iterator[str]:
    for name in sorted({*one.schema, *other.schema}):
        if name not in other.schema:
            yield f"only the {one.name} has the {name}"
        elif name not in one.schema:
            yield f"only {other.name} has the {name}"
        else:
            for part, value in one.schema[name].items():
                if other.schema[name][part] != value:
                    yield f"{part} of the {name}: {value}, there {other.schema[name][part]}"


def differences(one: Told, other: Told) -> Iterator[tuple[str, str]]:
    """Questions with other answers, and the first step on the way that was not alike."""
    for number, (first, second) in enumerate(zip(one.answers, other.answers, strict=True), 1):
        if _items(first) == _items(second):
            continue
        here, there = _linked(first.links), _linked(second.links)
        if here != there:
            why = f"linking: {sorted(here - there)[:_SHOWN]}, there {sorted(there - here)[:_SHOWN]}"
        elif first.paraphrase != second.paraphrase:
            why = f"program: {first.program or first.reason}, there {second.program or second.reason}"
        else:
            shown = sorted(_items(first) ^ _items(second))[:_SHOWN]
            why = f"answers: of {first.program}, {shown} are only on one side"
        yield f"{number}. {first.question}", why


def _items(answer: Answer) -> frozenset[str]:
    if (
        answer.table is not None
    ):  # as people read it: short names depend on prefixes that only a file declares
        return frozenset("\t".join(map(str, row)) for row in answer.table.labels)
    return frozenset(map(_item, answer.items))


def _item(item: AnswerItem) -> str:
    """A literal by its value: servers write 23 as 23.0 and the like."""
    if item.value is None:
        return item.iri or "a blank node"
    value = value_of(Literal(item.value, item.datatype)) if item.datatype else None
    return item.value if value is None else repr(value)


def _linked(links: Links | None) -> frozenset[str]:
    if links is None:
        return frozenset()
    named = (f"{m.text} = {c.label}" for m in links.mentions for c in m.candidates)
    return frozenset([*named, *(f"{v.text} = {r.lexical}" for v in links.literals for r in v.readings)])
