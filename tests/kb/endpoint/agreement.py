"""Two knowledge bases with the same facts must answer every question alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Step, Window
from arcaneqa.kb.terms import RDF, XSD, Blank, Literal, Term

EX = "http://example.org/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"

Question = Callable[[KnowledgeBase], object]


def random_facts(seed: int, entities: int = 25, facts: int = 140) -> str:
    """Facts with classes below classes, labels, blank nodes, and values of every comparable datatype."""
    random_ = random.Random(seed)
    names = [f"<{EX}e{number}>" for number in range(entities)] + ["_:b0", "_:b1"]
    lines = [
        f"<{EX}C1> <{RDFS}subClassOf> <{EX}C0> .",
        f"<{EX}C2> <{RDFS}subClassOf> <{EX}C1> .",
        f"<{EX}r0> <{RDFS}domain> <{EX}C0> .",
        f"<{EX}r0> <http://www.w3.org/2002/07/owl#inverseOf> <{EX}r1> .",
        f'<{EX}r2> <{RDFS}label> "second relation"@en .',
    ]
    for _ in range(facts):
        subject = random_.choice(names)
        match random_.randrange(6):
            case 0:
                lines.append(f"{subject} <{RDF}type> <{EX}C{random_.randrange(4)}> .")
            case 1:
                tag = random_.choice(("@en", "@en-gb", "", "@de"))
                predicate = random_.choice((f"{RDFS}label", "http://www.w3.org/2004/02/skos/core#altLabel"))
                lines.append(f'{subject} <{predicate}> "name {random_.randrange(9)}"{tag} .')
            case 2 | 3:
                lines.append(f"{subject} <{EX}r{random_.randrange(4)}> {random_.choice(names)} .")
            case _:
                name, value = random_value(random_)
                # A relation of its own for each kind, and one that mixes them all.
                relation = random_.choice((name, name, name, "mixed"))
                lines.append(f"{subject} <{EX}{relation}> {written(value)} .")
    # One value a subject and relation: some servers keep only one of several equal values.
    kept: dict[tuple[str, str], str] = {}
    for line in lines:
        subject, predicate, _ = line.split(" ", 2)
        kept.setdefault((subject, predicate if '"' in line else line), line)
    return "\n".join(kept.values()) + "\n"


def written(value: Literal) -> str:
    return f'"{value.lexical}"^^<{value.datatype}>'


def random_value(random_: random.Random) -> tuple[str, Literal]:
    year, month, day = random_.randrange(1998, 2002), random_.randrange(1, 13), random_.randrange(1, 29)
    offset = random_.choice(("", "", "-08:00"))
    match random_.randrange(7):
        case 0:
            return "count", Literal(str(random_.randrange(-3, 4)), XSD + "integer")
        case 1:
            return "size", Literal(f"{random_.randrange(-30, 30)}.5", XSD + "decimal")
        case 2:
            return "size", Literal(f"{random_.randrange(-30, 30)}.25", XSD + "double")
        case 3:
            return "from", Literal(str(year), XSD + "gYear")
        case 4:
            return "from", Literal(f"{year}-{month:02d}", XSD + "gYearMonth")
        case 5:
            return "to", Literal(f"{year}-{month:02d}-{day:02d}{offset}", XSD + "date")
        case _:
            clock = random_.choice(("T00:00:00", "T12:30:15"))
            return "to", Literal(f"{year}-{month:02d}-{day:02d}{clock}Z", XSD + "dateTime")


@dataclass(frozen=True)
class View:
    """A knowledge base seen by terms. Blank nodes have no names across stores: they are only counted."""

    kb: KnowledgeBase

    def shown(self, nodes: NodeSet) -> tuple[frozenset[Term], int]:
        terms = self.kb.terms(nodes.ids)
        assert len(nodes) == len(terms)
        assert bool(nodes) is bool(terms)
        named = frozenset(term for term in terms if not isinstance(term, Blank))
        return named, len(terms) - len(named)

    def relations(self, ids: Ids) -> list[str]:
        return [self.kb.schema.relations[number].iri for number in ids.tolist()]

    def classes(self, ids: Ids) -> list[str]:
        return [self.kb.schema.classes[number].iri for number in ids.tolist()]

    def named(self, term: Term) -> NodeSet:
        node = self.kb.node(term)
        return self.kb.nodes(np.array([] if node is None else [node], np.int64))

    def described(self, nodes: NodeSet) -> object:
        kb = self.kb
        steps = {(kb.schema.relations[s.relation].iri, s.inverse) for s in kb.steps_to_values(nodes)}
        return {
            "members": self.shown(nodes),
            "out": self.relations(kb.out_relations(nodes)),
            "in": self.relations(kb.in_relations(nodes)),
            "classes": self.classes(kb.classes(nodes)),
            "comparable": self.relations(kb.comparable_relations(nodes)),
            "steps": steps,
            "neighbours": self.shown(kb.neighbours(nodes)),
        }


def assert_same_schema(left: KnowledgeBase, right: KnowledgeBase) -> None:
    for one, other in zip(left.schema.relations, right.schema.relations, strict=True):
        assert one == other
    for first, second in zip(left.schema.classes, right.schema.classes, strict=True):
        assert first == second
    assert left.schema.time_pairs == right.schema.time_pairs
    for hops in (1, 2):
        assert left.orderable_classes(hops).tolist() == right.orderable_classes(hops).tolist()
    assert replace(left.profile, prefixes=()) == replace(right.profile, prefixes=())


def assert_same_answers(left: KnowledgeBase, right: KnowledgeBase, seed: int, questions: int = 60) -> None:
    """Random questions of every kind, each about the sets that the ones before it gave."""
    random_ = random.Random(seed)
    views = (View(left), View(right))
    entities = [Literal("0", XSD + "integer"), *_entities(left)]
    pools: tuple[list[NodeSet], list[NodeSet]] = ([], [])

    def same(question: Callable[[View, list[NodeSet]], object]) -> None:
        first, second = (question(view, pool) for view, pool in zip(views, pools, strict=True))
        assert first == second

    def grown(question: Callable[[KnowledgeBase, list[NodeSet]], NodeSet]) -> None:
        for view, pool in zip(views, pools, strict=True):
            pool.append(question(view.kb, pool))
        same(lambda view, pool: view.described(pool[-1]))

    for klass in range(len(left.schema.classes)):
        grown(lambda kb, _, klass=klass: kb.members(klass))  # type: ignore[misc]
    for term in random_.sample(entities, min(len(entities), 6)):
        for view, pool in zip(views, pools, strict=True):
            pool.append(view.named(term))
    relations = [r.id for r in left.schema.relations if not r.hidden]
    for _ in range(questions):
        some, other = random_.randrange(len(pools[0])), random_.randrange(len(pools[0]))
        relation, second = random_.choice(relations), random_.choice(relations)
        _, value = random_value(random_)
        comparison = random_.choice(list(Comparison))
        flag, step = random_.random() < 0.5, Step(second, random_.random() < 0.5)
        year = random_.randrange(1998, 2002) * 31556952 - 62167219200
        match random_.randrange(11):
            case 0 | 1:
                grown(lambda kb, pool: kb.objects(relation, pool[some]))  # noqa: B023
            case 2 | 3:
                grown(lambda kb, pool: kb.subjects(relation, pool[some]))  # noqa: B023
            case 4:
                grown(lambda kb, pool: kb.intersection(pool[some], pool[other]))  # noqa: B023
                same(lambda view, pool: view.kb.intersects(pool[some], pool[other]))  # noqa: B023
            case 5:
                grown(lambda kb, _: kb.compare(comparison, relation, value))  # noqa: B023
                same(lambda view, _: view.relations(view.kb.relations_comparing(comparison, value)))  # noqa: B023
            case 6:
                grown(lambda kb, _: kb.equal(value))  # noqa: B023
            case 7:
                path = (Step(relation),) if flag else (step, Step(relation))
                grown(lambda kb, pool: kb.extreme(pool[some], path, flag))  # noqa: B023
            case 8:
                window = Window(float(year), float(year + 86400 * 365))
                ending = None if flag else second
                grown(lambda kb, pool: kb.valid_during(pool[some], relation, ending, window))  # noqa: B023
            case 9:
                same(lambda view, pool: _pairs(view, relation, pool[some]))  # noqa: B023
            case _:
                grown(lambda kb, pool: kb.difference(pool[some], pool[other]))  # noqa: B023
    same(lambda view, _: [_called(view, term) for term in entities])


def _entities(kb: KnowledgeBase) -> list[Term]:
    found: set[Term] = set()
    for klass in range(len(kb.schema.classes)):
        found.update(kb.terms(kb.members(klass).ids))
    return sorted((term for term in found if not isinstance(term, Blank)), key=str)


def _called(view: View, term: Term) -> object:
    node = view.kb.node(term)
    if node is None:
        return None
    ids = np.array([node], np.int64)
    return (
        view.kb.labels(ids),
        view.kb.aliases(ids),
        view.kb.degrees(ids).tolist(),
        view.kb.are_literals(ids).tolist(),
    )


def _pairs(view: View, relation: int, subjects: NodeSet) -> object:
    pairs = view.kb.values(relation, subjects)
    rows = zip(view.kb.terms(pairs.subjects), view.kb.terms(pairs.objects), strict=True)
    return sorted(str(row) for row in rows if not any(isinstance(term, Blank) for term in row))


def limited(endpoint: Endpoint, page: int, listed: int) -> Endpoint:
    """The same endpoint as if its server allowed only so many rows and terms."""
    old = endpoint.discovery
    capabilities = replace(old.capabilities, page=page, listed=listed)
    return Endpoint(endpoint.client, replace(old, capabilities=capabilities), endpoint.folder)
