"""GrailQA's and GraphQuestions' query graphs as programs: a tree that hangs from the question node."""

from __future__ import annotations

from typing import Any

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language import expression as ex
from arcaneqa.language.text import read_literal
from arcaneqa.support.errors import ProgramError

_COMPARISONS = {"<": Comparison.LT, "<=": Comparison.LE, ">": Comparison.GT, ">=": Comparison.GE}
_DIRECTIONS = {"argmax": ex.Direction.LARGEST, "argmin": ex.Direction.SMALLEST}


def program_of(graph: Any, names: Names) -> ex.Expression:
    """Raises ProgramError, its text a reason to count, where the graph is none that a program expresses."""
    try:
        return _Reader(graph, names).program()
    except (KeyError, TypeError, AttributeError) as error:
        raise ProgramError("the query graph is malformed") from error


class _Reader:
    def __init__(self, graph: Any, names: Names) -> None:
        self.names = names
        self.nodes = {node["nid"]: node for node in graph["nodes"]}
        self.edges = [(edge["start"], str(edge["relation"]), edge["end"]) for edge in graph["edges"]]
        asked = [nid for nid, node in self.nodes.items() if node.get("question_node")]
        if len(asked) != 1 or len(self.edges) >= len(self.nodes):
            raise ProgramError("the query graph is not a tree with one question node")
        self.asked = asked[0]

    def program(self) -> ex.Expression:
        result = self.set(self.asked, None)
        klass = ex.Class(self.names.expand(self.nodes[self.asked]["id"]))
        result = klass if result is None else ex.And(klass, result)
        ranked = [nid for nid, node in self.nodes.items() if node.get("function") in _DIRECTIONS]
        for nid in ranked:
            direction = _DIRECTIONS[self.nodes[nid]["function"]]
            result = ex.Extreme(direction, result, tuple(self.path(self.asked, nid, None)))
        return ex.Count(result) if self.nodes[self.asked].get("function") == "count" else result

    def around(self, nid: Any, origin: Any) -> list[tuple[ex.Relation, Any]]:
        """Relations as a JOIN at the node would have them, with the node on the other side."""
        found = [(ex.Relation(self.names.expand(r)), end) for start, r, end in self.edges if start == nid]
        found += [
            (ex.Relation(self.names.expand(r), True), start) for start, r, end in self.edges if end == nid
        ]
        return [(relation, other) for relation, other in found if other != origin]

    def set(self, nid: Any, origin: Any) -> ex.Expression | None:
        """What the graph says of a node beyond its class; None if nothing."""
        result: ex.Expression | None = None
        for relation, other in self.around(nid, origin):
            condition = self.condition(relation, other, nid)
            if condition is not None:
                result = condition if result is None else ex.And(result, condition)
        return result

    def condition(self, relation: ex.Relation, nid: Any, origin: Any) -> ex.Expression | None:
        node = self.nodes[nid]
        function = node.get("function")
        if function in _DIRECTIONS:
            return None
        if function in _COMPARISONS:
            return ex.Compare(_COMPARISONS[function], relation, self.literal(node))
        if node["node_type"] == "entity":
            return ex.Join(relation, ex.Entity(Iri(self.names.expand(node["id"]))))
        if node["node_type"] == "literal":
            return ex.Join(relation, self.literal(node))
        inner = self.set(nid, origin)
        if inner is None and not self.leads_to_rank(nid, origin):
            inner = ex.Class(self.names.expand(node["id"]))
        return None if inner is None else ex.Join(relation, inner)

    def literal(self, node: Any) -> ex.Value:
        if "^^" not in str(node["id"]):
            raise ProgramError("the query graph has a literal without a datatype")
        return ex.Value(read_literal(str(node["id"]), self.names))

    def leads_to_rank(self, nid: Any, origin: Any) -> bool:
        if self.nodes[nid].get("function") in _DIRECTIONS:
            return True
        return any(self.leads_to_rank(other, nid) for _, other in self.around(nid, origin))

    def path(self, nid: Any, goal: Any, origin: Any) -> list[ex.Relation]:
        """Relations from a node outwards to the value that a superlative orders by."""
        for relation, other in self.around(nid, origin):
            if other == goal:
                return [relation]
            if rest := self.path(other, goal, nid):
                return [relation, *rest]
        return []
