"""The slow, obvious twin of the index: every question as plain SPARQL to pyoxigraph.

Where SPARQL has no word for it (partial dates as stretches), the facts come by SPARQL and Python's own
calendar does the rest; nothing here shares code with what it checks.
"""

from __future__ import annotations

import calendar
import operator
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pyoxigraph as ox

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
SPOKEN = (
    f"{RDF_TYPE}, {SUBCLASS}, <http://www.w3.org/2000/01/rdf-schema#label>, "
    "<http://www.w3.org/2004/02/skos/core#altLabel>"
)
NUMERIC = {XSD + name for name in ("integer", "int", "decimal", "double", "float")}

Key = Decimal | tuple[datetime, datetime] | str


def value(term: object) -> Key | None:
    """Number, stretch of time, truth or (for text) the whole term; None for an entity."""
    if not isinstance(term, ox.Literal):
        return None
    datatype, lexical = term.datatype.value, term.value
    if datatype in NUMERIC:
        return Decimal(lexical)
    if datatype == XSD + "boolean":
        return f"truth {lexical in ('true', '1')}"  # a bool of Python would equal a number
    if datatype == XSD + "gYear":
        return datetime(int(lexical[:4]), 1, 1), datetime(int(lexical[:4]) + 1, 1, 1)
    if datatype == XSD + "gYearMonth":
        year, month = int(lexical[:4]), int(lexical[5:7])
        start = datetime(year, month, 1)
        return start, start + timedelta(days=calendar.monthrange(year, month)[1])
    if datatype == XSD + "date":
        start = datetime.strptime(lexical[:10], "%Y-%m-%d")
        return start, start + timedelta(days=1)
    if datatype == XSD + "dateTime":
        moment = datetime.fromisoformat(lexical)
        start = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
        return start, start + timedelta(microseconds=1)
    return str(term)


def is_number(key: Key | None) -> bool:
    return isinstance(key, Decimal)


def is_time(key: Key | None) -> bool:
    return isinstance(key, tuple)


class Twin:
    def __init__(self, triples: Sequence[ox.Triple]) -> None:
        self.store = ox.Store()
        self.store.extend(ox.Quad(*triple) for triple in triples)

    def ask(self, pattern: str, variable: str = "?x") -> set[str]:
        solutions = self.store.query(f"SELECT DISTINCT {variable} WHERE {{ {pattern} }}")
        assert isinstance(solutions, ox.QuerySolutions)
        return {str(solution[0]) for solution in solutions}

    def rows(self, pattern: str, variables: str) -> list[tuple[object, ...]]:
        solutions = self.store.query(f"SELECT DISTINCT {variables} WHERE {{ {pattern} }}")
        assert isinstance(solutions, ox.QuerySolutions)
        return [tuple(solution) for solution in solutions]

    @staticmethod
    def inline(nodes: set[str], variable: str = "?s") -> str:
        """Blank nodes cannot be written into a query, so sets are of named nodes and literals."""
        return f"VALUES {variable} {{ {' '.join(sorted(nodes))} }}"

    # The questions ---------------------------------------------------------------------------

    def with_equals(self, nodes: set[str]) -> set[str]:
        terms = {str(row[0]): row[0] for row in self.rows("?a ?p ?x FILTER(isLiteral(?x))", "?x")}
        wanted = {value(terms[node]) for node in nodes if node in terms}
        return nodes | {name for name, term in terms.items() if value(term) in wanted}

    def objects(self, relation: str, nodes: set[str]) -> set[str]:
        return self.ask(f"{self.inline(nodes)} ?s {relation} ?x")

    def subjects(self, relation: str, nodes: set[str]) -> set[str]:
        return self.ask(f"{self.inline(self.with_equals(nodes), '?o')} ?x {relation} ?o")

    def out_relations(self, nodes: set[str]) -> set[str]:
        return self.ask(f"{self.inline(nodes)} ?s ?x ?o FILTER(?x NOT IN ({SPOKEN}))")

    def in_relations(self, nodes: set[str]) -> set[str]:
        return self.ask(f"{self.inline(self.with_equals(nodes))} ?o ?x ?s FILTER(?x NOT IN ({SPOKEN}))")

    def classes(self, nodes: set[str]) -> set[str]:
        return self.ask(f"{self.inline(nodes)} ?s {RDF_TYPE}/{SUBCLASS}* ?x FILTER(isIRI(?x))")

    def members(self, klass: str) -> set[str]:
        return self.ask(f"?x {RDF_TYPE}/{SUBCLASS}* {klass}")

    def values(self, relation: str, nodes: set[str]) -> list[tuple[str, object]]:
        rows = self.rows(f"{self.inline(nodes)} ?s {relation} ?x", "?s ?x")
        return [(str(subject), object_) for subject, object_ in rows]

    def comparable_relations(self, nodes: set[str]) -> set[str]:
        rows = self.rows(f"{self.inline(nodes)} ?s ?p ?x FILTER(?p NOT IN ({SPOKEN}))", "?p ?x")
        return {str(relation) for relation, object_ in rows if _compares(object_)}

    def steps_to_values(self, nodes: set[str]) -> set[tuple[str, bool]]:
        rich = {
            str(subject)
            for subject, object_ in self.rows(f"?s ?p ?x FILTER(?p NOT IN ({SPOKEN}))", "?s ?x")
            if _compares(object_)
        }
        nodes = self.with_equals(nodes)
        forward = self.rows(f"{self.inline(nodes)} ?s ?p ?x FILTER(?p NOT IN ({SPOKEN}))", "?p ?x")
        inverse = self.rows(f"{self.inline(nodes)} ?x ?p ?s FILTER(?p NOT IN ({SPOKEN}))", "?p ?x")
        return {(str(p), False) for p, x in forward if str(x) in rich} | {
            (str(p), True) for p, x in inverse if str(x) in rich
        }

    def compare(self, comparison: str, relation: str, edge: Key) -> set[str]:
        rows = self.rows(f"?x {relation} ?o", "?x ?o")
        return {str(subject) for subject, object_ in rows if holds(comparison, value(object_), edge)}

    def compare_numbers_in_sparql(self, symbol: str, relation: str, edge: str) -> set[str]:
        return self.ask(f"?x {relation} ?o FILTER(isNumeric(?o) && ?o {symbol} {edge})")

    def relations_comparing(self, comparison: str, edge: Key) -> set[str]:
        rows = self.rows(f"?s ?p ?o FILTER(?p NOT IN ({SPOKEN}))", "?p ?o")
        return {str(relation) for relation, object_ in rows if holds(comparison, value(object_), edge)}

    def extreme(self, nodes: set[str], path: Sequence[tuple[str, bool]], largest: bool) -> set[str]:
        walk = "/".join(f"^{relation}" if inverse else relation for relation, inverse in path)
        rows = self.rows(f"{self.inline(nodes)} ?s {walk} ?x", "?s ?x")
        keys = [(str(subject), value(object_)) for subject, object_ in rows]
        numbers = [(subject, key) for subject, key in keys if isinstance(key, Decimal)]
        if numbers:
            best = max(key for _, key in numbers) if largest else min(key for _, key in numbers)
            return {subject for subject, key in numbers if key == best}
        times = [(subject, key[largest]) for subject, key in keys if isinstance(key, tuple)]
        if not times:
            return set()
        edge = max(key for _, key in times) if largest else min(key for _, key in times)
        return {subject for subject, key in times if key == edge}

    def valid_during(
        self, nodes: set[str], start: str, end: str | None, window: tuple[datetime, datetime]
    ) -> set[str]:
        def times(relation: str, node: str) -> list[tuple[datetime, datetime]]:
            keys = [value(object_) for _, object_ in self.values(relation, {node})]
            return [key for key in keys if isinstance(key, tuple)]

        kept = set()
        for node in nodes:
            starts = times(start, node)
            if end is None:
                fits = not starts or any(low < window[1] and high > window[0] for low, high in starts)
            else:
                ends = times(end, node)
                fits = (not starts or any(low < window[1] for low, _ in starts)) and (
                    not ends or any(high > window[0] for _, high in ends)
                )
            if fits:
                kept.add(node)
        return kept


def holds(comparison: str, left: Key | None, right: Key) -> bool:
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return bool(getattr(operator, comparison.lower())(left, right))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return {
            "LT": left[1] <= right[0],
            "LE": left[1] <= right[1],
            "GT": left[0] >= right[1],
            "GE": left[0] >= right[0],
            "EQ": left == right,
        }[comparison]
    return False


def _compares(term: object) -> bool:
    key = value(term)
    return is_number(key) or is_time(key)
