"""Names go to IRIs and back; profiles survive their JSON and refuse what is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.names.words import label_from_iri, words
from arcaneqa.kb.profile import FREEBASE, FREEBASE_PROFILE, RDF_PROFILE, Profile
from arcaneqa.kb.profiles import BUILT_IN, load_profile
from arcaneqa.kb.schema import Selection, time_pairs
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Blank, Iri
from arcaneqa.support.errors import InputError

LOCALS = st.text(st.characters(exclude_characters='<>"{}|^`\\ ', exclude_categories=("Cc", "Cs", "Zs")))


@given(
    st.sampled_from(list(BUILT_IN.values())), st.sampled_from([FREEBASE, XSD, "http://x.example/"]), LOCALS
)
def test_every_iri_survives_its_short_name(profile: Profile, space: str, local: str) -> None:
    names = Names(profile)
    assert names.expand(names.short(space + local)) == space + local
    assert names.read(names.write(Iri(space + local))) == Iri(space + local)


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        (FREEBASE + "m.0abc", "m.0abc"),
        (FREEBASE + "people.person.gender", "people.person.gender"),
        (FREEBASE + "en", "ns:en"),
        (FREEBASE + "a.b_inv", f"<{FREEBASE}a.b_inv>"),
        (FREEBASE + "a.b(c", f"<{FREEBASE}a.b(c>"),
        (XSD + "date", "xsd:date"),
        ("http://x.example/y", "<http://x.example/y>"),
    ],
)
def test_short_names(iri: str, name: str) -> None:
    assert Names(FREEBASE_PROFILE).short(iri) == name


def test_blank_nodes_and_bare_iris() -> None:
    names = Names(RDF_PROFILE)
    assert names.read(names.write(Blank("b1"))) == Blank("b1")
    assert names.expand("http://x.example/y") == "http://x.example/y"


@pytest.mark.parametrize("name", ["person", "nowhere:x", ""])
def test_names_without_a_meaning_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"<http://…>"):
        Names(RDF_PROFILE).expand(name)


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=list(BUILT_IN))
def test_profiles_survive_json(tmp_path: Path, profile: Profile) -> None:
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(profile.to_json()), encoding="utf-8")
    assert load_profile(path) == profile
    assert load_profile(profile.name) == profile


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ("[]", "JSON object"),
        ("{", "JSON"),
        ('{"name": "x", "type": [], "label": []}', "'alias' is missing"),
        ('{"name": "x", "type": "t", "label": [], "alias": []}', "'type' must be a list"),
        ('{"name": "x", "type": [], "label": [], "alias": [], "lable": []}', "unknown field 'lable'"),
        ('{"name": 1, "type": [], "label": [], "alias": []}', "'name' must be a string"),
        ('{"name": "x", "type": [], "label": [], "alias": [], "prefixes": ["a"]}', "pairs of strings"),
        ('{"name": "x", "type": [], "label": [], "alias": [], "closed_classes": 1}', "true or false"),
    ],
)
def test_bad_profiles_are_refused(tmp_path: Path, data: str, complaint: str) -> None:
    path = tmp_path / "profile.json"
    path.write_text(data, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        load_profile(path)


def test_unknown_profile() -> None:
    with pytest.raises(InputError, match="rdf, freebase, freebase-commons, wikidata"):
        load_profile("yago")


def test_hiding() -> None:
    selection = Selection(RDF_PROFILE)
    assert selection.hides("http://www.w3.org/2002/07/owl#sameAs")
    assert selection.hides("http://dbpedia.org/ontology/wikiPageID")
    assert selection.hides(RDF_PROFILE.label[0])
    assert not selection.hides("http://dbpedia.org/ontology/birthPlace")
    only = Selection(Profile("x", (), (), (), base=FREEBASE, only=("people.*",)))
    assert only.hides(FREEBASE + "film.film")
    assert not only.hides(FREEBASE + "people.person")


def test_time_pairs() -> None:
    relations = {FREEBASE + name: place for place, name in enumerate(["a.from", "a.to", "b.from", "c.year"])}
    assert time_pairs(FREEBASE_PROFILE, relations) == {0: 1, 3: None}


def test_words() -> None:
    assert words("people.person.date_of_birth") == "people person date of birth"
    assert words("birthPlace") == "birth place"
    assert label_from_iri("http://x.example/NBATeam/") == "nba team"
    assert label_from_iri("http://x.example/") == "x example"
    assert label_from_iri("urn:thing:Big-Dog") == "big dog"
