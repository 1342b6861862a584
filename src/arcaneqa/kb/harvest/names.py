"""Harvested names as an index of their own, and an endpoint that finds its entities through it."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from arcaneqa.atomic import replacing
from arcaneqa.errors import IndexFormatError
from arcaneqa.files import plain_json
from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.naming import Harvested
from arcaneqa.kb.harvest.pages import Progress, check_complete, fetch, wanted_of
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.surfaces import Hit
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Term

MOST_WITHOUT_ASKING = 200_000
"""Names that are fetched when an endpoint is first opened, a matter of seconds; more only on demand."""


def _silent(stage: str, done: int, total: int | None) -> None:
    """Nobody is watching."""


class HarvestedNames(Harvested):
    """Finds names in their own index and hands out the endpoint's nodes."""

    def __init__(self, folder: Path, endpoint: Endpoint) -> None:
        self._index = Index(folder / "index")
        super().__init__(folder / "index")
        self._endpoint = endpoint
        about = plain_json(folder / "about.json")
        self.made = float(about["made"])

    def find(self, keys: Sequence[int], limit: int) -> list[list[Hit]]:
        found = super().find(keys, limit)
        nodes = iter(self._theirs([hit.node for hits in found for hit in hits]).tolist())
        return [[Hit(next(nodes), hit.form, hit.alias) for hit in hits] for hits in found]

    def containing(self, parts: Sequence[Sequence[str]], limit: int) -> list[int]:
        found: list[int] = self._theirs(super().containing(parts, limit)).tolist()
        return found

    def beginning(self, typed: str, limit: int) -> list[int]:
        found: list[int] = self._theirs(super().beginning(typed, limit)).tolist()
        return found

    def labels(self, terms: Sequence[Term]) -> list[str | None]:
        """What the names' own index calls them; None for what it does not hold."""
        return [None if node is None else self._index.labels(_one(node))[0] for node in self._ours(terms)]

    def aliases(self, terms: Sequence[Term]) -> list[list[str]]:
        return [[] if node is None else self._index.aliases(_one(node))[0] for node in self._ours(terms)]

    def _theirs(self, nodes: Sequence[int]) -> Ids:
        return self._endpoint.adopted(self._index.terms(np.array(nodes, np.int64)))

    def _ours(self, terms: Sequence[Term]) -> list[int | None]:
        return [self._index.node(term) for term in terms]


def with_names(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its names, if they were harvested or are few enough to be harvested now."""
    folder = _folder(endpoint)
    names = _opened(folder, endpoint)
    if names is None:
        wanted = wanted_of(endpoint)
        if sum(each.total for each in wanted) <= MOST_WITHOUT_ASKING:
            names = harvest(endpoint)
    endpoint.harvested = names
    return endpoint


def harvest(endpoint: Endpoint, progress: Progress = _silent) -> HarvestedNames:
    """Fetch all names of an endpoint and put them in place of what was known before."""
    folder = _folder(endpoint)
    wanted = wanted_of(endpoint)
    pages = fetch(endpoint, wanted, folder / "pages", progress)
    subclasses = _write_subclasses(endpoint, folder / "pages" / "subclasses.nt")
    # Fetched are only names of what there is something to tell of.
    profile = replace(endpoint.profile, coded=False)
    report = build_index(
        [*pages, *subclasses],
        folder / "index",
        profile=profile,
        progress=progress,
        nameless=endpoint.schema.relation_ids,
    )
    check_complete(endpoint, report.facts, wanted)
    return _kept(folder, endpoint)


def _write_subclasses(endpoint: Endpoint, path: Path) -> list[Path]:
    """What was found out of the classes when the endpoint was opened, so that they are no entities here."""
    if not endpoint.subclasses or not endpoint.profile.subclass:
        return []
    is_a = iri(endpoint.profile.subclass[0])
    with replacing(path) as file:
        for above, below in endpoint.subclasses.items():
            file.writelines(f"{iri(name)} {is_a} {iri(above)} .\n" for name in below)
    return [path]


def harvest_file(sources: Sequence[Path], endpoint: Endpoint, progress: Progress = _silent) -> HarvestedNames:
    """Names from RDF files that hold the labels of the same entities, where a server hands out too few."""
    folder = _folder(endpoint)
    build_index(sources, folder / "index", profile=endpoint.profile, progress=progress)
    return _kept(folder, endpoint)


def _kept(folder: Path, endpoint: Endpoint) -> HarvestedNames:
    with replacing(folder / "about.json") as file:
        json.dump({"made": time.time()}, file)
    shutil.rmtree(folder / "pages", ignore_errors=True)
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


def _one(node: int) -> Ids:
    return np.array([node], np.int64)
