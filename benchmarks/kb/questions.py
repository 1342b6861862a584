"""Every question a knowledge base is asked, three times over: to the index, in SQL and in SPARQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison, NodeSet, Step, Tally, Totals
from arcaneqa.kb.terms import XSD, Iri, Literal
from benchmarks.kb.graph import OTHER_SET, RELATIONS, SET_RELATION, VALUED, klass, relation, set_object

FREQUENT = relation(0)
NUMBERS = relation(RELATIONS - VALUED)
DATES = relation(RELATIONS - 1)
KLASS = klass(0)
FEW = klass(250)
EDGE = Literal("12.5", XSD + "double")
ONE = Literal("100.5", XSD + "double")
DAY = Literal("1875-06-01", XSD + "date")
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_DOUBLE = f"<{XSD}double>"


@dataclass(frozen=True)
class Asked:
    """A set in hand: how the index, SQL and SPARQL know it."""

    size: int
    nodes: NodeSet
    pattern: str


@dataclass(frozen=True)
class Question:
    """`kind` says what the answer is made of: relations, classes, steps, nodes, pairs or yes/no."""

    name: str
    kind: str
    of_set: bool
    index: Callable[[Index, NodeSet], Any]
    sparql: str
    sql: str


def asked_sets(kb: Index, size: int, count: int) -> list[Asked]:
    found = []
    for number in range(count):
        object_ = set_object(size, number)
        node = kb.node(Iri(object_))
        assert node is not None
        nodes = kb.subjects(kb.schema.relation_ids[SET_RELATION], kb.nodes(np.array([node])))
        found.append(Asked(size, nodes, f"?s <{SET_RELATION}> <{object_}> ."))
    return found


def questions(kb: Index) -> list[Question]:
    ids = kb.schema.relation_ids
    frequent, numbers, dates = ids[FREQUENT], ids[NUMBERS], ids[DATES]
    group, few = kb.schema.class_ids[KLASS], kb.schema.class_ids[FEW]
    members = kb.members(group)
    belongs, other = ids[SET_RELATION], kb.node(Iri(OTHER_SET))
    assert other is not None
    others = kb.subjects(belongs, kb.nodes(np.array([other])))
    typed = f"?s {_TYPE} <{KLASS}> ."

    def best(path: str) -> str:
        most = f"{{{{ SELECT (MAX(?w) AS ?most) {{{{ {{inner}} ?t {path} ?w }}}} }}}}"
        return f"SELECT DISTINCT ?s {{{{ {{set}} ?s {path} ?v {most} FILTER(?v = ?most) }}}}"

    def most(aggregate: str, facts: str) -> str:
        """Members whose aggregate is the largest; sums in floating point are equal up to last digits."""

        def each(member: str, among: str, number: str) -> str:
            own = facts.replace("?s", member)
            return f"SELECT {member} ({aggregate} AS {number}) {{{{ {among} {own} }}}} GROUP BY {member}"

        best = f"SELECT (MAX(?m) AS ?most) {{{{ {{{{ {each('?t', '{inner}', '?m')} }}}} }}}}"
        own = each("?s", "{set}", "?n")
        return f"SELECT ?s {{{{ {{{{ {own} }}}} {{{{ {best} }}}} FILTER(?n > ?most - 0.000001) }}}}"

    return [
        Question(
            "outgoing relations",
            "relations",
            True,
            lambda kb, nodes: kb.out_relations(nodes),
            f"SELECT DISTINCT ?x {{{{ {{set}} ?s ?x ?o FILTER(?x != {_TYPE}) }}}}",
            "SELECT DISTINCT p FROM facts SEMI JOIN chosen ON facts.s = chosen.s "
            "UNION SELECT DISTINCT p FROM literals SEMI JOIN chosen ON literals.s = chosen.s",
        ),
        Question(
            "incoming relations",
            "relations",
            True,
            lambda kb, nodes: kb.in_relations(nodes),
            "SELECT DISTINCT ?x {{ {set} ?o ?x ?s }}",
            "SELECT DISTINCT p FROM facts SEMI JOIN chosen ON facts.o = chosen.s",
        ),
        Question(
            "classes",
            "classes",
            True,
            lambda kb, nodes: kb.classes(nodes),
            f"SELECT DISTINCT ?x {{{{ {{set}} ?s {_TYPE} ?x }}}}",
            "SELECT DISTINCT c FROM types SEMI JOIN chosen ON types.s = chosen.s",
        ),
        Question(
            "numeric and temporal relations",
            "relations",
            True,
            lambda kb, nodes: kb.comparable_relations(nodes),
            "SELECT DISTINCT ?x {{ {set} ?s ?x ?v FILTER(isLiteral(?v)) }}",
            "SELECT DISTINCT p FROM literals SEMI JOIN chosen ON literals.s = chosen.s",
        ),
        Question(
            "steps to numbers and times",
            "steps",
            True,
            lambda kb, nodes: kb.steps_to_values(nodes),
            'SELECT DISTINCT ?x ?way {{ {set} {{ ?s ?x ?y BIND("out" AS ?way) }} UNION '
            '{{ ?y ?x ?s BIND("in" AS ?way) }} ?y ?p ?v FILTER(isLiteral(?v)) }}',
            "WITH rich AS (SELECT DISTINCT s FROM literals) "
            "SELECT DISTINCT p, 'out' FROM facts SEMI JOIN chosen ON facts.s = chosen.s "
            "SEMI JOIN rich ON facts.o = rich.s UNION ALL "
            "SELECT DISTINCT p, 'in' FROM facts SEMI JOIN chosen ON facts.o = chosen.s "
            "SEMI JOIN rich ON facts.s = rich.s",
        ),
        Question(
            "join forwards",
            "nodes",
            True,
            lambda kb, nodes: kb.objects(frequent, nodes),
            f"SELECT DISTINCT ?x {{{{ {{set}} ?s <{FREQUENT}> ?x }}}}",
            f"SELECT DISTINCT o FROM facts SEMI JOIN chosen ON facts.s = chosen.s WHERE p = {frequent}",
        ),
        Question(
            "join backwards",
            "nodes",
            True,
            lambda kb, nodes: kb.subjects(frequent, nodes),
            f"SELECT DISTINCT ?x {{{{ {{set}} ?x <{FREQUENT}> ?s }}}}",
            f"SELECT DISTINCT s FROM facts SEMI JOIN chosen ON facts.o = chosen.s WHERE p = {frequent}",
        ),
        Question(
            "values",
            "pairs",
            True,
            lambda kb, nodes: kb.values(frequent, nodes),
            f"SELECT DISTINCT ?s ?x {{{{ {{set}} ?s <{FREQUENT}> ?x }}}}",
            f"SELECT facts.s, o FROM facts SEMI JOIN chosen ON facts.s = chosen.s WHERE p = {frequent}",
        ),
        Question(
            "intersection with a class",
            "nodes",
            True,
            lambda kb, nodes: kb.intersection(nodes, members),
            f"SELECT DISTINCT ?s {{{{ {{set}} {typed} }}}}",
            f"SELECT s FROM chosen SEMI JOIN (SELECT s FROM types WHERE c = {group}) USING (s)",
        ),
        Question(
            "is the intersection empty",
            "truth",
            True,
            lambda kb, nodes: kb.intersects(nodes, members),
            f"SELECT ?s {{{{ {{set}} {typed} }}}} LIMIT 1",
            f"SELECT EXISTS (SELECT 1 FROM chosen JOIN types USING (s) WHERE c = {group})",
        ),
        Question(
            "largest by a relation",
            "nodes",
            True,
            lambda kb, nodes: kb.extreme(nodes, [Step(numbers)], True),
            best(f"<{NUMBERS}>"),
            "WITH v AS (SELECT literals.s, number FROM literals SEMI JOIN chosen ON literals.s = chosen.s "
            f"WHERE p = {numbers}) SELECT DISTINCT s FROM v WHERE number = (SELECT max(number) FROM v)",
        ),
        Question(
            "largest by a path",
            "nodes",
            True,
            lambda kb, nodes: kb.extreme(nodes, [Step(frequent), Step(numbers)], True),
            best(f"<{FREQUENT}>/<{NUMBERS}>"),
            "WITH v AS (SELECT facts.s, number FROM facts SEMI JOIN chosen ON facts.s = chosen.s "
            f"JOIN literals ON literals.s = facts.o WHERE facts.p = {frequent} AND literals.p = {numbers}) "
            "SELECT DISTINCT s FROM v WHERE number = (SELECT max(number) FROM v)",
        ),
        Question(
            "most neighbours within a class",
            "nodes",
            True,
            lambda kb, nodes: _most(kb.tally(nodes, [Step(frequent)], members)),
            most("COUNT(DISTINCT ?x)", f"?s <{FREQUENT}> ?x . ?x {_TYPE} <{KLASS}>"),
            "WITH v AS (SELECT facts.s, count(DISTINCT o) AS n FROM facts "
            "SEMI JOIN chosen ON facts.s = chosen.s "
            f"SEMI JOIN (SELECT s FROM types WHERE c = {group}) t ON facts.o = t.s WHERE p = {frequent} "
            "GROUP BY facts.s) SELECT s FROM v WHERE n = (SELECT max(n) FROM v)",
        ),
        Question(
            "most neighbours within 300,000 others",
            "nodes",
            True,
            lambda kb, nodes: _most(kb.tally(nodes, [Step(frequent)], others)),
            most("COUNT(DISTINCT ?x)", f"?s <{FREQUENT}> ?x . ?x <{SET_RELATION}> <{OTHER_SET}>"),
            "WITH v AS (SELECT facts.s, count(DISTINCT o) AS n FROM facts "
            "SEMI JOIN chosen ON facts.s = chosen.s SEMI JOIN (SELECT s FROM facts "
            f"WHERE p = {belongs} AND o = {other}) t ON facts.o = t.s WHERE p = {frequent} "
            "GROUP BY facts.s) SELECT s FROM v WHERE n = (SELECT max(n) FROM v)",
        ),
        Question(
            "largest sum by a path",
            "nodes",
            True,
            lambda kb, nodes: _largest_sum(kb.totals(nodes, [Step(frequent), Step(numbers)])),
            most("SUM(?v)", f"?s <{FREQUENT}> ?x . ?x <{NUMBERS}> ?v"),
            "WITH v AS (SELECT facts.s, sum(number) AS n FROM facts SEMI JOIN chosen ON facts.s = chosen.s "
            f"JOIN literals ON literals.s = facts.o WHERE facts.p = {frequent} AND literals.p = {numbers} "
            "GROUP BY facts.s) SELECT s FROM v WHERE n > (SELECT max(n) FROM v) - 0.000001",
        ),
        Question(
            "members without a relation",
            "nodes",
            True,
            lambda kb, nodes: kb.difference(nodes, kb.having(Step(frequent))),
            f"SELECT DISTINCT ?s {{{{ {{set}} FILTER NOT EXISTS {{{{ ?s <{FREQUENT}> ?x }}}} }}}}",
            f"SELECT s FROM chosen ANTI JOIN (SELECT s FROM facts WHERE p = {frequent}) f USING (s)",
        ),
        Question(
            "join from a value",
            "nodes",
            False,
            lambda kb, _: kb.subjects(numbers, kb.equal(ONE)),
            f'SELECT DISTINCT ?x {{{{ ?x <{NUMBERS}> "{ONE.lexical}"^^{_DOUBLE} }}}}',
            f"SELECT DISTINCT s FROM literals WHERE p = {numbers} AND number = {ONE.lexical}",
        ),
        Question(
            "members of a class",
            "nodes",
            False,
            lambda kb, _: kb.members(few),
            f"SELECT DISTINCT ?x {{{{ ?x {_TYPE} <{FEW}> }}}}",
            f"SELECT s FROM types WHERE c = {few}",
        ),
        Question(
            "number below a value",
            "nodes",
            False,
            lambda kb, _: kb.compare(Comparison.LT, numbers, EDGE),
            f'SELECT DISTINCT ?x {{{{ ?x <{NUMBERS}> ?v FILTER(?v < "12.5"^^{_DOUBLE}) }}}}',
            f"SELECT DISTINCT s FROM literals WHERE p = {numbers} AND number < 12.5",
        ),
        Question(
            "date before a day",
            "nodes",
            False,
            lambda kb, _: kb.compare(Comparison.LT, dates, DAY),
            f'SELECT DISTINCT ?x {{{{ ?x <{DATES}> ?v FILTER(?v < "{DAY.lexical}"^^<{XSD}date>) }}}}',
            f"SELECT DISTINCT s FROM literals WHERE p = {dates} AND day < DATE '{DAY.lexical}'",
        ),
        Question(
            "relations with a number below a value",
            "relations",
            False,
            lambda kb, _: kb.relations_comparing(Comparison.LT, EDGE),
            "SELECT DISTINCT ?x {{ ?s ?x ?v "
            f'FILTER(datatype(?v) = {_DOUBLE} && ?v < "12.5"^^{_DOUBLE}) }}}}',
            "SELECT DISTINCT p FROM literals WHERE number < 12.5",
        ),
    ]


def _most(tally: Tally) -> NodeSet:
    return NodeSet(tally.nodes[tally.counts == tally.counts.max(initial=0)])


def _largest_sum(totals: Totals) -> NodeSet:
    return NodeSet(totals.nodes[totals.sums == totals.sums.max(initial=-np.inf)])


def sparql(question: Question, asked: Asked | None) -> str:
    if asked is None:
        return question.sparql.format()
    return question.sparql.format(set=asked.pattern, inner=asked.pattern.replace("?s", "?t"))


def answer_of(kb: Index, kind: str, answer: Any) -> frozenset[Any]:
    """An answer of the index in terms that other engines share."""
    match kind:
        case "relations":
            return frozenset(kb.schema.relations[each].iri for each in answer.tolist())
        case "classes":
            return frozenset(kb.schema.classes[each].iri for each in answer.tolist())
        case "pairs":
            subjects, objects = kb.terms(answer.subjects), kb.terms(answer.objects)
            pairs = zip(subjects, objects, strict=True)
            return frozenset((getattr(s, "value", ""), getattr(o, "value", "")) for s, o in pairs)
        case "truth":
            return frozenset([bool(answer)])
        case "steps":
            relations = kb.schema.relations
            return frozenset((relations[s.relation].iri, "in" if s.inverse else "out") for s in answer)
    return frozenset(getattr(term, "value", "") for term in kb.terms(answer.ids))
