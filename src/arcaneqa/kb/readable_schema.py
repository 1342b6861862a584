"""A schema as `arcaneqa info KB --json` prints it: by names instead of numbers, to be read, edited and handed
to an endpoint. What an index keeps for itself is `Schema.to_json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.selection import time_pairs
from arcaneqa.kb.short_names import Names


def written(schema: Schema, names: Names) -> dict[str, list[dict[str, Any]]]:
    """Relations and classes, the most used first."""
    class_names = [names.short(klass.iri) for klass in schema.classes]
    relation_names = [names.short(relation.iri) for relation in schema.relations]
    return {
        "relations": [
            {
                "name": relation_names[relation.id],
                "iri": relation.iri,
                "label": relation.label,
                "facts": relation.facts,
                "objects": relation.objects,
                "kinds": sorted(relation.kinds),
                "domain": None if relation.domain is None else class_names[relation.domain],
                "range": None if relation.range is None else class_names[relation.range],
                "inverse": None if relation.inverse is None else relation_names[relation.inverse],
                "hidden": relation.hidden,
                "is_identifier": relation.is_identifier,
                "domain_declared": relation.domain_declared,
                "range_declared": relation.range_declared,
                "other_domains": [class_names[klass] for klass in relation.other_domains],
            }
            for relation in sorted(schema.relations, key=lambda relation: -relation.facts)
        ],
        "classes": [
            {
                "name": class_names[klass.id],
                "iri": klass.iri,
                "label": klass.label,
                "members": klass.members,
                "hidden": klass.hidden,
                "text": klass.text,
            }
            for klass in sorted(schema.classes, key=lambda klass: -klass.members)
        ],
    }


def read(data: Mapping[str, Any], profile: Profile) -> Schema:
    """The schema that was written so. Of a relation `name`, `iri` and `kinds` are needed, of a class `name`
    and `iri`; what is named and not there was taken out."""
    class_ids = {item["name"]: number for number, item in enumerate(data["classes"])}
    relation_ids = {item["name"]: number for number, item in enumerate(data["relations"])}
    classes = [
        Class(
            id=number,
            iri=str(item["iri"]),
            label=item.get("label") or label_from_iri(item["iri"]),
            members=int(item.get("members", 0)),
            hidden=bool(item.get("hidden")),
            text=item.get("text"),
        )
        for number, item in enumerate(data["classes"])
    ]
    relations = [
        Relation(
            id=number,
            iri=str(item["iri"]),
            label=item.get("label") or label_from_iri(item["iri"]),
            facts=int(item.get("facts", 0)),
            objects=int(item.get("objects", 0)),
            kinds=frozenset(map(ValueKind, item["kinds"])),
            domain=class_ids.get(item.get("domain")),
            range=class_ids.get(item.get("range")),
            inverse=relation_ids.get(item.get("inverse")),
            hidden=bool(item.get("hidden")),
            is_identifier=bool(item.get("is_identifier")),
            domain_declared=bool(item.get("domain_declared")),
            range_declared=bool(item.get("range_declared")),
            other_domains=_known(item.get("other_domains", ()), class_ids),
        )
        for number, item in enumerate(data["relations"])
    ]
    times = {relation.iri: relation.id for relation in relations if ValueKind.TIME in relation.kinds}
    return Schema(relations, classes, time_pairs(profile, times))


def _known(names: Iterable[str], ids: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(ids[name] for name in names if name in ids)
