"""The whole build: sources → batches → dictionary → arrangement → facts → lists → schema → seal."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcaneqa.kb.build.batches import Batches, read_batches
from arcaneqa.kb.build.dictionary import Dictionary, arrange, merge, rewrite_names, write_lookup
from arcaneqa.kb.build.formats import check_base, check_file, source_files, table_format
from arcaneqa.kb.build.mending import mend, with_restrictions
from arcaneqa.kb.build.sorted_facts import SortedFacts, write_facts
from arcaneqa.kb.build.sources import Skipped, Source
from arcaneqa.kb.build.tables import PREFIXES, Told, write_triples
from arcaneqa.kb.build.tables.server import Server, is_server
from arcaneqa.kb.build.understand import Fame, Understanding, Understood
from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import INDEX, IndexDraft, read_manifest, trust_built
from arcaneqa.kb.names.glossary import Glossary, Wording
from arcaneqa.kb.names.writing_surfaces import build_surfaces
from arcaneqa.kb.ontology import Declarations, read_ontology
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import ProfileOptions
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.support.errors import IndexFormatError, InputError
from arcaneqa.support.files import take_place
from arcaneqa.support.terminal import Progress, untold

# A folder built beside its target and exchanged with it in one step: killed at any moment, or out
# of disk, what was there before is still there, whole.


@contextmanager
def building(target: Path, mode: int = 0o777) -> Iterator[Path]:
    """An empty folder to build in; on leaving without an error it takes the target's place, or the place that
    the target is a link to. It is open to whom the old one was, else to those of `mode`."""
    target = target.resolve()
    INDEX.check(target)
    folder = target.with_name(f".{target.name}.building")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"No index can be built at {target}: {error.strerror}.") from None
    with _locked(target):
        if any(folder.iterdir() if folder.is_dir() else ()) and INDEX.names(folder) is None:
            raise InputError(f"{folder} is in the way of the build, and not ours; move it elsewhere.")
        shutil.rmtree(folder, ignore_errors=True)  # left by a build that was killed
        try:
            folder.mkdir(mode=mode)
            yield folder
            if target.is_dir():
                folder.chmod(stat.S_IMODE(target.stat().st_mode))
            INDEX.keep_others(target, folder)
            take_place(folder, target)
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise InputError(
                f"The index could not be written beside {target}: {reason or error}. "
                "What was there before is untouched."
            ) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One build of a target at a time; the lock goes with its process, however that ends."""
    path = target.with_name(f".{target.name}.lock")
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"No index can be built at {target}: {error.strerror}.") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = os.fstat(lock)
            if found.st_nlink == 0:  # its last owner took it away between our opening and locking
                raise BlockingIOError
            if found.st_size:
                raise InputError(f"{path} is in the way of the build, and not ours; move it elsewhere.")
        except BlockingIOError:
            raise InputError(f"Another build is writing {target}; wait for it to end.") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)


# The whole build: sources → batches → dictionary → arrangement → facts → lists → schema → seal.


_BATCH = 200_000
"""Facts read at a time, which bounds memory."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did: distinct facts, nodes, and what it left out."""

    facts: int
    entities: int
    literals: int
    relations: int
    classes: int
    skipped: Skipped
    diagnosis: Diagnosis
    before: int | None = None
    """Facts of the index that was there."""


def build_index(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    profile: Profile | ProfileOptions | None = None,
    ontology: str | Path | None = None,
    base: str | None = None,
    lenient: bool = False,
    most_rows: int | None = None,
    progress: Progress = untold,
    batch: int = _BATCH,
    nameless: Iterable[str] = (),
    fame: Fame | None = None,
    tables: Sequence[str] = (),
    schema: str | None = None,
    glossary: str | Path | None = None,
) -> BuildReport:
    """Build an index folder from RDF files, tables, folders of them and PostgreSQL servers, of which `tables`
    and `schema` say what is wanted; `base` completes relative IRIs.
    An index that is already there is replaced at the very end. Without a profile, the facts say which they
    need. `nameless` are IRIs that are to be found under no name: what only other facts use as schema. `fame`
    says how many facts mention each IRI, where most of them are kept elsewhere. `glossary` is a TOML file
    with other words for what is here. A table may have `most_rows`, else as many as suit its file's size."""
    if not sources:
        raise InputError("There is nothing to index: give at least one file.")
    check_base(base)
    wanted = profile if isinstance(profile, ProfileOptions) else ProfileOptions(profile)
    files = tuple(Path(source) for source in sources if not is_server(str(source)))
    servers = tuple(Server(str(each), tuple(tables), schema) for each in sources if is_server(str(each)))
    words = None if glossary is None else Glossary.read(Path(glossary))
    given = _Given(
        files, servers, Path(out), ontology, base, lenient, batch, tuple(nameless), fame, words, most_rows
    )
    try:
        return _build(given, wanted, progress)
    except _Misread as misread:
        return _build(given, wanted.without(misread.profile), progress)


class _Misread(Exception):
    """The facts use a vocabulary and do not fit its profile."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile


@dataclass(frozen=True)
class _Given:
    """What a build is given beside the profile."""

    files: tuple[Path, ...]
    servers: tuple[Server, ...]
    out: Path
    ontology: str | Path | None
    base: str | None
    lenient: bool
    batch: int
    nameless: tuple[str, ...]
    fame: Fame | None
    glossary: Glossary | None
    most_rows: int | None


def _build(given: _Given, wanted: ProfileOptions, progress: Progress) -> BuildReport:
    skipped = Skipped()
    paths = source_files(given.files)
    tables = [path for path in paths if table_format(path) is not None]
    files = [
        Source(path, skipped if given.lenient else None, given.base) for path in paths if path not in tables
    ]
    for path in paths:
        check_file(path)
    has_tables = bool(tables or given.servers)
    of_tables = Told()
    before = _facts_of(given.out)
    with building(given.out, _mode_of(paths)) as folder:
        draft = IndexDraft(folder)
        work = folder / "work"
        work.mkdir()
        if has_tables:
            progress("reading tables", 0, None)
            written = write_triples(tables, work, given.servers, of_tables, given.most_rows)
            files += [Source(facts, None) for facts in written]
        batches = read_batches(files, work, given.batch, skipped if given.lenient else None, progress)
        choice = wanted.settle(batches.facts_of_predicates)
        chosen = _with_prefixes(choice.profile, {**batches.prefixes, **(PREFIXES if has_tables else {})})
        told = (
            read_ontology(Path(given.ontology), Names(chosen))
            if given.ontology is not None
            else Declarations()
        )
        batches = with_restrictions(batches, chosen)
        mended = mend(batches, chosen)
        dictionary, facts = _sorted(batches, draft, progress)
        shutil.rmtree(work)
        understanding = Understanding(batches, dictionary, facts, chosen, draft, given.fame)
        understood = understanding.derive(told, choice.why, progress)
        is_chosen = wanted.profile is None and choice.profile.name != "rdf" and choice.profile.base is None
        if is_chosen and not understood.diagnosis.things:
            raise _Misread(choice.profile)
        diagnosis = dataclasses.replace(
            understood.diagnosis,
            mended={name.rpartition("#")[2]: count for name, count in mended.items()},
            left_out=skipped.count,
            **dataclasses.asdict(of_tables),
            rules=sum(file.rules for file in files),
            odd=sum(file.odd.count for file in files),
            some_odd=[text for file in files for text in file.odd.some],
        )
        _write_schema(understood.schema, folder)
        manifest = _manifest(draft, dictionary, understood, diagnosis, batches)
        manifest["sources"] = [path.name for path in paths]
        progress("listing names for linking", 0, None)
        with Index(folder, manifest) as index:
            build_surfaces(folder, index, given.nameless)
        if given.glossary is not None:
            manifest["glossary"] = given.glossary.written()
            with Index(folder, manifest) as index:
                index.open_names()
                Wording(index, given.glossary)  # refuses names that are not here
        progress("sealing", 0, None)
        manifest = draft.seal(manifest)
    trust_built(given.out, manifest)
    return BuildReport(
        facts=manifest["counts"]["facts"],
        entities=dictionary.entities,
        literals=dictionary.nodes - dictionary.entities,
        relations=len(understood.schema.relations),
        classes=len(understood.schema.classes),
        skipped=skipped,
        diagnosis=diagnosis,
        before=before,
    )


def _mode_of(sources: Iterable[Path]) -> int:
    """Of a folder that tells nobody what they may not read themselves."""
    mode = 0o777
    for source in sources:
        read = source.stat().st_mode
        mode &= ~((0 if read & stat.S_IRGRP else stat.S_IRWXG) | (0 if read & stat.S_IROTH else stat.S_IRWXO))
    return mode


def _facts_of(target: Path) -> int | None:
    """How many facts an index has that is there already."""
    try:
        return int(read_manifest(target)["counts"]["facts"])
    except IndexFormatError:
        return None


def _with_prefixes(profile: Profile, written: Mapping[str, str]) -> Profile:
    """The profile's own prefixes, and those that the files declare."""
    known = dict(profile.prefixes)
    declared = tuple((name, space) for name, space in written.items() if name not in known)
    return dataclasses.replace(profile, prefixes=(*profile.prefixes, *declared))


def _sorted(batches: Batches, draft: IndexDraft, progress: Progress) -> tuple[Dictionary, SortedFacts]:
    """Second and third pass: one dictionary, and the facts in its ids."""
    dictionary = merge(batches, draft, progress)
    order = arrange(batches, dictionary, progress)
    with ThreadPoolExecutor(1) as aside:
        others = [aside.submit(write_lookup, batches, dictionary, draft)]
        if order is not None:
            others.append(aside.submit(rewrite_names, order, draft))
        facts = write_facts(batches, dictionary, draft, progress)
        for other in others:
            other.result()
    return dictionary, facts


def _manifest(
    draft: IndexDraft, dictionary: Dictionary, understood: Understood, diagnosis: Diagnosis, batches: Batches
) -> dict[str, Any]:
    joined = sum(each.facts for each in understood.schema.relations if each.chain is not None)
    return draft.manifest(
        profile=understood.profile.to_json(),
        counts={
            "facts": len(draft.load("out.values")) - joined,
            "entities": dictionary.entities,
            "numbers": dictionary.numbers,
            "times": dictionary.times,
            "booleans": dictionary.booleans,
            "text": dictionary.text,
        },
        diagnosis=diagnosis.to_json(),
        types=batches.types,
        spellings=batches.spellings,
    )


def _write_schema(schema: Schema, folder: Path) -> None:
    text = json.dumps(schema.to_json(), ensure_ascii=False)
    (folder / "schema.json").write_text(text, encoding="utf-8")
