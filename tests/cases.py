"""The contract of `KnowledgeBase`: every implementation subclasses `KnowledgeBaseCases` and must pass.

A subclass says how to make a knowledge base from an N-Triples file; what is expected follows from the
small graph below, worked out by hand. Literals are in canonical form, because many servers change others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyoxigraph
import pytest

from arcaneqa.kb.interface import Comparison, KnowledgeBase, NodeSet, Step, Window
from arcaneqa.kb.profile import RDF_PROFILE, Profile
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, XSD_STRING, Iri, Literal, Term
from arcaneqa.kb.values import value_of
from tests.counting_cases import CountingCases

EX = "http://example.org/"
ALSO = "http://www.w3.org/2004/02/skos/core#altLabel"

GRAPH = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:City rdfs:subClassOf :Place ; rdfs:label "town"@en .
:Country rdfs:subClassOf :Place .
:Place a owl:Class .
:capital rdfs:domain :Country ; rdfs:range :City ; owl:inverseOf :capitalOf ; rdfs:label "has capital" .
:mayor rdfs:label "Bürgermeister"@de , "mayor"@en . :twin rdfs:label "Partnerstadt"@de .

:austria a :Country ; rdfs:label "Österreich"@de , "Austria"@en ; skos:altLabel "Republic of Austria"@en ;
  :capital :vienna ; :population 8950000 ; :founded "1918-11-12"^^xsd:date .
:hungary a :Country ; rdfs:label "Magyarország"@hu , "Hungary" ; :capital :budapest ;
  :population "9600000.5"^^xsd:double ; :founded "1000"^^xsd:gYear .
:norway a :Country ; :capital :oslo ; :population "5400000"^^xsd:decimal ;
  :founded "1905-06"^^xsd:gYearMonth .
:vienna a :City ; rdfs:label "Vienna"@en , "Wien"@de ; skos:altLabel "Wien"@de ; :mayor :ludwig ;
  :population 1900000 ; :twin :budapest ; :capitalOf :austria .
:budapest a :City ; rdfs:label "Budapest" ; :mayor :karacsony ; :population 1750000 ; :twin :vienna ;
  :elevation 102.5 .
:oslo a :City ; :population 700000 ; :elevation "23.5"^^xsd:float ; :note "a fjord"@en , "23" .
:bergen a :City ; :population 700000 ; :elevation "high"^^xsd:int .
:ludwig :term :t1 ; :born "1961-04-03-08:00"^^xsd:date ; :retired false .
:karacsony :term :t2 , :t3 ; :born "1975"^^xsd:gYear .
:t1 :from "2018-05-24"^^xsd:date .
:t2 :from "2014"^^xsd:gYear ; :to "2018"^^xsd:gYear .
:t3 :from "2019-10-13T08:00:00+02:00"^^xsd:dateTime .
:t4 :seats 100 .
[] a [] ; :twin :oslo .
"""

PAIRED = Profile(**{**RDF_PROFILE.__dict__, "time_pairs": (("*:from", "*:to"),), "prefixes": (("ex", EX),)})


def integer(value: int) -> Literal:
    return Literal(str(value), XSD + "integer")


def year(value: str) -> Literal:
    return Literal(value, XSD + "gYear")


def window(literal: Literal) -> Window:
    value = value_of(literal)
    assert isinstance(value, Window)
    return value


class KnowledgeBaseCases(CountingCases):
    @classmethod
    @abstractmethod
    def make_kb(cls, path: Path, profile: Profile) -> KnowledgeBase:
        """A knowledge base with the facts of an N-Triples file."""

    @pytest.fixture(scope="class")
    @classmethod
    def kb(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
        path = tmp_path_factory.mktemp("contract") / "graph.nt"
        quads = pyoxigraph.parse(GRAPH, format=pyoxigraph.RdfFormat.TURTLE)
        triples = (quad.triple for quad in quads)
        pyoxigraph.serialize(triples, str(path), format=pyoxigraph.RdfFormat.N_TRIPLES)
        with cls.make_kb(path, PAIRED) as kb:
            yield kb

    # Helpers ---------------------------------------------------------------------------------

    def relation(self, kb: KnowledgeBase, name: str) -> int:
        return kb.schema.relation_ids[EX + name]

    def nodes(self, kb: KnowledgeBase, *names: str | Literal) -> NodeSet:
        ids = []
        for name in names:
            node = kb.node(name if isinstance(name, Literal) else Iri(EX + name))
            assert node is not None, name
            ids.append(node)
        return kb.nodes(np.array(ids, np.int64))

    def names(self, kb: KnowledgeBase, nodes: NodeSet) -> list[str]:
        """IRIs without their namespace, lexical forms, "_" for blank nodes."""
        ids = nodes.ids
        assert ids.dtype == np.int64
        assert np.all(np.diff(ids) > 0)
        assert len(nodes) == len(ids)
        assert bool(nodes) == (len(ids) > 0)
        names = []
        for term in kb.terms(ids):
            match term:
                case Iri(value):
                    names.append(value.removeprefix(EX))
                case Literal(lexical):
                    names.append(lexical)
                case _:
                    names.append("_")
        return sorted(names)

    def relation_names(self, kb: KnowledgeBase, relations: Iterable[int]) -> list[str]:
        found = list(relations)
        assert found == sorted(set(found))
        return sorted(kb.schema.relations[relation].iri.removeprefix(EX) for relation in found)

    def class_names(self, kb: KnowledgeBase, classes: Iterable[int]) -> list[str]:
        return sorted(kb.schema.classes[klass].iri.removeprefix(EX) for klass in classes)

    # Schema ----------------------------------------------------------------------------------

    def described(self, kb: KnowledgeBase, name: str) -> Relation:
        return kb.schema.relations[self.relation(kb, name)]

    def test_ids_are_positions(self, kb: KnowledgeBase) -> None:
        assert [relation.id for relation in kb.schema.relations] == list(range(len(kb.schema.relations)))
        assert [klass.id for klass in kb.schema.classes] == list(range(len(kb.schema.classes)))

    def test_declared_domain_range_and_inverse(self, kb: KnowledgeBase) -> None:
        capital = self.described(kb, "capital")
        assert capital.domain is not None
        assert capital.range is not None
        assert self.class_names(kb, [capital.domain, capital.range]) == ["City", "Country"]
        assert capital.inverse == self.relation(kb, "capitalOf")
        assert self.described(kb, "capitalOf").inverse == capital.id
        assert (capital.facts, capital.objects) == (3, 3)

    def test_domain_is_inferred_from_the_facts(self, kb: KnowledgeBase) -> None:
        mayor = self.described(kb, "mayor")
        assert mayor.domain is not None
        assert self.class_names(kb, [mayor.domain]) == ["City"]
        assert mayor.range is None

    def test_labels_of_schema_items(self, kb: KnowledgeBase) -> None:
        assert self.described(kb, "capital").label == "has capital"
        assert self.described(kb, "mayor").label == "mayor"
        assert self.described(kb, "twin").label == "twin", "an IRI in words, and a label in another language"
        assert self.described(kb, "capitalOf").label == "capital of"
        classes = {klass.iri: klass for klass in kb.schema.classes}
        assert classes[EX + "City"].label == "town"
        assert classes[EX + "Country"].label == "country"
        assert classes[EX + "Place"].members == 7
        assert classes[EX + "City"].members == 4

    def test_kinds_of_values(self, kb: KnowledgeBase) -> None:
        assert self.described(kb, "mayor").kinds == {ValueKind.ENTITY}
        assert self.described(kb, "population").kinds == {ValueKind.NUMBER}
        assert self.described(kb, "founded").kinds == {ValueKind.TIME}
        assert self.described(kb, "note").kinds == {ValueKind.TEXT}
        assert self.described(kb, "retired").kinds == {ValueKind.BOOLEAN}
        assert self.described(kb, "elevation").kinds == {ValueKind.NUMBER, ValueKind.TEXT}

    def test_schema_predicates_are_hidden(self, kb: KnowledgeBase) -> None:
        hidden = {relation.iri for relation in kb.schema.relations if relation.hidden}
        assert not any(iri.startswith(EX) for iri in hidden)
        others = {r.iri for r in kb.schema.relations if not r.hidden and not r.iri.startswith(EX)}
        assert others == {ALSO}  # what else something is called may be asked
        shown = {klass.iri for klass in kb.schema.classes if not klass.hidden}
        assert shown == {EX + "City", EX + "Country", EX + "Place"}

    def test_time_pairs(self, kb: KnowledgeBase) -> None:
        assert kb.schema.time_pairs == {self.relation(kb, "from"): self.relation(kb, "to")}

    # Names -----------------------------------------------------------------------------------

    def test_node_and_term_are_inverse(self, kb: KnowledgeBase) -> None:
        terms: list[Term] = [
            Iri(EX + "vienna"),
            integer(8950000),
            Literal("23", XSD_STRING),
            Literal("a fjord", RDF_LANG_STRING, "en"),
            Literal("high", XSD + "int"),
            Literal("1961-04-03-08:00", XSD + "date"),
        ]
        ids = [kb.node(term) for term in terms]
        assert None not in ids
        assert kb.terms(np.array(ids, np.int64)) == terms

    @pytest.mark.parametrize(
        "term",
        [
            Iri(EX + "atlantis"),
            integer(42),
            Literal("23", RDF_LANG_STRING, "en"),
            Literal("8950000", XSD + "decimal"),
            Literal("a fjord"),
        ],
    )
    def test_terms_the_facts_do_not_mention(self, kb: KnowledgeBase, term: Iri | Literal) -> None:
        assert kb.node(term) is None

    def test_labels(self, kb: KnowledgeBase) -> None:
        ids = [self.nodes(kb, name).ids[0] for name in ("austria", "hungary", "vienna", "norway")]
        assert kb.labels(np.array(ids)) == ["Austria", "Hungary", "Vienna", None]
        assert kb.labels(self.nodes(kb, integer(8950000)).ids) == ["8950000"]

    def test_aliases(self, kb: KnowledgeBase) -> None:
        assert kb.aliases(self.nodes(kb, "austria").ids) == [["Republic of Austria"]]
        assert kb.aliases(self.nodes(kb, "oslo").ids) == [[]]

    def test_are_literals(self, kb: KnowledgeBase) -> None:
        mixed = self.nodes(kb, "oslo", integer(100)).ids
        assert sorted(kb.are_literals(mixed).tolist()) == [False, True]

    def test_degrees(self, kb: KnowledgeBase) -> None:
        assert kb.degrees(self.nodes(kb, "t4").ids).tolist() == [1]
        assert kb.degrees(self.nodes(kb, "bergen").ids).tolist() == [3]
        assert kb.degrees(self.nodes(kb, "t2").ids).tolist() == [3]

    @pytest.mark.parametrize(
        ("literal", "lexicals"),
        [
            (Literal("5400000", XSD + "int"), ["5400000"]),
            (Literal("9600000.50", XSD + "decimal"), ["9600000.5"]),
            (Literal("23.50", XSD + "double"), ["23.5"]),
            (Literal("1961-04-03", XSD + "date"), ["1961-04-03-08:00"]),
            (Literal("2019-10-13T06:00:00Z", XSD + "dateTime"), ["2019-10-13T08:00:00+02:00"]),
            (Literal("2019-10-13", XSD + "date"), []),
            (Literal("0", XSD + "boolean"), ["false"]),
            (Literal("high", XSD + "int"), ["high"]),
            (Literal("a fjord", RDF_LANG_STRING, "en"), ["a fjord"]),
            (Literal("a fjord"), []),
        ],
    )
    def test_equal(self, kb: KnowledgeBase, literal: Literal, lexicals: list[str]) -> None:
        assert self.names(kb, kb.equal(literal)) == lexicals

    # Walking ---------------------------------------------------------------------------------

    def test_objects_and_subjects(self, kb: KnowledgeBase) -> None:
        term, twin = self.relation(kb, "term"), self.relation(kb, "twin")
        assert self.names(kb, kb.objects(term, self.nodes(kb, "karacsony", "ludwig", "oslo"))) == [
            "t1",
            "t2",
            "t3",
        ]
        assert self.names(kb, kb.subjects(term, self.nodes(kb, "t2"))) == ["karacsony"]
        assert self.names(kb, kb.subjects(twin, self.nodes(kb, "oslo"))) == ["_"]
        assert self.names(kb, kb.objects(term, self.nodes(kb, "oslo"))) == []
        assert self.names(kb, kb.walk(Step(twin, True), self.nodes(kb, "vienna"))) == ["budapest"]

    def test_subjects_match_literals_by_value(self, kb: KnowledgeBase) -> None:
        population = self.relation(kb, "population")
        assert self.names(kb, kb.subjects(population, self.nodes(kb, integer(700000)))) == [
            "bergen",
            "oslo",
        ]
        elevation = self.relation(kb, "elevation")
        same = kb.equal(Literal("23.5", XSD + "decimal"))
        assert self.names(kb, kb.subjects(elevation, same)) == ["oslo"]

    def test_hidden_relations_can_be_walked(self, kb: KnowledgeBase) -> None:
        label = kb.schema.relation_ids[RDF_PROFILE.label[0]]
        assert self.names(kb, kb.objects(label, self.nodes(kb, "austria"))) == ["Austria", "Österreich"]

    def test_members_follow_subclasses(self, kb: KnowledgeBase) -> None:
        cities = ["bergen", "budapest", "oslo", "vienna"]
        assert self.names(kb, kb.members(kb.schema.class_ids[EX + "City"])) == cities
        places = sorted([*cities, "austria", "hungary", "norway"])
        assert self.names(kb, kb.members(kb.schema.class_ids[EX + "Place"])) == places

    def test_values(self, kb: KnowledgeBase) -> None:
        term = self.relation(kb, "term")
        pairs = kb.values(term, self.nodes(kb, "karacsony", "ludwig"))
        assert np.all(np.lexsort((pairs.objects, pairs.subjects)) == np.arange(len(pairs.subjects)))
        found = {
            (subject, object_)
            for subject, object_ in zip(kb.terms(pairs.subjects), kb.terms(pairs.objects), strict=True)
        }
        assert found == {
            (Iri(EX + subject), Iri(EX + object_))
            for subject, object_ in (("ludwig", "t1"), ("karacsony", "t2"), ("karacsony", "t3"))
        }

    def test_empty_sets(self, kb: KnowledgeBase) -> None:
        nothing = kb.nodes(np.empty(0, np.int64))
        relation = self.relation(kb, "population")
        assert self.names(kb, kb.objects(relation, nothing)) == []
        assert self.names(kb, kb.subjects(relation, nothing)) == []
        assert list(kb.out_relations(nothing)) == []
        assert list(kb.in_relations(nothing)) == []
        assert list(kb.classes(nothing)) == []
        assert kb.steps_to_values(nothing) == []
        assert len(kb.values(relation, nothing).subjects) == 0
        assert self.names(kb, kb.extreme(nothing, [Step(relation)], True)) == []
        assert not kb.intersects(nothing, self.nodes(kb, "oslo"))

    def test_sets_are_sorted_and_distinct(self, kb: KnowledgeBase) -> None:
        ids = self.nodes(kb, "oslo", "vienna").ids
        again = kb.nodes(np.concatenate((ids[::-1], ids)))
        assert again.ids.tolist() == ids.tolist()

    # What touches a set ----------------------------------------------------------------------

    def test_relations_of_a_set(self, kb: KnowledgeBase) -> None:
        mixed = self.nodes(kb, "vienna", "t2")
        assert self.relation_names(kb, kb.out_relations(mixed)) == [
            "capitalOf",
            "from",
            ALSO,
            "mayor",
            "population",
            "to",
            "twin",
        ]
        assert self.relation_names(kb, kb.in_relations(mixed)) == ["capital", "term", "twin"]

    def test_relations_into_a_literal_go_by_value(self, kb: KnowledgeBase) -> None:
        assert self.relation_names(kb, kb.in_relations(self.nodes(kb, integer(700000)))) == ["population"]
        assert self.relation_names(kb, kb.in_relations(kb.equal(Literal("23.500", XSD + "decimal")))) == [
            "elevation"
        ]

    def test_classes_of_a_set(self, kb: KnowledgeBase) -> None:
        assert self.class_names(kb, kb.classes(self.nodes(kb, "vienna"))) == ["City", "Place"]
        assert self.class_names(kb, kb.classes(self.nodes(kb, "vienna", "norway"))) == [
            "City",
            "Country",
            "Place",
        ]
        assert self.class_names(kb, kb.classes(self.nodes(kb, "t1"))) == []

    def test_comparable_relations(self, kb: KnowledgeBase) -> None:
        some = self.nodes(kb, "austria", "bergen", "karacsony")
        assert self.relation_names(kb, kb.comparable_relations(some)) == ["born", "founded", "population"]

    def test_steps_to_values(self, kb: KnowledgeBase) -> None:
        def steps(*names: str) -> set[tuple[str, bool]]:
            found = kb.steps_to_values(self.nodes(kb, *names))
            assert found == sorted(set(found))
            return {(kb.schema.relations[step.relation].iri.removeprefix(EX), step.inverse) for step in found}

        assert steps("karacsony") == {("term", False), ("mayor", True)}
        assert steps("t4") == set()
        assert steps("bergen", "norway") == {("capital", False)}

    def test_relations_into_a_set(self, kb: KnowledgeBase) -> None:
        cities = self.nodes(kb, "vienna", "budapest", "oslo")
        ahead, back = kb.out_relations(cities), kb.in_relations(cities)
        target = self.nodes(kb, "ludwig", "austria", "norway")
        assert self.relation_names(kb, kb.relations_into(cities, ahead, target)) == ["capitalOf", "mayor"]
        assert self.relation_names(kb, kb.relations_into(cities, back, target, inverse=True)) == ["capital"]
        one = self.nodes(kb, "vienna")
        assert self.relation_names(kb, kb.relations_into(one, ahead, cities)) == ["twin"]

    def test_relations_that_tell_members_apart(self, kb: KnowledgeBase) -> None:
        mayors = self.nodes(kb, "ludwig", "karacsony")
        ahead, back = kb.out_relations(mayors), kb.in_relations(mayors)
        assert self.relation_names(kb, kb.relations_telling_apart(mayors, ahead)) == ["retired", "term"]
        assert self.relation_names(kb, kb.relations_telling_apart(mayors, back, inverse=True)) == []

    def test_relations_to_values(self, kb: KnowledgeBase) -> None:
        mayors = self.nodes(kb, "ludwig", "karacsony")
        starts, heights = (np.array([self.relation(kb, name)]) for name in ("from", "elevation"))
        ahead, back = kb.out_relations(mayors), kb.in_relations(mayors)
        assert self.relation_names(kb, kb.relations_to_values(mayors, ahead, starts)) == ["term"]
        assert self.relation_names(kb, kb.relations_to_values(mayors, ahead, heights)) == []
        assert self.relation_names(kb, kb.relations_to_values(mayors, back, heights, True)) == ["mayor"]

    # Algebra ---------------------------------------------------------------------------------

    def test_algebra(self, kb: KnowledgeBase) -> None:
        left, right = self.nodes(kb, "oslo", "vienna", "t1"), self.nodes(kb, "vienna", "t1", "t2")
        assert self.names(kb, kb.intersection(left, right)) == ["t1", "vienna"]
        assert self.names(kb, kb.difference(left, right)) == ["oslo"]
        assert kb.intersects(left, right)
        assert not kb.intersects(self.nodes(kb, "oslo"), right)
        assert self.names(kb, kb.intersection(self.nodes(kb, "oslo"), right)) == []

    # Order -----------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("comparison", "value", "expected"),
        [
            ("LT", integer(700000), []),
            ("LE", Literal("7e5", XSD + "double"), ["bergen", "oslo"]),
            ("GT", Literal("8950000.0", XSD + "decimal"), ["hungary"]),
            ("GE", integer(8950000), ["austria", "hungary"]),
            ("GE", year("1900"), []),
            ("GE", Literal("700000"), []),
            ("GT", Literal("high", XSD + "int"), []),
        ],
    )
    def test_numbers_compare(
        self, kb: KnowledgeBase, comparison: str, value: Literal, expected: list[str]
    ) -> None:
        found = kb.compare(Comparison(comparison), self.relation(kb, "population"), value)
        assert self.names(kb, found) == expected

    @pytest.mark.parametrize(
        ("comparison", "value", "expected"),
        [
            ("LT", year("1918"), ["hungary", "norway"]),
            ("LE", year("1918"), ["austria", "hungary", "norway"]),
            ("LT", year("1905"), ["hungary"]),
            ("LE", Literal("1905-06-15", XSD + "date"), ["hungary"]),
            ("GT", Literal("1905-06-15", XSD + "date"), ["austria"]),
            ("GE", Literal("1905-06", XSD + "gYearMonth"), ["austria", "norway"]),
            ("GT", Literal("1905-06", XSD + "gYearMonth"), ["austria"]),
            ("GE", Literal("1918-11-12T00:00:00Z", XSD + "dateTime"), ["austria"]),
            ("GT", Literal("1918-11-12T00:00:00Z", XSD + "dateTime"), []),
            ("LT", integer(3000), []),
            ("LT", year("-0500"), []),
            ("GT", year("-0500"), ["austria", "hungary", "norway"]),
        ],
    )
    def test_times_compare_as_stretches(
        self, kb: KnowledgeBase, comparison: str, value: Literal, expected: list[str]
    ) -> None:
        found = kb.compare(Comparison(comparison), self.relation(kb, "founded"), value)
        assert self.names(kb, found) == expected

    @pytest.mark.parametrize(
        ("comparison", "value", "expected"),
        [
            ("LT", integer(100), ["elevation"]),
            ("LE", integer(100), ["elevation", "seats"]),
            ("GT", integer(200), ["population"]),
            ("LT", year("1000"), []),
            ("LE", year("1000"), ["founded"]),
            ("GT", year("2018"), ["from"]),
            ("GE", year("2018"), ["from", "to"]),
            ("LT", Literal("text"), []),
        ],
    )
    def test_relations_that_compare(
        self, kb: KnowledgeBase, comparison: str, value: Literal, expected: list[str]
    ) -> None:
        assert self.relation_names(kb, kb.relations_comparing(Comparison(comparison), value)) == expected

    @pytest.mark.parametrize(
        ("members", "path", "largest", "expected"),
        [
            (["austria", "hungary", "norway"], ["population"], True, ["hungary"]),
            (["oslo", "bergen", "vienna"], ["population"], False, ["bergen", "oslo"]),
            (["austria", "hungary", "norway"], ["founded"], False, ["hungary"]),
            (["austria", "hungary", "norway"], ["capital", "population"], True, ["austria"]),
            (["austria", "hungary", "norway"], ["capital", "elevation"], False, ["norway"]),
            (["vienna", "budapest"], ["mayor", "term", "from"], True, ["budapest"]),
            (["ludwig", "karacsony"], ["mayor_inv", "population"], False, ["karacsony"]),
            (["bergen"], ["elevation"], True, []),
            (["oslo"], ["note"], True, []),
        ],
    )
    def test_extremes(
        self, kb: KnowledgeBase, members: list[str], path: list[str], largest: bool, expected: list[str]
    ) -> None:
        steps = [Step(self.relation(kb, name.removesuffix("_inv")), name.endswith("_inv")) for name in path]
        assert self.names(kb, kb.extreme(self.nodes(kb, *members), steps, largest)) == expected

    @pytest.mark.parametrize(
        ("when", "expected"),
        [
            (year("2013"), ["t4"]),
            (year("2016"), ["t2", "t4"]),
            (year("2018"), ["t1", "t2", "t4"]),
            (Literal("2018-05-23", XSD + "date"), ["t2", "t4"]),
            (Literal("2018-05-24", XSD + "date"), ["t1", "t2", "t4"]),
            (Literal("2019-10-13T06:00:00Z", XSD + "dateTime"), ["t1", "t3", "t4"]),
            (Literal("2019-10-13T05:59:59Z", XSD + "dateTime"), ["t1", "t4"]),
        ],
    )
    def test_valid_during(self, kb: KnowledgeBase, when: Literal, expected: list[str]) -> None:
        start, end = self.relation(kb, "from"), self.relation(kb, "to")
        terms = self.nodes(kb, "t1", "t2", "t3", "t4")
        assert self.names(kb, kb.valid_during(terms, start, end, window(when))) == expected

    def test_valid_at_a_point(self, kb: KnowledgeBase) -> None:
        start = self.relation(kb, "from")
        terms = self.nodes(kb, "t1", "t2", "t3", "t4")
        assert self.names(kb, kb.valid_during(terms, start, None, window(year("2014")))) == ["t2", "t4"]
