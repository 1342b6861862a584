"""What the predicates of a knowledge base mean: the only place that knows one vocabulary from another."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from arcaneqa.kb.terms import RDF, XSD
from arcaneqa.support.errors import InputError

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
SCHEMA = "http://schema.org/"
FOAF = "http://xmlns.com/foaf/0.1/"
DCT = "http://purl.org/dc/terms/"
FREEBASE = "http://rdf.freebase.com/ns/"

WELL_KNOWN: tuple[tuple[str, str], ...] = (
    ("rdf", RDF),
    ("rdfs", RDFS),
    ("xsd", XSD),
    ("owl", OWL),
    ("skos", SKOS),
    ("schema", SCHEMA),
    ("foaf", FOAF),
)


@dataclass(frozen=True)
class Profile:
    """What is built in is in `profiles`; any other is a JSON file with these fields.

    `label` predicates only name; `names` name too, and may be asked for like any attribute. `base` lets names
    under it be written without a prefix. `closed_classes` says whether the subclass closure is applied at
    build. `hide` and `only` are glob patterns over short names of schema items, `hide_called` over labels of
    relations. `now` is an ISO date, or None for today. `time_pairs` are glob patterns of a start and its end
    with one `*` that stands for the same text in both; an empty end marks a point in time.
    `constants` are glob patterns of relations whose objects a question implies without naming them,
    beside those found from the facts. `path_hops` (1 to 3) is how many relations a superlative may
    follow. `both_ways` says whether a relation and its declared inverse are both offered. `typed_values` says
    that plain text is text, even where it looks like a number or a date; `coded` that IRIs of schema items
    are codes, so that without a label nobody can ask for them. `describes` are predicates that lead from a
    thing that has the label of a relation to that relation, `hide_described` facts (predicate and object) of
    such things whose relations are hidden. `called` gives words to schema items that the facts do not label.
    `statements` are four namespaces, of relations to a statement, from it to its value, from it to what
    qualifies it, and straight to the value: statements that nothing qualifies are hidden.
    """

    name: str
    type: tuple[str, ...]
    label: tuple[str, ...]
    alias: tuple[str, ...]
    names: tuple[str, ...] = ()
    subclass: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    language: str = "en"
    closed_classes: bool = True
    hide: tuple[str, ...] = ()
    hide_called: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    now: str | None = None
    time_pairs: tuple[tuple[str, str], ...] = ()
    constants: tuple[str, ...] = ()
    path_hops: int = 2
    both_ways: bool = True
    typed_values: bool = False
    coded: bool = False
    describes: tuple[str, ...] = ()
    hide_described: tuple[tuple[str, str], ...] = ()
    called: tuple[tuple[str, str], ...] = ()
    statements: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in dataclasses.asdict(self).items() if value is not None}


_OTHER_NAMES = (
    SKOS + "altLabel",
    SCHEMA + "alternateName",
    "https://schema.org/alternateName",
    FOAF + "nick",
    DCT + "alternative",
    "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
)

RDF_PROFILE = Profile(
    name="rdf",
    type=(RDF + "type",),
    label=(RDFS + "label", SKOS + "prefLabel", SCHEMA + "name", "https://schema.org/name", FOAF + "name"),
    alias=_OTHER_NAMES,
    names=(
        DCT + "title",
        "http://purl.org/dc/elements/1.1/title",
        "http://www.geonames.org/ontology#name",
        "http://www.w3.org/2006/vcard/ns#fn",
        "http://purl.org/goodrelations/v1#name",
        "http://usefulinc.com/ns/doap#name",
        # What else something is called may be asked.
        *_OTHER_NAMES,
    ),
    subclass=(RDFS + "subClassOf",),
    inverse=(OWL + "inverseOf", SCHEMA + "inverseOf"),
    domain=(RDFS + "domain", SCHEMA + "domainIncludes"),
    range=(RDFS + "range", SCHEMA + "rangeIncludes"),
    prefixes=(
        ("dbo", "http://dbpedia.org/ontology/"),
        ("dbp", "http://dbpedia.org/property/"),
        ("dbr", "http://dbpedia.org/resource/"),
        ("dct", DCT),
        ("wd", "http://www.wikidata.org/entity/"),
        ("wdt", "http://www.wikidata.org/prop/direct/"),
    ),
    hide=(
        "rdf:*",
        "rdfs:*",
        "owl:*",
        "xsd:*",
        "skos:exactMatch",
        "skos:closeMatch",
        "skos:inScheme",
        "skos:hiddenLabel",
        "foaf:isPrimaryTopicOf",
        "foaf:primaryTopic",
        "dbo:wikiPage*",
        "dbo:abstract",
        "dbp:wikiPageUsesTemplate",
        "dct:subject",
        "<http://www.w3.org/ns/prov#*",
    ),
    called=(
        (RDFS + "subClassOf", "kind of"),
        (SKOS + "altLabel", "alternative name"),
        (FOAF + "nick", "nickname"),
        ("http://purl.obolibrary.org/obo/IAO_0000115", "definition"),
    ),
    time_pairs=(
        ("*startDate", "*endDate"),
        ("*StartDate", "*EndDate"),
        ("*start_date", "*end_date"),
        ("*startYear", "*endYear"),
        ("*StartYear", "*EndYear"),
        ("*:start", "*:end"),
        ("*:from", "*:to"),
        ("*:date", ""),
        ("*:year", ""),
    ),
)

FREEBASE_PROFILE = Profile(
    name="freebase",
    type=(FREEBASE + "type.object.type",),
    label=(FREEBASE + "type.object.name",),
    alias=(FREEBASE + "common.topic.alias",),
    base=FREEBASE,
    prefixes=(("ns", FREEBASE),),
    closed_classes=False,
    hide=(
        "type.*",
        "freebase.*",
        "common.topic.article",
        "common.topic.description",
        "common.topic.official_website",
        "common.topic.topic_equivalent_webpage",
        "common.topic.topical_webpage",
        "common.document.*",
        "common.notable_for.*",
        "kg.*",
        "rdf:*",
        "rdfs:*",
        "owl:*",
    ),
    typed_values=True,
    now="2015-08-10",
    time_pairs=(
        ("*.from", "*.to"),
        ("*.from_date", "*.to_date"),
        ("*.start_date", "*.end_date"),
        ("*.start", "*.end"),
        ("*.start_time", "*.end_time"),
        ("*.year", ""),
        ("*.date", ""),
    ),
)


def profile_from_json(data: object, source: str) -> Profile:
    """A complete profile."""
    checked = checked_fields(data, source)
    if missing := [key for key in ("name", "type", "label", "alias") if key not in checked]:
        raise InputError(f"{source}: the field {missing[0]!r} is missing.")
    return Profile(**checked)


def checked_fields(data: object, source: str) -> dict[str, Any]:
    """Check every field, so that a typing error in a profile is found here and not in a wrong answer."""
    if not isinstance(data, dict):
        raise InputError(f"{source}: a profile is a JSON object with the fields name, type, label, …")
    fields = {field.name: field for field in dataclasses.fields(Profile)}
    if unknown := sorted(set(data) - set(fields)):
        raise InputError(f"{source}: unknown field {unknown[0]!r}; a profile may have {', '.join(fields)}.")
    return {key: _checked(key, value, source) for key, value in data.items()}


def _checked(key: str, value: object, source: str) -> Any:
    if key in ("prefixes", "time_pairs", "hide_described", "called"):
        pairs = list(value.items()) if isinstance(value, dict) else value
        if not isinstance(pairs, (list, tuple)) or not all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            for pair in pairs
        ):
            raise InputError(f"{source}: {key!r} must be a list of pairs of strings.")
        return tuple((first, second) for first, second in pairs)
    if key == "path_hops":
        if value not in (1, 2, 3) or isinstance(value, bool):
            raise InputError(f"{source}: {key!r} must be 1, 2 or 3.")
        return value
    if key in ("closed_classes", "both_ways", "typed_values", "coded"):
        if not isinstance(value, bool):
            raise InputError(f"{source}: {key!r} must be true or false.")
        return value
    if key in ("name", "language", "base", "now"):
        if not isinstance(value, str) and not (value is None and key in ("base", "now")):
            raise InputError(f"{source}: {key!r} must be a string.")
        return value
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{source}: {key!r} must be a list of strings.")
    if key == "statements" and len(value) not in (0, 4):
        raise InputError(f"{source}: {key!r} must have four namespaces.")
    return tuple(value)
