"""Names of an endpoint, fetched once into an index of their own, so that linking is as good as with an
index."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint.client import Oversized, Rejected, Row, TimedOut
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.names import Harvested, name_predicates
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import SelectQuery, whole_number
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.name_forms import Forgotten
from arcaneqa.kb.names.surfaces import LONGEST_TEXT, Hit, Surfaces, likeliest
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql.terms import iri, is_writable, written
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.support.errors import EndpointError, IndexFormatError, InputError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.memory import give_back
from arcaneqa.support.terminal import Progress, untold

# Names from a server to N-Triples on disk, page by page: killed half way, it goes on where it was.


SIDE_BY_SIDE = 4
"""Pages asked for at a time."""
_STATE = "state.json"


@dataclass(frozen=True, slots=True)
class NamingPredicate:
    """Facts of one predicate that say what things are called or what they are, and how many there are."""

    predicate: str
    where: str
    total: int = 0

    @property
    def question(self) -> SelectQuery:
        return SelectQuery(("?x", "?l"), self.where)

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


def wanted_of(endpoint: Endpoint) -> list[NamingPredicate]:
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


def counted(endpoint: Endpoint, wanted: Sequence[NamingPredicate]) -> list[NamingPredicate]:
    counts = endpoint.count_all([each.question for each in wanted])
    return [replace(each, total=total) for each, total in zip(wanted, counts, strict=True) if total]


def _wanted(predicate: str, kept: str, also: str = "") -> NamingPredicate:
    return NamingPredicate(predicate, f"?x {iri(predicate)} ?l . FILTER(isIRI(?x) && {kept}){also}")


def _has_unnamed(endpoint: Endpoint, named: Sequence[str]) -> bool:
    """Whether something with a type has no name: then its class tells which of its texts is one."""
    known = endpoint.schema.relation_ids
    types, names = ([name for name in some if name in known] for some in (endpoint.profile.type, named))
    if not types or not names:
        return bool(types)
    unnamed = f"FILTER NOT EXISTS {{ ?x {either(tuple(names))} ?l }}"
    question = SelectQuery(("?x",), f"?x {either(tuple(types))} ?t . FILTER(isIRI(?x)) {unnamed}")
    return bool(endpoint.client.select(question.text(1)))


def _has_facts(profile: Profile, described: Sequence[str]) -> str:
    """Where IRIs are codes, much has a label and nothing to tell, such as articles about the things: then
    only what a relation with a label speaks of is fetched."""
    if not profile.coded or not described:
        return ""
    spoken_of = f"?d {either(tuple(described))} ?r"
    return f" FILTER EXISTS {{ {{ ?x ?r ?o . {spoken_of} }} UNION {{ ?s ?r ?x . {spoken_of} }} }}"


def fetch(endpoint: Endpoint, wanted: Sequence[NamingPredicate], folder: Path, progress: Progress) -> None:
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
                for subject, value, count in _named_rows(rows):
                    page.write(f"{subject} {iri(each.predicate)} {value} .\n")
                    fame.write(f"{subject} {count}\n")
            fetched += len(rows)
        state.pages += len(pages)
        state.rows = offsets[-1] + size
        with replacing(folder / _STATE) as file:
            json.dump(asdict(state), file)
        done += fetched
        progress("fetching names", done, total)


def check_complete(endpoint: Endpoint, facts: int, wanted: Sequence[NamingPredicate]) -> None:
    total = sum(each.total for each in wanted)
    if facts < total:
        raise Oversized(
            f"The endpoint {endpoint.client.name} counts {total:,} names and handed out {facts:,}; it may be "
            "changing, or cut results short. Fetch them again, or give a file: arcaneqa names FILE --for URL."
        )


def _resumed(folder: Path, wanted: Sequence[NamingPredicate]) -> _State:
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


def _named_rows(rows: Sequence[Row]) -> Iterator[tuple[str, str, int]]:
    """Subject and value as they are written, and how many facts mention the subject."""
    for row in rows:
        match row:
            case (Iri() as subject, (Iri() | Literal()) as value, *count) if is_writable(subject) and (
                is_writable(value)
            ):
                yield written(subject), written(value), whole_number(count[0]) if count else 0


# Many names as several small indexes: to build one takes memory by its size, to look into all
# little.


MOST_FACTS = 50_000
"""Facts in one part: building it then takes little memory beside what the program takes anyway."""


def part_of(subject: str, parts: int) -> int:
    """All names of one thing are in one part: what is called how is found out there."""
    return zlib.crc32(subject.encode()) % parts


def deal(pages: Sequence[Path], count: int, folder: Path) -> list[Path]:
    """The lines of the pages by their subjects, in so many files; some of them may stay empty."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"part-{number}.nt" for number in range(count)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        for page in pages:
            with page.open(encoding="utf-8") as lines:
                for line in lines:
                    subject = line.partition(" ")[0].strip("<>")
                    files[part_of(subject, count)].write(line)
    return paths


def fame(dealt: Path, iris: Sequence[str]) -> list[int]:
    """How many facts of the server mention each, where that was fetched with its names."""
    known = {}
    with dealt.open(encoding="utf-8") as lines:
        for line in lines:
            name, _, count = line.rpartition(" ")
            known[name[1:-1]] = int(count)
    return [known.get(name, 0) for name in iris]


class NamesIndex:
    """One index of names: its nodes are not those of another part."""

    def __init__(self, folder: Path) -> None:
        self.index = Index(folder)
        self.surfaces = Surfaces(folder)

    def hits(self, keys: Sequence[int], limit: int) -> list[list[Ranked]]:
        found = self.surfaces.find(keys, limit)
        nodes = np.array([hit.node for hits in found for hit in hits], np.int64)
        told = zip(
            self.index.are_literals(nodes).tolist(),
            self.index.degrees(nodes).tolist(),
            self.index.terms(nodes),
            strict=True,
        )
        return [[_ranked(hit, *next(told)) for hit in hits] for hits in found]

    def named_by(self, query: str, limit: int) -> list[tuple[int, Term]]:
        """For each name that meets a query for words how well its entity is known, and the entity."""
        nodes = np.array(self.surfaces.named_by(query, limit), np.int64)
        return list(zip(self.index.degrees(nodes).tolist(), self.index.terms(nodes), strict=True))


@dataclass(frozen=True, slots=True, order=True)
class Ranked:
    """A hit of one part and its place among those of all: as an index has them, whole names come first, then
    entities, then what is best known."""

    place: tuple[bool, bool, int]
    term: Term = field(compare=False)
    form: Forgotten = field(compare=False)
    alias: bool = field(compare=False)


def _ranked(hit: Hit, is_literal: bool, known: int, term: Term) -> Ranked:
    return Ranked((hit.form >= Forgotten.SHORT, is_literal, -known), term, hit.form, hit.alias)


def first(hits: Iterable[Ranked], limit: int) -> list[Ranked]:
    """Hits of one key from all parts; a text that several parts hold is one."""
    distinct = {(hit.term, hit.form, hit.alias): hit for hit in hits}
    return sorted(distinct.values())[:limit]


def added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, count in chain.from_iterable(each.items() for each in counts):
        total[name] = total.get(name, 0) + count
    return total


# Harvested names as an index of their own, and an endpoint that finds its entities through it.


_ABOUT = "about.json"
MOST_WITHOUT_ASKING = 200_000
"""Names that are fetched when an endpoint is first opened, a matter of seconds; more only on demand."""


class HarvestedNames(Harvested):
    """Finds names in indexes of their own and hands out the endpoint's nodes."""

    def __init__(self, folder: Path, endpoint: Endpoint) -> None:
        about = plain_json(folder / _ABOUT)
        self.made = float(about["made"])
        self._by_number = [name and NamesIndex(folder / name) for name in about["parts"]]
        self._parts = [part for part in self._by_number if part]
        self._endpoint = endpoint

    def __len__(self) -> int:
        return sum(len(part.surfaces) for part in self._parts)

    def find(self, keys: Sequence[int], limit: int) -> list[list[Hit]]:
        found: list[list[Ranked]] = [[] for _ in keys]
        for part in self._parts:
            for all_hits, hits in zip(found, part.hits(keys, limit), strict=True):
                all_hits += hits
        ranked = [first(hits, limit) for hits in found]
        nodes = iter(self._theirs([hit.term for hits in ranked for hit in hits]))
        return [[Hit(next(nodes), hit.form, hit.alias) for hit in hits] for hits in ranked]

    def named_by(self, query: str, limit: int) -> list[int]:
        found = [each for part in self._parts for each in part.named_by(query, limit)]
        found.sort(key=lambda each: -each[0])
        return self._theirs([term for _, term in found[:limit]])

    def frequencies(self, stems: Sequence[str]) -> dict[str, int]:
        return added(part.surfaces.frequencies(stems) for part in self._parts)

    def similar(self, word: str, limit: int) -> list[str]:
        found = (part.surfaces.similar(word, limit) for part in self._parts)
        return likeliest(word, chain.from_iterable(found))[:limit]

    def labels(self, terms: Sequence[Term]) -> list[str | None]:
        """What the names' own index calls them; None for what it does not hold."""
        held = map(self._held, terms)
        return [None if one is None else one[0].index.labels(one[1])[0] for one in held]

    def aliases(self, terms: Sequence[Term]) -> list[list[str]]:
        held = map(self._held, terms)
        return [[] if one is None else one[0].index.aliases(one[1])[0] for one in held]

    def _theirs(self, terms: Sequence[Term]) -> list[int]:
        found: list[int] = self._endpoint.adopted(terms).tolist()
        return found

    def _held(self, term: Term) -> tuple[NamesIndex, Ids] | None:
        if not isinstance(term, Iri):
            return None
        part = self._by_number[part_of(term.value, len(self._by_number))]
        node = part and part.index.node(term)
        return None if part is None or node is None else (part, np.array([node], np.int64))


def with_names(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its names, if they were harvested or are few enough to be harvested now. A server
    that refuses is asked by its own search, or for whole names."""
    names = _opened(_folder(endpoint), endpoint)
    if names is None:
        with contextlib.suppress(EndpointError):
            if sum(each.total for each in wanted_of(endpoint)) <= MOST_WITHOUT_ASKING:
                names = harvest(endpoint)
    endpoint.harvested = names
    return endpoint


def names_are(endpoint: Endpoint) -> str:
    """How the names of an endpoint are found, for people."""
    if (names := endpoint.harvested) is not None:
        return f"{len(names):,} names were fetched {_ago(names.made)} and are found here."
    way = "Whole names are looked up on the server"
    if (search := endpoint.discovery.text_search) is not None:
        way = f"Names are found by the server, whole or by their words ({search})"
    return f"{way}; `arcaneqa names` would fetch them."


def _ago(made: float) -> str:
    minutes = max(0, int(time.time() - made)) // 60
    for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"


def harvest(endpoint: Endpoint, progress: Progress = untold) -> HarvestedNames:
    """Fetch all names of an endpoint and put them in place of what was known before."""
    folder = _folder(endpoint)
    wanted = wanted_of(endpoint)
    fetch(endpoint, wanted, folder / "pages", progress)
    count = max(1, -(-sum(each.total for each in wanted) // MOST_FACTS))
    dealt = deal(sorted(folder.glob("pages/page-*")), count, folder / "parts")
    known = deal(sorted(folder.glob("pages/fame-*")), count, folder / "fame")
    subclasses = _write_subclasses(endpoint, folder / "subclasses.nt")
    # Fetched are only names of what there is something to tell of.
    profile = replace(endpoint.profile, coded=False)
    nameless = {*endpoint.schema.relation_ids, *(k.iri for k in endpoint.schema.classes if k.members)}
    stamp = f"{time.time_ns():x}"
    built: list[str | None] = [None] * count
    facts = 0
    for number in range(count):
        if not dealt[number].stat().st_size:
            continue
        give_back()  # what the pages, or the part before, had needed
        built[number] = name = f"index-{stamp}-{number}"
        report = build_index(
            [dealt[number], *subclasses],
            folder / name,
            profile=profile,
            progress=progress,
            nameless=nameless,
            fame=partial(fame, known[number]),
        )
        facts += report.facts
    check_complete(endpoint, facts, wanted)
    return _remembered(folder, endpoint, built)


def _write_subclasses(endpoint: Endpoint, path: Path) -> list[Path]:
    """What was found out of the classes when the endpoint was opened, so that they are no entities here."""
    if not endpoint.subclasses or not endpoint.profile.subclass:
        return []
    is_a = iri(endpoint.profile.subclass[0])
    with replacing(path) as file:
        for above, below in endpoint.subclasses.items():
            file.writelines(f"{iri(name)} {is_a} {iri(above)} .\n" for name in below)
    return [path]


def harvest_file(sources: Sequence[Path], endpoint: Endpoint, progress: Progress = untold) -> HarvestedNames:
    """Names from RDF files that hold the labels of the same entities, where a server hands out too few."""
    folder = _folder(endpoint)
    built = f"index-{time.time_ns():x}-0"
    build_index(sources, folder / built, profile=endpoint.profile, progress=progress)
    return _remembered(folder, endpoint, [built])


def _remembered(folder: Path, endpoint: Endpoint, built: Sequence[str | None]) -> HarvestedNames:
    """From now on these are the names; those of before, and what was needed on the way, go."""
    with replacing(folder / _ABOUT) as file:
        json.dump({"made": time.time(), "parts": list(built)}, file)
    for other in folder.iterdir():
        if other.is_dir() and other.name not in built:
            shutil.rmtree(other, ignore_errors=True)
    names = HarvestedNames(folder, endpoint)
    endpoint.harvested = names
    return names


def _opened(folder: Path, endpoint: Endpoint) -> HarvestedNames | None:
    try:
        return HarvestedNames(folder, endpoint)
    except (OSError, ValueError, KeyError, IndexFormatError):
        return None


def _folder(endpoint: Endpoint) -> Path:
    name = hashlib.sha256(endpoint.client.identity.encode()).hexdigest()[:24]
    return endpoint.folder / f"{name}.names"
