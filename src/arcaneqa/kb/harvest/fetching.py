"""Names from a server to N-Triples on disk, page by page: killed half way, it goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arcaneqa.atomic import replacing
from arcaneqa.errors import InputError
from arcaneqa.files import plain_json
from arcaneqa.kb.endpoint.client import Oversized, Rejected, Row, TimedOut
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.naming import name_predicates
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Question, whole_number
from arcaneqa.kb.names.surfaces import LONGEST_TEXT
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql.terms import iri, is_writable, written
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.terminal import Progress

SIDE_BY_SIDE = 4
"""Pages asked for at a time."""
_STATE = "state.json"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Facts of one predicate that say what things are called or what they are, and how many there are."""

    predicate: str
    where: str
    total: int = 0

    @property
    def question(self) -> Question:
        return Question(("?x", "?l"), self.where)

    def page(self, offset: int, size: int, counted: bool) -> str:
        """Some of the facts, each with the number of all facts that mention its subject if that is asked."""
        # Unsorted: sorting a million names for every page takes minutes. Whether the pages together are
        # all there is tells the count of distinct facts in the end.
        some = self.question.unsorted(offset, size)
        if not counted:
            return some
        mentions = "{ ?x ?p ?o } UNION { ?o ?p ?x }"
        return f"SELECT ?x ?l (COUNT(*) AS ?n) WHERE {{ {{ {some} }} {mentions} }} GROUP BY ?x ?l"


@dataclass(slots=True)
class _State:
    """Which of the wanted predicates, and how many of its rows, are on disk already."""

    wanted: list[tuple[str, str, int]]
    predicate: int = 0
    rows: int = 0
    pages: int = 0


def wanted_of(endpoint: Endpoint) -> list[Wanted]:
    """Labels and aliases, texts that a question may state, and, where they are needed to name things, types;
    counted on the server."""
    profile, schema = endpoint.profile, endpoint.schema
    known = schema.relation_ids
    named = name_predicates(profile)
    texts = [r.iri for r in schema.relations if ValueKind.TEXT in r.kinds and not r.hidden]
    described = [name for name in profile.describes if name in known]
    spoken = f"isLiteral(?l) && STRLEN(STR(?l)) <= {LONGEST_TEXT}"
    wanted = [_wanted(name, spoken, _has_facts(profile, described)) for name in named if name in known]
    wanted += [_wanted(name, spoken) for name in texts if name not in named]
    links = [*(profile.type if _has_unnamed(endpoint, named) else ()), *described]
    wanted += [_wanted(name, "isIRI(?l)") for name in links if name in known]
    return counted(endpoint, wanted)


def counted(endpoint: Endpoint, wanted: Sequence[Wanted]) -> list[Wanted]:
    counts = endpoint.count_all([each.question for each in wanted])
    return [replace(each, total=total) for each, total in zip(wanted, counts, strict=True) if total]


def _wanted(predicate: str, kept: str, also: str = "") -> Wanted:
    return Wanted(predicate, f"?x {iri(predicate)} ?l . FILTER(isIRI(?x) && {kept}){also}")


def _has_unnamed(endpoint: Endpoint, named: Sequence[str]) -> bool:
    """Whether something with a type has no name: then its class tells which of its texts is one."""
    known = endpoint.schema.relation_ids
    types, names = ([name for name in some if name in known] for some in (endpoint.profile.type, named))
    if not types or not names:
        return bool(types)
    unnamed = f"FILTER NOT EXISTS {{ ?x {either(tuple(names))} ?l }}"
    question = Question(("?x",), f"?x {either(tuple(types))} ?t . FILTER(isIRI(?x)) {unnamed}")
    return bool(endpoint.client.select(question.text(1)))


def _has_facts(profile: Profile, described: Sequence[str]) -> str:
    """Where IRIs are codes, much has a label and nothing to tell, such as articles about the things: then
    only what a relation with a label speaks of is fetched."""
    if not profile.coded or not described:
        return ""
    spoken_of = f"?d {either(tuple(described))} ?r"
    return f" FILTER EXISTS {{ {{ ?x ?r ?o . {spoken_of} }} UNION {{ ?s ?r ?x . {spoken_of} }} }}"


def fetch(endpoint: Endpoint, wanted: Sequence[Wanted], folder: Path, progress: Progress) -> None:
    """Every page on disk; pages that are there already are not asked for again."""
    state = _resumed(folder, wanted)
    total = sum(each.total for each in wanted)
    size = endpoint.page
    done = sum(each.total for each in wanted[: state.predicate]) + state.rows
    counted = True
    while state.predicate < len(wanted):
        each = wanted[state.predicate]
        offsets = list(range(state.rows, each.total, size))[:SIDE_BY_SIDE]
        if not offsets:
            state.predicate, state.rows = state.predicate + 1, 0
            continue
        try:
            pages = endpoint.client.select_all([each.page(offset, size, counted) for offset in offsets])
        except (TimedOut, Rejected):
            if not counted:
                raise
            counted = False  # names are worth more than who is best known
            continue
        fetched = 0
        for number, rows in enumerate(pages):
            name = f"{state.pages + number:06}"
            with (
                replacing(folder / f"page-{name}.nt") as page,
                replacing(folder / f"fame-{name}.txt") as fame,
            ):
                for subject, value, count in _kept(rows):
                    page.write(f"{subject} {iri(each.predicate)} {value} .\n")
                    fame.write(f"{subject} {count}\n")
            fetched += len(rows)
        state.pages += len(pages)
        state.rows = offsets[-1] + size
        with replacing(folder / _STATE) as file:
            json.dump(asdict(state), file)
        done += fetched
        progress("fetching names", done, total)


def check_complete(endpoint: Endpoint, facts: int, wanted: Sequence[Wanted]) -> None:
    total = sum(each.total for each in wanted)
    if facts < total:
        raise Oversized(
            f"The endpoint {endpoint.client.name} counts {total:,} names and handed out {facts:,}; it may be "
            "changing, or cut results short. Fetch them again, or give a file: arcaneqa names FILE --for URL."
        )


def _resumed(folder: Path, wanted: Sequence[Wanted]) -> _State:
    """Where an earlier fetch of the same names stopped; another one's pages are thrown away."""
    listed = [(each.predicate, each.where, each.total) for each in wanted]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        state = _State(**plain_json(folder / _STATE))
        state.wanted = [(name, where, total) for name, where, total in state.wanted]
        if state.wanted == listed:
            return state
    except (FileNotFoundError, ValueError, TypeError):
        pass
    except OSError as error:
        raise InputError(f"Names cannot be kept in {folder}: {error.strerror}.") from None
    for page in folder.iterdir():
        page.unlink()
    return _State(listed)


def _kept(rows: Sequence[Row]) -> Iterator[tuple[str, str, int]]:
    """Subject and value as they are written, and how many facts mention the subject."""
    for row in rows:
        match row:
            case (Iri() as subject, (Iri() | Literal()) as value, *count) if is_writable(subject) and (
                is_writable(value)
            ):
                yield written(subject), written(value), whole_number(count[0]) if count else 0
