"""SQL text to programs, the most natural first."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from arcaneqa.datasets.sql.block import Block
from arcaneqa.datasets.sql.denote import both, but_not, either
from arcaneqa.datasets.sql.mapping import Answer
from arcaneqa.datasets.sql.select import answer_of
from arcaneqa.datasets.sql.table_facts import Facts
from arcaneqa.datasets.sql.variables import Unsayable
from arcaneqa.program.expression import Denotation, Expression, Join, Relation, Show, Sort, denotes

_ATTEMPTS = 3
"""Ways to read a query, from the plainest on."""
_DIFFERENT = 0.8
"""Of a column's cells, so many are different where it tells rows apart."""


def translations(sql: str, facts: Facts) -> Iterator[Answer]:
    """Raises Unsayable where there is none."""
    try:
        query = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError as error:
        raise Unsayable("is not SQL that can be read") from error
    for attempt in range(_ATTEMPTS):
        try:
            yield _answer(query, facts, attempt)
        except Unsayable:
            if attempt == 0:
                raise
            return


def _answer(query: exp.Expr, facts: Facts, attempt: int) -> Answer:
    if isinstance(query, exp.Subquery | exp.Paren):
        return _answer(query.this, facts, attempt)
    if isinstance(query, exp.SetOperation):
        left, right = (_answer(side, facts, attempt) for side in (query.left, query.right))
        owners = _owners(left.program, right.program, facts) if attempt == 0 else None
        if owners is None:
            return Answer(_combined(type(query), left.program, right.program), left.columns)
        relation, one, two = owners
        return Answer(Join(relation, _combined(type(query), one, two)), left.columns)
    if not isinstance(query, exp.Select):
        raise Unsayable("is no SELECT")

    def subquery(nested: exp.Expr) -> Expression:
        program = _answer(nested, facts, 0).program
        if denotes(program) is Denotation.LIST and isinstance(program, Sort):
            return program.argument
        if denotes(program) not in (Denotation.SET, Denotation.NUMBER):
            raise Unsayable("compares with a table")
        return program

    return answer_of(Block(query, facts, subquery, attempt))


def _owners(
    left: Expression, right: Expression, facts: Facts
) -> tuple[Relation, Expression, Expression] | None:
    """Of two sets of texts that tell rows apart, as first names do, the rows: they are what is meant."""
    if not (isinstance(left, Join) and isinstance(right, Join)) or left.relation != right.relation:
        return None
    schema = facts.kb.schema
    known = schema.relations[schema.relation_ids[left.relation.iri]]
    if not left.relation.inverse or known.objects < _DIFFERENT * known.facts:
        return None
    return left.relation, left.argument, right.argument


def _combined(kind: type[exp.Expr], left: Expression, right: Expression) -> Expression:
    if isinstance(left, Sort):
        return _combined(kind, left.argument, right)
    if isinstance(right, Sort):
        return _combined(kind, left, right.argument)
    if isinstance(left, Show) and isinstance(right, Show):
        if left.columns != right.columns:
            raise Unsayable("combines tables of different columns")
        return Show(_combined(kind, left.argument, right.argument), left.columns)
    if not all(denotes(side) is Denotation.SET for side in (left, right)):
        raise Unsayable("combines what are no sets")
    if kind is exp.Intersect:
        return both([left, right])
    if kind is exp.Union:
        return either([left, right])
    if kind is exp.Except:
        return but_not(left, right)
    raise Unsayable(f"combines sets by {kind.__name__.upper()}")
