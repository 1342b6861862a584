"""Wikidata's way to write facts: truthy ones, and full ones with statements that have qualifiers."""

from __future__ import annotations

import dataclasses

from arcaneqa.kb.profile import RDF_PROFILE

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
