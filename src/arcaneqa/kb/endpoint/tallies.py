"""How many neighbours the members of a set have, counted by the server."""

from __future__ import annotations

from arcaneqa.kb.endpoint.patterns import fresh_variables, walked
from arcaneqa.kb.endpoint.queries import Queries, Question, whole_number
from arcaneqa.kb.endpoint.sets import Parts
from arcaneqa.kb.terms import Term


def counted(
    queries: Queries, members: Parts, path: tuple[tuple[str, bool], ...], within: Parts | None
) -> dict[Term, int]:
    """For each member how many different nodes (of the set `within`) the path leads to, if any."""
    questions = []
    for part in members:
        fresh = fresh_variables()
        lines = [part.where("?x", fresh), walked("?x", path, "?y", fresh)]
        if within is not None:
            inside = (f"{{ {other.where('?y', fresh)} }}" for other in within)
            lines.append(" UNION ".join(inside) or "FILTER(false)")
        count = f"SELECT ?x (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {' '.join(lines)} }} GROUP BY ?x"
        questions.append(Question(("?x", "?n"), f"{{ {count} }}"))
    return {
        row[0]: whole_number(row[1]) for rows in queries.all(questions) for row in rows if row[0] is not None
    }
