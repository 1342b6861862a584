"""Names, types and identifiers found from the facts alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arcaneqa.induction.vocabulary import domain_words
from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.name_attributes import Worth, read_as_names, worth
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Step
from arcaneqa.kb.names.name_forms import key, split
from arcaneqa.kb.profiles import ProfileOptions, choose_profile, wanted_profile
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import InputError

EX = "http://shop.example/"
PREFIXES = f"@prefix : <{EX}> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
CITIES = ["Oslo", "Bergen", "Trondheim", "Tromsø", "Bodø", "Molde"]


def build(folder: Path, turtle: str, wanted: ProfileOptions | None = None) -> Index:
    (folder / "facts.ttl").write_text(PREFIXES + turtle, encoding="utf-8")
    build_index([folder / "facts.ttl"], folder / "index", profile=wanted)
    return Index(folder / "index")


def label(kb: Index, name: str) -> str | None:
    node = kb.node(Iri(EX + name))
    assert node is not None
    return kb.labels(np.array([node]))[0]


def test_a_name_attribute_names_and_stays_an_attribute(tmp_path: Path) -> None:
    rows = [
        f':p{n} a :Product ; :productName "  {city}  Cheese " ; :city "Oslo" ; :productId {n} .'
        for n, city in enumerate(CITIES)
    ]
    kb = build(tmp_path, "\n".join(rows))
    assert label(kb, "p1") == "Bergen Cheese"
    relation = kb.schema.relations[kb.schema.relation_ids[EX + "productName"]]
    assert not relation.hidden


def test_first_and_last_names_are_joined_and_either_may_be_missing(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        ':a a :Person ; :first_name "Ada" ; :last_name "Lovelace" .\n'
        ':b a :Person ; :first_name "Mary" ; :last_name "Shelley" .\n'
        ':c a :Person ; :first_name "Emmy" ; :last_name "Noether" .\n'
        ':d a :Person ; :first_name "Hypatia" .\n:e a :Person ; :last_name "Curie" .',
    )
    assert [label(kb, name) for name in "abcde"] == [
        "Ada Lovelace",
        "Mary Shelley",
        "Emmy Noether",
        "Hypatia",
        "Curie",
    ]


def test_things_without_a_class_may_be_named_in_several_ways(tmp_path: Path) -> None:
    titles = ("Glass Rivers", "Salt and Ember", "Harbour of Crows", "Lanterns at Noon", "On Walking Slowly")
    books = "".join(
        f':b{n} :bookTitle "{title}" ; :writtenBy :a{n % 2} .\n' for n, title in enumerate(titles)
    )
    kb = build(
        tmp_path,
        f"{books}"
        ':a0 :first_name "Ada" ; :last_name "Lovelace" ; :born 1815 .\n'
        ':a1 :first_name "Mary" ; :last_name "Shelley" ; :born 1797 .',
    )
    assert label(kb, "b2") == "Harbour of Crows"
    assert label(kb, "a1") == "Mary Shelley"


def test_known_predicates_come_first_and_a_given_one_before_them(tmp_path: Path) -> None:
    rows = [
        f':x{n} a :City ; rdfs:label "{city}" ; :cityName "old {city}" .' for n, city in enumerate(CITIES)
    ]
    assert label(build(tmp_path, "\n".join(rows)), "x0") == "Oslo"
    (tmp_path / "given").mkdir()
    kb = build(tmp_path / "given", "\n".join(rows), ProfileOptions(labels=(EX + "cityName",)))
    assert label(kb, "x0") == "old Oslo"
    assert not kb.schema.relations[kb.schema.relation_ids[EX + "cityName"]].hidden


def test_a_label_that_no_fact_has_is_refused_with_what_is_near(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No fact has the predicate “.*citiName”.*near: .*cityName"):
        build(tmp_path, ':x a :City ; :cityName "Oslo" .', ProfileOptions(labels=(EX + "citiName",)))


def test_a_designation_of_the_class_comes_before_a_text_about_something_else(tmp_path: Path) -> None:
    rows = [f':v{n} a :Volume ; :song "{city} by Night" ; :ref {n}' for n, city in enumerate(CITIES)]
    kb = build(tmp_path, "\n".join(f'{row} ; :volumeIssue "45:{n}-{n + 1}" .' for n, row in enumerate(rows)))
    assert label(kb, "v1") == "45:1-2"
    (tmp_path / "without").mkdir()
    assert (
        label(build(tmp_path / "without", "\n".join(f"{row} ." for row in rows)), "v1") == "Bergen by Night"
    )


def test_what_repeats_or_is_a_code_names_nothing(tmp_path: Path) -> None:
    rows = [f':o{n} a :Order ; :shipName "{CITIES[n % 2]}" ; :ref "X{n}-{n}" .' for n in range(8)]
    kb = build(tmp_path, "\n".join(rows))
    assert label(kb, "o1") is None


@pytest.mark.parametrize(
    ("attribute", "klass", "expected"),
    [
        ("product name", "product", Worth.ITS_NAME),
        ("name", "product", Worth.NAME),
        ("device", "device", Worth.ITS_KIND),
        ("company name", "customer", Worth.NAME_OF_A_PART),
        ("contact name", "customer", Worth.NAME_OF_OTHERS),
        ("username", "person", Worth.NEVER),
        ("exhibition theme", "exhibition", Worth.NEVER),
        ("student names", "students", Worth.ITS_NAME),
        ("name common", "country", Worth.USUAL_NAME),
        ("name suffix", "country", Worth.UNIQUE_TEXT),
        ("identifier", "move", Worth.SLUG),
        ("city", "cities", Worth.ITS_KIND),
        ("city", "customers", Worth.NEVER),
        ("code", "codes", Worth.NEVER),
        ("display name", "food", Worth.ITS_NAME),
        ("display unit name", "food", Worth.NAME_OF_A_PART),
        ("name of covered entity", "breach", Worth.NAME_OF_A_PART),
        ("name of the film", "films", Worth.ITS_NAME),
        ("name of author", "book", Worth.NAME_OF_OTHERS),
    ],
)
def test_words_of_names(attribute: str, klass: str, expected: Worth) -> None:
    assert worth(attribute, klass, frozenset()) is expected


def test_texts_of_names() -> None:
    assert read_as_names(["Blue Train", "Kind of Blue"], Worth.UNIQUE_TEXT)
    assert not read_as_names(["a@b.example", "c@d.example"], Worth.NAME)
    assert not read_as_names(["3 May 2001", "4 June 2002"], Worth.UNIQUE_TEXT)
    assert not read_as_names(["X-1", "Y-2"], Worth.UNIQUE_TEXT)


def test_an_identifier_in_words_names_where_nothing_else_does(tmp_path: Path) -> None:
    moves = ("karate-chop", "pound", "generation-iii", "water1", "v-create")
    rows = [f':{n} a :Move ; :identifier "{move}" ; :ref "TOY000{n}" .' for n, move in enumerate(moves)]
    assert label(build(tmp_path, "\n".join(rows)), "0") == "karate-chop"
    (tmp_path / "codes").mkdir()
    codes = [f':{n} a :Move ; :identifier "a{n}f-99b{n}-cafe{n}{n}" .' for n in range(5)]
    assert label(build(tmp_path / "codes", "\n".join(codes)), "0") is None


def test_an_article_is_called_by_its_description_rather_than_by_its_code(tmp_path: Path) -> None:
    rows = [
        f':{n} a :Product ; :sku "TOY0{n}" ; :desc "{city} Board Game" .' for n, city in enumerate(CITIES)
    ]
    assert label(build(tmp_path, "\n".join(rows)), "1") == "Bergen Board Game"


def test_parts_of_names_in_either_order(tmp_path: Path) -> None:
    rows = [f':{n} a :Person ; :nameFirst "Ann" ; :nameLast "{city}" .' for n, city in enumerate(CITIES)]
    assert label(build(tmp_path, "\n".join(rows)), "1") == "Ann Bergen"


def test_labels_as_machines_write_them_are_read_in_words(tmp_path: Path) -> None:
    kb = build(tmp_path, ':p rdfs:label "has_narrow_synonym" . :x a :City ; :p "y" .')
    assert kb.schema.relations[kb.schema.relation_ids[EX + "p"]].label == "has narrow synonym"


def test_identifiers_are_known_and_measures_are_not(tmp_path: Path) -> None:
    rows = [
        f":x{n} a :Thing ; :supplierID {n % 2} ; :rowNumber {n} ; :stuid {100 + n} ; :floorNumber {n % 3} ; "
        f":price {n}.5 ; :paid {n % 2} ."
        for n in range(6)
    ]
    relations = build(tmp_path, "\n".join(rows)).schema.relations
    found = {relation.iri.removeprefix(EX) for relation in relations if relation.is_identifier}
    assert found == {"supplierID", "rowNumber", "stuid"}


def test_declared_and_inferred_domains_are_told_apart(tmp_path: Path) -> None:
    kb = build(tmp_path, ":r rdfs:domain :A . :s rdfs:range :A . :x a :A ; :r 1 ; :s :x .")
    relations = {relation.iri.removeprefix(EX): relation for relation in kb.schema.relations}
    assert (relations["r"].domain_declared, relations["s"].domain_declared) == (True, False)
    assert (relations["s"].range_declared, relations["s"].domain) == (True, relations["r"].domain)


def test_owl_says_subclasses_in_other_words(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        ":Zin owl:equivalentClass [ owl:intersectionOf (:Wine [ owl:onProperty :p ]) ] .\n"
        ":Drink owl:unionOf (:Wine :Beer) .\n:w a :Zin . :b a :Beer .",
    )
    ids = kb.schema.class_ids
    sizes = {name: len(kb.members(ids[EX + name])) for name in ("Zin", "Wine", "Beer", "Drink")}
    assert sizes == {"Zin": 1, "Wine": 1, "Beer": 1, "Drink": 2}


def test_what_else_something_is_called_may_be_asked(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n"
        ':dan a :Person ; rdfs:label "Dan Connolly" ; foaf:nick "DanCon" ; :phone "12 34" .',
    )
    assert {relation.label for relation in kb.schema.relations if not relation.hidden} == {
        "nickname",
        "phone",
    }
    assert label(kb, "dan") == "Dan Connolly"


def test_schema_org_is_put_into_everyday_words(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        "@prefix schema: <https://schema.org/> .\n"
        ':lab schema:address [ schema:addressLocality "Oslo" ; schema:postalCode "0150" ] .',
    )
    shown = {relation.label for relation in kb.schema.relations if not relation.hidden}
    assert shown == {"address", "city", "postal code"}


WIKIDATA = "http://www.wikidata.org/"


def test_wikidata_is_recognised_and_put_into_words(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        f"@prefix wd: <{WIKIDATA}entity/> .\n@prefix wdt: <{WIKIDATA}prop/direct/> .\n"
        "@prefix wikibase: <http://wikiba.se/ontology#> .\n"
        'wd:P36 rdfs:label "capital"@en ; wikibase:directClaim wdt:P36 ; wikibase:propertyType '
        "wikibase:WikibaseItem .\n"
        'wd:P646 rdfs:label "Freebase thing"@en ; wikibase:directClaim wdt:P646 ; '
        "wikibase:propertyType wikibase:ExternalId .\n"
        'wd:Q31 rdfs:label "Belgien"@de, "Belgium"@en ; wdt:P31 wd:Q6256 ; wdt:P36 wd:Q239 ; '
        'wdt:P646 "/m/0" ; wdt:P9 "x" .\nwd:Q239 rdfs:label "Brussels"@en ; wdt:P31 wd:Q515 .',
    )
    assert kb.profile.name == "wikidata"
    shown = {relation.label for relation in kb.schema.relations if not relation.hidden}
    assert shown == {"capital"}
    assert {klass.label for klass in kb.schema.classes if klass.members} == {"country", "city"}
    assert WIKIDATA + "entity/P36" not in {
        term.value for term in kb.terms(kb.entities()) if isinstance(term, Iri)
    }


@pytest.mark.parametrize(
    ("predicate", "name"),
    [
        ("http://rdf.freebase.com/ns/a.b", "freebase"),
        ("http://dbpedia.org/ontology/a", "dbpedia"),
        ("https://schema.org/a", "schema.org"),
        ("http://www.w3.org/2004/02/skos/core#broader", "skos"),
        ("http://example.org/a", "rdf"),
    ],
)
def test_profiles_are_chosen_by_the_facts(predicate: str, name: str) -> None:
    label_facts = {"http://www.w3.org/2000/01/rdf-schema#label": 1000}
    assert choose_profile({predicate: 10, **label_facts}).profile.name == name


def test_a_file_overrules_part_of_the_profile_that_the_facts_need(tmp_path: Path) -> None:
    (tmp_path / "part.json").write_text('{"language": "de"}', encoding="utf-8")
    settled = wanted_profile(tmp_path / "part.json").settle({"https://schema.org/a": 1})
    assert (settled.profile.name, settled.profile.language) == ("schema.org", "de")
    (tmp_path / "named.json").write_text('{"name": "skos", "language": "de"}', encoding="utf-8")
    settled = wanted_profile(tmp_path / "named.json").settle({"https://schema.org/a": 1})
    assert (settled.profile.name, settled.profile.language) == ("skos", "de")


def test_statements_of_wikidata_are_offered_where_something_qualifies_them(tmp_path: Path) -> None:
    spaces = {"wdt": "direct/", "p": "", "ps": "statement/", "pq": "qualifier/"}
    prefixes = "".join(f"@prefix {name}: <{WIKIDATA}prop/{way}> .\n" for name, way in spaces.items())
    roles = {"directClaim": "wdt", "claim": "p", "statementProperty": "ps", "qualifier": "pq"}
    labels = {"P39": "position held", "P19": "place of birth", "P580": "start time"}
    described = [
        f'wd:{name} rdfs:label "{label}"@en ; wikibase:{role} {prefix}:{name} .'
        for name, label in labels.items()
        for role, prefix in roles.items()
    ]
    kb = build(
        tmp_path,
        f"{prefixes}@prefix wd: <{WIKIDATA}entity/> .\n@prefix wikibase: <http://wikiba.se/ontology#> .\n"
        + "\n".join(described)
        + "\nwd:Q1 wdt:P31 wd:Q5 ; wdt:P39 wd:Q2 ; p:P39 wd:s1 ; wdt:P19 wd:Q60 ; p:P19 wd:s2 .\n"
        "wd:s1 a wikibase:Statement ; ps:P39 wd:Q2 ; pq:P580 2001 . wd:s2 ps:P19 wd:Q60 .",
    )
    shown = {r.iri.removeprefix(WIKIDATA + "prop/") for r in kb.schema.relations if not r.hidden}
    assert shown == {"direct/P39", "P39", "statement/P39", "qualifier/P580", "direct/P19"}
    names = {term.value.rpartition("/")[2] for term in kb.terms(kb.entities()) if isinstance(term, Iri)}
    assert "ontology#Statement" not in names
    assert {"Q1", "Q2", "Q60"} <= names


def test_an_ontology_without_instances_is_asked_about_its_classes(tmp_path: Path) -> None:
    classes = "".join(f":C{n} rdfs:subClassOf :Part . " for n in range(30)) + ":Axon rdfs:subClassOf :C1 . "
    relation = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    kb = build(tmp_path, classes)
    assert not kb.schema.relations[kb.schema.relation_ids[relation]].hidden
    assert kb.node(Iri(EX + "Axon")) in kb.entities()
    (tmp_path / "other").mkdir()
    kb = build(tmp_path / "other", classes + "".join(f":x{n} a :Axon . " for n in range(20)))
    assert kb.schema.relations[kb.schema.relation_ids[relation]].hidden


def test_a_relation_of_several_kinds_of_things_knows_all_of_them(tmp_path: Path) -> None:
    pupils = [f":p{n} a :Pupil ; :room {n % 3} ; :grade {n} ." for n in range(20)]
    teachers = [f":t{n} a :Teacher ; :room {n} ." for n in range(2)]
    schema = build(tmp_path, "\n".join(pupils + teachers)).schema
    known = {relation.iri: relation for relation in schema.relations}
    assert domain_words(known[EX + "room"], schema) == "pupil or teacher"
    assert domain_words(known[EX + "grade"], schema) == "pupil"


def register(folder: Path, entity: list[str], other: list[str]) -> Index:
    folder.mkdir()
    rows = [f':{n} a :Row ; :entity "{name}" ; :seller "{other[n]}" .' for n, name in enumerate(entity)]
    return build(folder, "\n".join(rows))


def test_the_only_names_of_a_register_label_its_rows_though_some_come_twice(tmp_path: Path) -> None:
    names = [f"{city} {kind}" for city in CITIES for kind in ("Clinic", "Dental", "Health", "Care", "Homes")]
    entities = [*names, *(f"North {name}" for name in names[:25]), *names[:5]]
    kinds = [f"Kind {n % 7}" for n in range(60)]
    assert label(register(tmp_path / "names", entities, kinds), "57") == entities[57]
    assert label(register(tmp_path / "kinds", kinds, kinds), "57") is None
    assert label(register(tmp_path / "two", entities, entities[::-1]), "57") is None
    assert label(register(tmp_path / "text", [name.lower() for name in entities], kinds), "57") is None


@pytest.mark.parametrize("blanks", ["b0 b1 b2 b3", "alpha beta gamma delta"])
def test_what_things_without_an_iri_are_called_in_a_file_decides_nothing(tmp_path: Path, blanks: str) -> None:
    facts = "".join(
        f'<{EX}p{n}> a <{EX}Person> ; <{EX}engagement> _:{blank} .\n_:{blank} <{EX}seat> "{seat}" .\n'
        for n, (blank, seat) in enumerate(
            zip(blanks.split(), ("first chair", "third chair", "second chair", "solo horn"), strict=True)
        )
    )
    (tmp_path / "seats.ttl").write_text(facts)
    build_index([tmp_path / "seats.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        engaged = kb.having(Step(kb.schema.relation_ids[f"{EX}engagement"], inverse=True)).ids
        assert kb.labels(engaged) == [None] * 4
        assert kb.diagnosis is not None
        assert kb.diagnosis.by_iri == 0


DEFINITION = "A pump moves water from the lower end of the canal to the upper."


def test_a_definition_is_no_name_and_a_code_is_heard_beside_one(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        f':Pump rdfs:comment "{DEFINITION}" .\n'
        f':SouthPump a :Pump ; rdfs:label "{DEFINITION}" ; :feeds :AHU-2 .\n'
        ':AHU-2 rdfs:label "Roof unit north" .',
    )
    pump, unit = (kb.node(Iri(f"{EX}{name}")) for name in ("SouthPump", "AHU-2"))
    assert kb.labels(np.array([pump, unit])) == [None, "Roof unit north"]
    surfaces = kb.surfaces()
    assert surfaces is not None
    for said, node in (("south pump", pump), ("ahu2", unit), ("roof unit north", unit)):
        assert [hit.node for hit in surfaces.find([key(split(said))], 5)[0]] == [node]


@pytest.mark.parametrize(("space", "name"), [("prop/direct/P", "wikidata"), ("prop/direct/P99", "rdf")])
def test_a_profile_that_leaves_nothing_to_ask_gives_way(tmp_path: Path, space: str, name: str) -> None:
    """Direct facts without labels of their properties: usual ones have names, of others nothing is left."""
    facts = [
        f'wd:Q{number} rdfs:label "{city}" ; <{WIKIDATA}{space}17> wd:Q{number + 50} ; '
        f"<{WIKIDATA}{space}1082> {number + 7} ."
        for number, city in enumerate(CITIES)
    ]
    kb = build(tmp_path, f"@prefix wd: <{WIKIDATA}entity/> .\n" + "\n".join(facts))
    assert kb.profile.name == name
    shown = {relation.label for relation in kb.schema.shown_relations}
    assert shown == ({"country", "population"} if name == "wikidata" else {"p9917", "p991082"})
    assert kb.diagnosis is not None
    assert kb.diagnosis.things == len(CITIES)
