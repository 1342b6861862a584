"""Harvested names as an index of their own, and an endpoint that finds its entities through it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from arcaneqa.atomic import replacing
from arcaneqa.errors import EndpointError, IndexFormatError
from arcaneqa.files import plain_json
from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.naming import Harvested
from arcaneqa.kb.harvest import parts
from arcaneqa.kb.harvest.fetching import check_complete, fetch, wanted_of
from arcaneqa.kb.harvest.parts import Part
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.surfaces import Hit, likeliest
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Iri, Term
from arcaneqa.memory import give_back
from arcaneqa.terminal import Progress, untold

_ABOUT = "about.json"
MOST_WITHOUT_ASKING = 200_000
"""Names that are fetched when an endpoint is first opened, a matter of seconds; more only on demand."""


class HarvestedNames(Harvested):
    """Finds names in indexes of their own and hands out the endpoint's nodes."""

    def __init__(self, folder: Path, endpoint: Endpoint) -> None:
        about = plain_json(folder / _ABOUT)
        self.made = float(about["made"])
        self._by_number = [name and Part(folder / name) for name in about["parts"]]
        self._parts = [part for part in self._by_number if part]
        self._endpoint = endpoint

    def __len__(self) -> int:
        return sum(len(part.surfaces) for part in self._parts)

    def find(self, keys: Sequence[int], limit: int) -> list[list[Hit]]:
        found: list[list[parts.Ranked]] = [[] for _ in keys]
        for part in self._parts:
            for all_hits, hits in zip(found, part.hits(keys, limit), strict=True):
                all_hits += hits
        ranked = [parts.first(hits, limit) for hits in found]
        nodes = iter(self._theirs([hit.term for hits in ranked for hit in hits]))
        return [[Hit(next(nodes), hit.form, hit.alias) for hit in hits] for hits in ranked]

    def named_by(self, query: str, limit: int) -> list[int]:
        found = [each for part in self._parts for each in part.named_by(query, limit)]
        found.sort(key=lambda each: -each[0])
        return self._theirs([term for _, term in found[:limit]])

    def frequencies(self, stems: Sequence[str]) -> dict[str, int]:
        return parts.added(part.surfaces.frequencies(stems) for part in self._parts)

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

    def _held(self, term: Term) -> tuple[Part, Ids] | None:
        if not isinstance(term, Iri):
            return None
        part = self._by_number[parts.part_of(term.value, len(self._by_number))]
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
    count = max(1, -(-sum(each.total for each in wanted) // parts.MOST_FACTS))
    dealt = parts.deal(sorted(folder.glob("pages/page-*")), count, folder / "parts")
    known = parts.deal(sorted(folder.glob("pages/fame-*")), count, folder / "fame")
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
            fame=partial(parts.fame, known[number]),
        )
        facts += report.facts
    check_complete(endpoint, facts, wanted)
    return _kept(folder, endpoint, built)


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
    return _kept(folder, endpoint, [built])


def _kept(folder: Path, endpoint: Endpoint, built: Sequence[str | None]) -> HarvestedNames:
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
    name = hashlib.sha256(endpoint.client.name.encode()).hexdigest()[:24]
    return endpoint.folder / f"{name}.names"
