"""The whole build: sources → batches → dictionary → arrangement → facts → lists → schema → seal."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcaneqa.errors import InputError
from arcaneqa.kb.build.arrangement import arrange, rewrite_names
from arcaneqa.kb.build.batches import Batches, Progress
from arcaneqa.kb.build.classes import find_classes, read_pairs, write_classes
from arcaneqa.kb.build.dictionary import Dictionary, merge, write_lookup
from arcaneqa.kb.build.facts import Facts, write_facts
from arcaneqa.kb.build.formats import check_base, source_files, table_format
from arcaneqa.kb.build.labels import language_tiers, write_labels
from arcaneqa.kb.build.lists import write_lists
from arcaneqa.kb.build.reading import read_batches
from arcaneqa.kb.build.schema import Inputs, describe, read_declared
from arcaneqa.kb.build.sources import Skipped, Source
from arcaneqa.kb.build.tables import PREFIXES, write_triples
from arcaneqa.kb.build.target import building
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.index import open_terms
from arcaneqa.kb.index.store import Array, Draft, trust_built
from arcaneqa.kb.names.surfaces import build_surfaces
from arcaneqa.kb.ontology_folder import Ontology, read_ontology
from arcaneqa.kb.profile import RDF_PROFILE, Profile
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.selection import Selection
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri

_BATCH = 200_000


@dataclass(frozen=True)
class Report:
    """What a build did: distinct facts, nodes, and what it left out."""

    facts: int
    entities: int
    literals: int
    relations: int
    classes: int
    skipped: Skipped


def _silent(stage: str, done: int, total: int | None) -> None:
    """Nobody is watching."""


def build_index(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    profile: Profile = RDF_PROFILE,
    ontology: str | Path | None = None,
    base: str | None = None,
    lenient: bool = False,
    progress: Progress = _silent,
    batch: int = _BATCH,
) -> Report:
    """Build an index folder from RDF files, tables and folders of them; `base` completes relative IRIs.
    An index that is already there is replaced at the very end."""
    if not sources:
        raise InputError("There is nothing to index: give at least one file.")
    check_base(base)
    skipped = Skipped()
    paths = source_files(map(Path, sources))
    tables = [path for path in paths if table_format(path) is not None]
    files = [Source(path, skipped if lenient else None, base) for path in paths if path not in tables]
    for source in files:
        source.check()
    if tables:
        profile = dataclasses.replace(profile, prefixes=(*profile.prefixes, *PREFIXES.items()))
    told = read_ontology(Path(ontology), Names(profile)) if ontology is not None else Ontology()
    with building(Path(out)) as folder:
        work = folder / "work"
        work.mkdir()
        draft = Draft(folder)
        if tables:
            progress("reading tables", 0, None)
            files += [Source(facts, None) for facts in write_triples(tables, work)]
        batches = read_batches(files, work, batch, skipped if lenient else None, progress)
        known = dict(profile.prefixes)
        declared = tuple((name, space) for name, space in batches.prefixes.items() if name not in known)
        profile = dataclasses.replace(profile, prefixes=(*profile.prefixes, *declared))
        dictionary = merge(batches, draft, progress)
        order = arrange(batches, dictionary, progress)
        with ThreadPoolExecutor(1) as aside:
            others = [aside.submit(write_lookup, batches, dictionary, draft)]
            if order is not None:
                others.append(aside.submit(rewrite_names, order, draft))
            facts = write_facts(batches, dictionary, draft, progress)
            for other in others:
                other.result()
        shutil.rmtree(work)
        schema = _derive(batches, dictionary, facts, profile, told, draft, progress)
        _write_schema(schema, folder)
        manifest = draft.manifest(
            profile=profile.to_json(),
            counts={
                "facts": len(draft.load("out.values")),
                "entities": dictionary.entities,
                "numbers": dictionary.numbers,
                "times": dictionary.times,
                "booleans": dictionary.booleans,
                "text": dictionary.text,
            },
            types=batches.types,
            spellings=batches.spellings,
        )
        progress("listing names for linking", 0, None)
        with Index(folder, manifest) as index:
            build_surfaces(folder, index)
        progress("sealing", 0, None)
        manifest = draft.seal(manifest)
    trust_built(Path(out), manifest)
    literals = dictionary.nodes - dictionary.entities
    return Report(
        manifest["counts"]["facts"],
        dictionary.entities,
        literals,
        len(schema.relations),
        len(schema.classes),
        skipped,
    )


def _derive(
    batches: Batches,
    dictionary: Dictionary,
    facts: Facts,
    profile: Profile,
    told: Ontology,
    draft: Draft,
    progress: Progress,
) -> Schema:
    """Everything that follows from the sorted facts."""
    iris, types = batches.predicates, batches.types
    ids = {iri: number for number, iri in enumerate(iris)}
    selection = Selection(profile)
    hidden = np.array([selection.hides(iri) for iri in iris], bool)
    write_lists(facts, dictionary, hidden, draft, progress)
    _write_degrees(facts, dictionary, draft)
    progress("describing the schema", 0, None)
    labels = write_labels(
        facts,
        dictionary,
        [ids[iri] for iri in profile.label if iri in ids],
        [ids[iri] for iri in profile.alias if iri in ids],
        language_tiers(types, profile.language),
        draft,
    )
    terms = open_terms(draft.load, types, {})

    def name_of(node: int) -> str:
        return terms.entities[node] if node < dictionary.entities else "_:literal"

    def label_of(iri: str) -> str | None:
        node = terms.find(Iri(iri))
        if node is None or labels[node] == dictionary.nodes:
            return None
        return terms.literals[int(labels[node]) - dictionary.entities]

    declared = read_declared(facts, ids, profile, name_of, told)
    members = read_pairs(facts, [ids[iri] for iri in profile.type if iri in ids])
    kept = members[1] < dictionary.entities
    members = (members[0][kept], members[1][kept])
    names = {node: terms.entities[node] for node in np.unique(members[1]).tolist()}
    names = {node: name for node, name in names.items() if not name.startswith("_:")}
    mentioned = [
        iri
        for iri in {*(declared.domains.get(r) for r in iris), *(declared.ranges.get(r) for r in iris)}
        if iri is not None and not iri.startswith("_:") and not selection.hides(iri)
    ]
    classes = find_classes(members, names, declared.parents, mentioned, profile.closed_classes)
    hidden_classes = np.array([selection.hides(iri) for iri in classes.iris], bool)
    write_classes(classes, hidden_classes, dictionary.entities, dictionary.nodes, draft)
    inputs = Inputs(facts, dictionary, iris, hidden, classes, hidden_classes, declared, profile, label_of)
    return describe(inputs, draft)


def _write_degrees(facts: Facts, dictionary: Dictionary, draft: Draft) -> None:
    degrees: Array = np.zeros(dictionary.nodes, np.int64)
    for way in ("out", "in"):
        for _, rows in facts.every(way):
            degrees[rows.keys] += rows.counts
    draft.save("degrees", degrees.astype(np.uint32 if degrees.max(initial=0) < 1 << 32 else np.int64))


def _write_schema(schema: Schema, folder: Path) -> None:
    relations = [
        [r.iri, r.label, r.facts, r.objects, sorted(r.kinds), r.domain, r.range, r.inverse, r.hidden]
        for r in schema.relations
    ]
    classes = [[c.iri, c.label, c.members, c.hidden] for c in schema.classes]
    pairs = list(schema.time_pairs.items())
    text = json.dumps({"relations": relations, "classes": classes, "time_pairs": pairs}, ensure_ascii=False)
    (folder / "schema.json").write_text(text, encoding="utf-8")
