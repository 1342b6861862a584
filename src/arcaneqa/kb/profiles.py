"""The built-in profiles, Wikidata's two layouts among them, and which one a knowledge base needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arcaneqa.kb.profile import (
    FREEBASE,
    FREEBASE_PROFILE,
    RDF_PROFILE,
    RDFS,
    SCHEMA,
    SKOS,
    Profile,
    checked_fields,
    profile_from_json,
)
from arcaneqa.kb.terms import RDF
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import plain_json

# Wikidata's way to write facts: truthy ones, and full ones with statements that have qualifiers.


WIKIDATA = "http://www.wikidata.org/prop/"
_ENTITY = "http://www.wikidata.org/entity/"
_WIKIBASE = "http://wikiba.se/ontology#"

# Classes that nearly every extract has members of, and few extracts the labels of.
_CLASSES = {
    "human": "Q5",
    "country": "Q6256",
    "sovereign state": "Q3624078",
    "city": "Q515",
    "big city": "Q1549591",
    "capital city": "Q5119",
    "town": "Q3957",
    "village": "Q532",
    "human settlement": "Q486972",
    "continent": "Q5107",
    "chemical element": "Q11344",
    "chemical compound": "Q11173",
    "mountain": "Q8502",
    "mountain range": "Q46831",
    "volcano": "Q8072",
    "river": "Q4022",
    "lake": "Q23397",
    "island": "Q23442",
    "sea": "Q165",
    "ocean": "Q9430",
    "planet": "Q634",
    "star": "Q523",
    "asteroid": "Q3863",
    "taxon": "Q16521",
    "gene": "Q7187",
    "protein": "Q8054",
    "disease": "Q12136",
    "language": "Q34770",
    "film": "Q11424",
    "television series": "Q5398426",
    "video game": "Q7889",
    "album": "Q482994",
    "single": "Q134556",
    "song": "Q7366",
    "musical group": "Q215380",
    "record label": "Q18127",
    "book": "Q571",
    "literary work": "Q7725634",
    "written work": "Q47461344",
    "painting": "Q3305213",
    "scholarly article": "Q13442814",
    "scientific journal": "Q5633421",
    "university": "Q3918",
    "school": "Q3914",
    "business": "Q4830453",
    "company": "Q783794",
    "organization": "Q43229",
    "political party": "Q7278",
    "football club": "Q476028",
    "building": "Q41176",
    "museum": "Q33506",
    "church building": "Q16970",
    "railway station": "Q55488",
    "airport": "Q1248784",
    "bridge": "Q12280",
    "dam": "Q12323",
    "park": "Q22698",
    "road": "Q34442",
    "ship": "Q11446",
    "war": "Q198",
    "battle": "Q178561",
    "fictional character": "Q95074",
    "fictional human": "Q15632617",
    "family name": "Q101352",
    "given name": "Q202444",
    "US state": "Q35657",
}

WIKIDATA_PROFILE = dataclasses.replace(
    RDF_PROFILE,
    name="wikidata",
    type=(WIKIDATA + "direct/P31",),
    subclass=(WIKIDATA + "direct/P279",),
    inverse=(WIKIDATA + "direct/P1696",),
    prefixes=(
        *RDF_PROFILE.prefixes,
        ("p", WIKIDATA),
        ("ps", WIKIDATA + "statement/"),
        ("pq", WIKIDATA + "qualifier/"),
        ("wds", _ENTITY + "statement/"),
        ("wikibase", _WIKIBASE),
    ),
    hide=(
        *RDF_PROFILE.hide,
        "skos:*",
        "schema:*",
        "wikibase:*",
        "p:P31",
        "ps:P31",
        "p:P279",
        "ps:P279",
        # Values taken apart, normalised values, references and where they came from.
        *(f"<{WIKIDATA}{way}*" for way in ("direct-normalized/", "statement/value", "qualifier/value")),
        *(f"<{WIKIDATA}{way}*" for way in ("reference/", "novalue/")),
        "<http://www.wikidata.org/reference/*",
        "<http://creativecommons.org/*",
        "<http://www.opengis.net/*",
        "<http://wikiba.se/*",
        "cc:*",
        "prov:*",
    ),
    # Where the kind of a property is not among the facts, its label tells of an identifier elsewhere.
    hide_called=(
        "* ID",
        "* IDs",
        "* identifier",
        "* ID (*)",
        "* Id",
        "* Identifier",
        "*Commons*",
        "topic's main *",
        "*'s list of *",
    ),
    time_pairs=(("pq:P580*", "pq:P582*"), ("pq:P585*", ""), *RDF_PROFILE.time_pairs),
    typed_values=True,
    coded=True,
    describes=tuple(
        _WIKIBASE + name
        for name in ("directClaim", "claim", "statementProperty", "qualifier", "referenceValue")
    ),
    hide_described=tuple(
        (_WIKIBASE + "propertyType", _WIKIBASE + kind)
        for kind in ("ExternalId", "CommonsMedia", "Url", "GlobeCoordinate", "GeoShape", "TabularData")
    ),
    statements=tuple(WIKIDATA + way for way in ("", "statement/", "qualifier/", "direct/")),
    called=tuple((_ENTITY + item, label) for label, item in _CLASSES.items()),
)


# The built-in profiles, and which of them a knowledge base needs, by its facts.


_DBPEDIA = "http://dbpedia.org/"

DBPEDIA_PROFILE = dataclasses.replace(
    RDF_PROFILE,
    name="dbpedia",
    names=(*RDF_PROFILE.names, _DBPEDIA + "property/name"),
    alias=(*RDF_PROFILE.alias, _DBPEDIA + "ontology/alias"),
    prefixes=(
        *RDF_PROFILE.prefixes,
        ("yago", _DBPEDIA + "class/yago/"),
        ("dbc", _DBPEDIA + "resource/Category:"),
    ),
    hide=(
        *RDF_PROFILE.hide,
        "dbp:*caption",
        "dbp:image*",
        "dbo:thumbnail",
        "dbo:wiki*",
        "foaf:depiction",
        "foaf:homepage",
        # Classes of other collections, beside those of DBpedia's own ontology.
        "yago:*",
        "wd:*",
        "schema:*",
        "<http://www.ontologydesignpatterns.org/*",
        "<http://umbel.org/*",
    ),
    typed_values=True,
)

SCHEMA_ORG_PROFILE = dataclasses.replace(
    RDF_PROFILE,
    name="schema.org",
    names=(*RDF_PROFILE.names, SCHEMA + "headline", "https://schema.org/headline"),
    prefixes=(*RDF_PROFILE.prefixes, ("schemas", "https://schema.org/")),
    called=(
        *RDF_PROFILE.called,
        *(
            (space + name, words)
            for space in (SCHEMA, "https://schema.org/")
            for name, words in (
                ("addressLocality", "city"),
                ("addressRegion", "state or region"),
                ("addressCountry", "country"),
                ("additionalName", "middle name"),
            )
        ),
    ),
    hide=(
        *RDF_PROFILE.hide,
        *(
            f"{prefix}:{name}"
            for prefix in ("schema", "schemas")
            for name in (
                "image",
                "sameAs",
                "mainEntityOfPage",
                "thumbnailUrl",
                "contentUrl",
                "potentialAction",
            )
        ),
    ),
)

SKOS_PROFILE = dataclasses.replace(
    RDF_PROFILE,
    name="skos",
    label=(SKOS + "prefLabel", *(iri for iri in RDF_PROFILE.label if iri != SKOS + "prefLabel")),
    alias=(*RDF_PROFILE.alias, SKOS + "hiddenLabel"),
    # In a thesaurus the words are what people ask for: the French one.
    names=(*RDF_PROFILE.names, SKOS + "prefLabel"),
    called=(*RDF_PROFILE.called, (SKOS + "prefLabel", "preferred label")),
    hide=(*RDF_PROFILE.hide, "skos:*Match", "skos:changeNote", "skos:historyNote", "skos:editorialNote"),
)

COMMONS_PROFILE = dataclasses.replace(
    FREEBASE_PROFILE, name="freebase-commons", hide=(*FREEBASE_PROFILE.hide, "base.*", "user.*")
)
"""The vocabulary of GrailQA: what was curated, without what users made for themselves."""

BUILT_IN = {
    profile.name: profile
    for profile in (
        RDF_PROFILE,
        FREEBASE_PROFILE,
        COMMONS_PROFILE,
        WIKIDATA_PROFILE,
        DBPEDIA_PROFILE,
        SCHEMA_ORG_PROFILE,
        SKOS_PROFILE,
    )
}

_SIGNS = (
    ("freebase", (FREEBASE,), 0.5),
    ("wikidata", (WIKIDATA,), 0.1),
    ("dbpedia", (_DBPEDIA + "ontology/", _DBPEDIA + "property/"), 0.3),
    ("skos", (SKOS,), 0.5),
    ("schema.org", (SCHEMA, "https://schema.org/"), 0.5),
)
"""A profile, the predicates that tell of it, and what share of the facts must have them. Facts that only type
or label are not counted: they are alike everywhere."""


@dataclass(frozen=True)
class Choice:
    """A profile, and why it was taken."""

    profile: Profile
    why: str


def choose_profile(facts: Mapping[str, int]) -> Choice:
    """By the number of facts of each predicate."""
    told = {iri: count for iri, count in facts.items() if not iri.startswith((RDF, RDFS))}
    total = sum(told.values())
    for name, namespaces, least in _SIGNS:
        counts = {
            space: sum(count for iri, count in told.items() if iri.startswith(space)) for space in namespaces
        }
        if total and sum(counts.values()) >= least * total:
            share = f"{100 * sum(counts.values()) / total:.0f}% of the facts use"
            return Choice(BUILT_IN[name], f"{share} {max(counts, key=lambda space: counts[space])}")
    return Choice(RDF_PROFILE, "no other vocabulary is used throughout")


@dataclass(frozen=True)
class Wanted:
    """What a user asks for: a profile, or else the one the facts need; with some fields overruled, and with
    predicates that name before all others."""

    profile: Profile | None = None
    overruled: tuple[tuple[str, Any], ...] = ()
    labels: tuple[str, ...] = ()

    def settle(self, facts: Mapping[str, int]) -> Choice:
        choice = choose_profile(facts) if self.profile is None else Choice(self.profile, "it was asked for")
        profile = dataclasses.replace(choice.profile, **dict(self.overruled))
        for iri in self.labels:
            if iri not in facts:
                near = ", ".join(get_close_matches(iri, facts, 3, 0.4) or sorted(facts)[:3])
                raise InputError(f"No fact has the predicate “{iri}” that is given as a label; near: {near}.")
        if self.labels:
            profile = dataclasses.replace(
                profile, label=(*self.labels, *profile.label), names=(*profile.names, *self.labels)
            )
        return Choice(profile, choice.why)


def wanted_profile(name: str | Path | None) -> Wanted:
    """By the name of a built-in profile, or a JSON file. A file with the name of a built-in profile overrules
    a part of that one, a file without a name a part of the one that the facts need; any other is complete."""
    if name is None:
        return Wanted()
    if str(name) in BUILT_IN:
        return Wanted(BUILT_IN[str(name)])
    path = Path(name)
    try:
        data = plain_json(path)
    except FileNotFoundError:
        known = ", ".join(BUILT_IN)
        raise InputError(f"There is no profile “{name}”: give {known}, or the path of a JSON file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"The profile {path} cannot be read as JSON: {error}.") from None
    if not isinstance(data, dict) or ("name" in data and str(data["name"]) not in BUILT_IN):
        return Wanted(profile_from_json(data, str(path)))
    return Wanted(BUILT_IN.get(data.get("name", "")), tuple(checked_fields(data, str(path)).items()))


def load_profile(name: str | Path) -> Profile:
    """A built-in profile by name, or one from a JSON file, where there are no facts to ask."""
    return wanted_profile(name).settle({}).profile
