"""The built-in profiles, and which of them a knowledge base needs, by its facts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arcaneqa.errors import InputError
from arcaneqa.files import plain_json
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
from arcaneqa.kb.wikidata import WIKIDATA, WIKIDATA_PROFILE

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
