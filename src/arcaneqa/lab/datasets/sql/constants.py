"""What a constant of a query stands for in the graph: an entity, a value, or what has it."""

from __future__ import annotations

import re

from sqlglot import exp

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.kb.values import value_of
from arcaneqa.lab.datasets.sql.mapping import CellKind, MappedColumn
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.variables import Nothing, Unsayable
from arcaneqa.language.expression import Compare, Entity, Expression, Join, Named, Relation, Value

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_TIMES = {
    re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"): "dateTime",
    re.compile(r"\d{4}-\d\d-\d\d"): "date",
    re.compile(r"\d{4}-\d\d"): "gYearMonth",
}


def text_of(node: exp.Expr) -> str | None:
    """A constant as text; words in double quotes are read as a column's name, so they count too."""
    if isinstance(node, exp.Paren):
        return text_of(node.this)
    if isinstance(node, exp.Neg) and (inner := text_of(node.this)) is not None:
        return f"-{inner}"
    if isinstance(node, exp.Literal):
        return str(node.this)
    if isinstance(node, exp.Boolean):
        return str(int(node.this))
    if isinstance(node, exp.Column) and not node.table and node.this.quoted:
        return str(node.name)
    return None


def rows_with(facts: TableFacts, column: MappedColumn, text: str) -> Expression:
    """The rows whose cell in the column says this."""
    if column.names and (named := _named(facts, column, text)) is not None:
        return named
    return Join(Relation(column.relation), cell(facts, column, text))


def cell(facts: TableFacts, column: MappedColumn, text: str) -> Expression:
    """What stands in the column where the table says this."""
    if column.target is not None:
        return rows_with(facts, facts.target(column), text)
    if column.kind is CellKind.LABEL:
        raise Unsayable("treats a name as a value")
    shown = facts.texts(column)
    nodes = sorted({facts.cells(column)[row] for row, cell in shown.items() if same_text(cell, text)})
    if not nodes:
        raise Nothing("names a value that the graph does not have")
    term = facts.terms(nodes[:1])[0]
    return Value(term) if isinstance(term, Literal) else Entity(term)


def _named(facts: TableFacts, column: MappedColumn, text: str) -> Expression | None:
    """The row of this name, where the graph knows rows by the names in this column."""
    rows = [row for row, name in facts.texts(column).items() if same_text(name, text)]
    labelled = [row for row in rows if facts.label(row) == text]
    if column.kind is CellKind.LABEL and not rows:
        raise Nothing("names a value that the graph does not have")
    if not labelled:
        return None
    if len(labelled) > 1:
        named = Named(Value(Literal(text)))
        found = set(facts.nodes(named).ids.tolist())
        return named if found >= set(labelled) else None
    (term,) = facts.terms(labelled)
    assert isinstance(term, Iri | Blank)
    return Entity(term)


def whole_name(facts: TableFacts, parts: list[tuple[MappedColumn, str]]) -> Entity | None:
    """The row whose first and last name are these, where the graph knows it by both together."""
    if len(parts) < 2:
        return None
    rows = [
        {row for row, cell in facts.texts(column).items() if same_text(cell, text)} for column, text in parts
    ]
    labels = {(row, facts.label(row)) for row in set.intersection(*rows)}
    texts = [text for _, text in parts]
    if len(labels) != 1:
        return None
    ((row, label),) = labels
    if label is None or sorted(label.split()) != sorted(" ".join(texts).split()):
        return None
    (term,) = facts.terms([row])
    assert isinstance(term, Iri | Blank)
    return Entity(term)


def compared(
    facts: TableFacts, column: MappedColumn, comparison: Comparison, value: Expression
) -> Expression:
    """The rows whose cell in the column is less or more than a value."""
    if column.target is not None:
        return Join(Relation(column.relation), compared(facts, facts.target(column), comparison, value))
    if column.kind is not CellKind.LITERAL:
        raise Unsayable("compares text")
    if isinstance(value, Value) and value_of(value.literal) is None:
        raise Unsayable("compares text")
    return Compare(comparison, Relation(column.relation), value)


def measure(text: str) -> Value:
    """A constant that something is compared with."""
    if _NUMBER.fullmatch(text):
        return Value(Literal(text, XSD + ("decimal" if "." in text else "integer")))
    for form, datatype in _TIMES.items():
        if form.fullmatch(text):
            return Value(Literal(text.replace(" ", "T"), XSD + datatype))
    return Value(Literal(text))


def same_text(left: str, right: str) -> bool:
    """Equal as a table's cells are: numbers by their value, times however they are written."""
    if left == right or left.replace("T", " ") == right.replace("T", " "):
        return True
    if _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
        return abs(float(left) - float(right)) <= 1e-6 * max(abs(float(left)), abs(float(right)))
    return left.removesuffix("T00:00:00") == right.replace(" ", "T").removesuffix("T00:00:00")
