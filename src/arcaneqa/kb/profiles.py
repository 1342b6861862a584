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

_PROPERTIES = {
    "country": 17,
    "place of birth": 19,
    "place of death": 20,
    "sex or gender": 21,
    "father": 22,
    "mother": 25,
    "spouse": 26,
    "country of citizenship": 27,
    "continent": 30,
    "head of state": 35,
    "capital": 36,
    "official language": 37,
    "currency": 38,
    "position held": 39,
    "child": 40,
    "shares border with": 47,
    "author": 50,
    "member of sports team": 54,
    "director": 57,
    "screenwriter": 58,
    "educated at": 69,
    "architect": 84,
    "composer": 86,
    "member of political party": 102,
    "occupation": 106,
    "employer": 108,
    "founded by": 112,
    "owned by": 127,
    "located in the administrative territory": 131,
    "participant in": 1344,
    "genre": 136,
    "named after": 138,
    "religion": 140,
    "cast member": 161,
    "producer": 162,
    "award received": 166,
    "creator": 170,
    "parent taxon": 171,
    "performer": 175,
    "manufacturer": 176,
    "developer": 178,
    "made from material": 186,
    "location of discovery": 189,
    "mouth of the watercourse": 403,
    "residence": 551,
    "date of birth": 569,
    "date of death": 570,
    "inception": 571,
    "publication date": 577,
    "time of discovery or invention": 575,
    "coordinate location": 625,
    "participant": 710,
    "population": 1082,
    "start time": 580,
    "end time": 582,
    "point in time": 585,
    "discoverer or inventor": 61,
    "notable work": 800,
    "nominated for": 1411,
    "doctoral advisor": 184,
    "influenced by": 737,
    "instrument": 1303,
    "record label": 264,
    "publisher": 123,
    "language of work or name": 407,
    "part of": 361,
    "has part": 527,
    "headquarters location": 159,
    "chief executive officer": 169,
    "head of government": 6,
    "subsidiary": 355,
    "industry": 452,
    "sport": 641,
    "league": 118,
    "elevation above sea level": 2044,
    "area": 2046,
    "length": 2043,
    "height": 2048,
    "mass": 2067,
    "duration": 2047,
    "atomic number": 1086,
    "chemical formula": 274,
    "mountain range": 4552,
    "located in or next to body of water": 206,
    "lake inflows": 200,
    "life expectancy": 2250,
    "number of employees": 1128,
    "sibling": 3373,
    "conflict": 607,
    "native language": 103,
    "cause of death": 509,
    "place of burial": 119,
    "anthem": 85,
    "highest point": 610,
}
"""Properties, by number, that nearly every extract uses, and few extracts hold the labels of."""

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
    called=(
        *((_ENTITY + item, label) for label, item in _CLASSES.items()),
        *((f"{WIKIDATA}direct/P{number}", label) for label, number in _PROPERTIES.items()),
    ),
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
class ChosenProfile:
    """A profile, and why it was taken."""

    profile: Profile
    why: str


def choose_profile(facts: Mapping[str, int]) -> ChosenProfile:
    """By the number of facts of each predicate."""
    told = {iri: count for iri, count in facts.items() if not iri.startswith((RDF, RDFS))}
    total = sum(told.values())
    for name, namespaces, least in _SIGNS:
        counts = {
            space: sum(count for iri, count in told.items() if iri.startswith(space)) for space in namespaces
        }
        if total and sum(counts.values()) >= least * total:
            share = f"{100 * sum(counts.values()) / total:.0f}% of the facts use"
            return ChosenProfile(BUILT_IN[name], f"{share} {max(counts, key=lambda space: counts[space])}")
    return ChosenProfile(RDF_PROFILE, "no other vocabulary is used throughout")


@dataclass(frozen=True)
class ProfileOptions:
    """What a user asks for: a profile, or else the one the facts need; with some fields overruled, and with
    predicates that name before all others. `why` says what speaks for the profile."""

    profile: Profile | None = None
    overruled: tuple[tuple[str, Any], ...] = ()
    labels: tuple[str, ...] = ()
    why: str = "it was asked for"

    def without(self, misread: Profile) -> ProfileOptions:
        """Plain RDF, for facts that a profile does not fit though they use its vocabulary."""
        plain = dataclasses.replace(
            RDF_PROFILE,
            type=tuple(dict.fromkeys((*RDF_PROFILE.type, *misread.type))),
            subclass=tuple(dict.fromkeys((*RDF_PROFILE.subclass, *misread.subclass))),
            called=misread.called,
        )
        why = f"read as {misread.name} nothing could be asked for"
        return dataclasses.replace(self, profile=plain, why=why)

    def settle(self, facts: Mapping[str, int]) -> ChosenProfile:
        choice = choose_profile(facts) if self.profile is None else ChosenProfile(self.profile, self.why)
        profile = dataclasses.replace(choice.profile, **dict(self.overruled))
        for iri in self.labels:
            if iri not in facts:
                near = ", ".join(get_close_matches(iri, facts, 3, 0.4) or sorted(facts)[:3])
                raise InputError(f"No fact has the predicate “{iri}” that is given as a label; near: {near}.")
        if self.labels:
            profile = dataclasses.replace(
                profile, label=(*self.labels, *profile.label), names=(*profile.names, *self.labels)
            )
        return ChosenProfile(profile, choice.why)


def wanted_profile(name: str | Path | None) -> ProfileOptions:
    """By the name of a built-in profile, or a JSON file. A file with the name of a built-in profile overrules
    a part of that one, a file without a name a part of the one that the facts need; any other is complete."""
    if name is None:
        return ProfileOptions()
    if str(name) in BUILT_IN:
        return ProfileOptions(BUILT_IN[str(name)])
    path = Path(name)
    try:
        data = plain_json(path)
    except FileNotFoundError:
        known = ", ".join(BUILT_IN)
        raise InputError(f"There is no profile “{name}”: give {known}, or the path of a JSON file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"The profile {path} cannot be read as JSON: {error}.") from None
    if not isinstance(data, dict) or ("name" in data and str(data["name"]) not in BUILT_IN):
        return ProfileOptions(profile_from_json(data, str(path)))
    return ProfileOptions(BUILT_IN.get(data.get("name", "")), tuple(checked_fields(data, str(path)).items()))


def load_profile(name: str | Path) -> Profile:
    """A built-in profile by name, or one from a JSON file, where there are no facts to ask."""
    return wanted_profile(name).settle({}).profile
