"""GrailQA's own verdict on whether two programs match, for comparison with published figures.

Two of its habits make it differ from `program.equivalence`, and are kept: the question node is not compared,
and a node loses its function the first time the matcher looks at it, so a match may depend on the order in
which nodes are tried. Nodes are therefore numbered as the published definition numbers them: from the deepest
argument of the second operand upwards, the question node last. A relation that an ontology does not have
leaves no trace there; without any ontology relations have ends of no class.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from arcaneqa.kb.terms import Blank
from arcaneqa.language import expression as ex
from arcaneqa.language.equivalence import Ontology, canonical

_VALUE = 0  # what stands for the value a superlative looks for

Node = dict[str, Any]


@dataclass
class _Graph:
    """Nodes by number, in the order they came to be; node `top` is the one the expression stands for."""

    nodes: dict[int, Node]
    edges: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def top(self) -> int:
        return len(self.nodes)

    def renumbered(self, number: dict[int, int]) -> _Graph:
        return _Graph(
            {number.get(n, n): node for n, node in self.nodes.items()},
            [(number.get(a, a), number.get(b, b), relation) for a, b, relation in self.edges],
        )

    def raised(self, by: int) -> _Graph:
        return self.renumbered({n: n + by for n in self.nodes})

    def joined(self, other: _Graph) -> _Graph:
        """Both graphs in one; on a shared node the other's attributes prevail."""
        nodes = {n: dict(node) for n, node in self.nodes.items()}
        for n, node in other.nodes.items():
            nodes.setdefault(n, {}).update(node)
        return _Graph(nodes, self.edges + other.edges)


def official_match(predicted: ex.Expression, gold: ex.Expression, ontology: Ontology) -> bool:
    one, other = _graph(predicted, ontology), _graph(gold, ontology)
    if _labels(one) != _labels(other):
        return False
    plain = not any("function" in node or "tc" in node for g in (one, other) for node in g.nodes.values())
    if plain and one == other:
        return True
    return bool(nx.is_isomorphic(_network(one), _network(other), _same_node, _same_relations))


def _labels(graph: _Graph) -> tuple[Counter[tuple[object, str]], Counter[str]]:
    """What every match preserves, cheap to compare before a match is searched for."""
    nodes = Counter((node["id"], node["type"]) for node in graph.nodes.values())
    return nodes, Counter(relation for _, _, relation in graph.edges)


def _network(graph: _Graph) -> nx.MultiDiGraph:
    network: nx.MultiDiGraph = nx.MultiDiGraph()
    network.add_nodes_from((n, dict(node)) for n, node in graph.nodes.items())
    for start, end, relation in graph.edges:
        network.add_edge(start, end, relation=relation)
    return network


def _same_node(one: Node, other: Node) -> bool:
    if (one["id"], one["type"]) != (other["id"], other["type"]):
        return False
    # Taken away, not read: see the module's description.
    functions = one.pop("function", None), other.pop("function", None)
    moments = one.pop("tc", None), other.pop("tc", None)
    return bool(functions[0] == functions[1] and moments[0] == moments[1])


def _same_relations(one: dict[int, Node], other: dict[int, Node]) -> bool:
    first, second = (sorted(edge["relation"] for edge in edges.values()) for edges in (one, other))
    return first == second


def _graph(expression: ex.Expression, ontology: Ontology) -> _Graph:
    match expression:
        case ex.Class(iri):
            return _symbol(iri, ontology) if ontology.roles else _single(iri, "class")
        case ex.Entity(term):
            if isinstance(term, Blank):
                return _single(f"_:{term.label}", "entity")
            return _symbol(term.value, ontology)
        case ex.Value(literal):
            return _single(f"{literal.lexical}^^{literal.datatype}", "literal")
        case ex.Join(relation, argument):
            return _join(_relation(relation, ontology), _graph(argument, ontology), ontology)
        case ex.Compare(comparison, ex.Relation() as relation, ex.Value() as value) if comparison.sign != "=":
            graph = _join(_relation(relation, ontology), _graph(value, ontology), ontology)
            graph.nodes[1]["function"] = comparison.sign
            return graph
        case ex.And(left, right):
            return _merge(_graph(left, ontology), _graph(right, ontology))
        case ex.Cons(argument, relation, constant):
            return _graph(ex.And(argument, ex.Join(relation, constant)), ontology)
        case ex.Count(argument, ()):
            graph = _graph(argument, ontology)
            graph.nodes[graph.top]["function"] = "count"
            return graph
        case ex.Extreme(direction, argument, tuple() as path, 1, 1):
            *first, last = (_relation(relation, ontology) for relation in path)
            way = last
            for step in reversed(first):
                way = _join(step, way, ontology)
            way.nodes[1] |= {"id": _VALUE, "type": "literal", "function": direction.lower()}
            return _merge(_graph(argument, ontology), way)
        case ex.During(argument, relation, when):
            graph = _graph(argument, ontology)
            moment = "NOW" if isinstance(when, ex.Now) else f"{when.literal.lexical}^^{when.literal.datatype}"
            graph.nodes[graph.top]["tc"] = (relation, moment)
            return graph
        case _:
            # The official graphs have no word for the forms beyond the paper: equal only as a whole.
            return _single(canonical(expression, ontology), "program")


def _single(identifier: str, kind: str) -> _Graph:
    return _Graph({1: {"id": identifier, "type": kind}})


def _symbol(iri: str, ontology: Ontology) -> _Graph:
    """What a bare name stands for, decided by the ontology alone."""
    if iri in ontology.classes:
        return _single(iri, "class")
    if iri not in ontology.roles:
        return _single(iri, "entity")
    graph = _step(iri, *ontology.roles[iri])
    if iri in ontology.inverses:
        graph.edges.append((1, 2, ontology.inverses[iri]))
    return graph


def _step(iri: str, domain: str | None, range_: str | None) -> _Graph:
    nodes: dict[int, Node] = {1: {"id": range_, "type": "class"}, 2: {"id": domain, "type": "class"}}
    return _Graph(nodes, [(2, 1, iri)])


def _relation(relation: ex.Relation, ontology: Ontology) -> _Graph:
    graph = _symbol(relation.iri, ontology) if ontology.roles else _step(relation.iri, None, None)
    if not relation.inverse:
        return graph
    return graph.renumbered({n: graph.top - n + 1 for n in graph.nodes})


def _join(relation: _Graph, argument: _Graph, ontology: Ontology) -> _Graph:
    near, far = argument.nodes[argument.top], relation.nodes[1]
    both_classes = near["type"] == far["type"] == "class"
    if both_classes and near["id"] in ontology.parents.get(far["id"], ()):
        near["id"] = far["id"]
    return relation.raised(argument.top - 1).joined(argument)


def _merge(left: _Graph, right: _Graph) -> _Graph:
    first, second = left.nodes[left.top], right.nodes[right.top]
    if first["type"] == second["type"] == "class":
        second["id"] = first["id"]
    meeting = left.top + right.top - 1
    return left.raised(right.top - 1).joined(right.renumbered({right.top: meeting}))
