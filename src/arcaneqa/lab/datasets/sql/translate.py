"""SQL text to programs that find what the query was recorded to find, the most natural first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache

import inflect
import numpy as np
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Literal, Term
from arcaneqa.kb.values import NUMBERS, TIMES
from arcaneqa.lab.datasets.mention_places import locate
from arcaneqa.lab.datasets.sql.block import Block
from arcaneqa.lab.datasets.sql.mapping import MappedAnswer, Shown
from arcaneqa.lab.datasets.sql.select import answer_of
from arcaneqa.lab.datasets.sql.table_facts import TableFacts, lexical
from arcaneqa.lab.datasets.sql.variables import Unsayable, both, but_not, either
from arcaneqa.language.expression import (
    Denotation,
    Entity,
    Expression,
    Join,
    Relation,
    Show,
    Sort,
    Value,
    denotes,
    post_order,
)
from arcaneqa.language.rewrite import canonical
from arcaneqa.record import Mention
from arcaneqa.support.errors import ProgramError

# Where a question names the topics of its program: entities by their names, values as people write
# them.


_SPELLED_OUT = 100
"""Whole numbers up to this are also looked for as words."""
_DAYS = ("%Y-%m-%d", "%B %d, %Y", "%B %d %Y", "%d %B %Y", "%b %d, %Y", "%m/%d/%Y", "%Y/%m/%d")
# Codes that people never say; other codes stand in the question, or nothing says what they mean.
_SAID = {
    "f": ("female", "females", "women", "woman", "girls", "girl"),
    "m": ("male", "males", "men", "man", "boys", "boy"),
}


def mentions(program: Expression, question: str, kb: KnowledgeBase) -> tuple[Mention, ...]:
    """The topics of a program in the order of the question; without a span where it does not say them."""
    topics = dict.fromkeys(node for node in post_order(program) if isinstance(node, Entity | Value))
    spoken = [(topic, _ways(topic, kb)) for topic in topics]
    found: list[Mention] = []
    rest = question
    # Longer names first, so that a number inside a name is not taken for the number.
    for topic, ways in sorted(spoken, key=lambda pair: -max(map(len, pair[1]), default=0)):
        span = locate(rest, ways)
        if span is None:
            found.append(Mention(_id(topic, kb)))
            continue
        start, end = span
        rest = rest[:start] + " " * (end - start) + rest[end:]
        found.append(Mention(_id(topic, kb), question[start:end], start, end))
    return tuple(sorted(found, key=lambda m: len(question) if m.start is None else m.start))


def _id(topic: Entity | Value, kb: KnowledgeBase) -> str:
    if isinstance(topic, Entity):
        return Names(kb.profile).write(topic.term)
    return f"{topic.literal.lexical}^^{topic.literal.datatype}"


def _ways(topic: Entity | Value, kb: KnowledgeBase) -> list[str]:
    if isinstance(topic, Value):
        return list(_said(topic.literal))
    node = kb.node(topic.term)
    if node is None:
        return []
    ids = np.array([node], np.int64)
    names = [name for name in (*kb.labels(ids), *kb.aliases(ids)[0]) if name]
    return [way for name in names for way in _said(Literal(name))]


def _said(literal: Literal) -> Iterator[str]:
    """How people write a value."""
    text = literal.lexical
    if literal.datatype in TIMES:
        yield from _times(text, literal.datatype)
    yield text
    if literal.datatype in NUMBERS:
        yield from _numbers(text)
    yield from _SAID.get(text.lower(), ())


def _numbers(text: str) -> Iterator[str]:
    number = float(text)
    if not number.is_integer():
        yield f"{number:,}"
        return
    whole = int(number)
    yield str(whole)
    yield f"{whole:,}"
    if 0 <= whole <= _SPELLED_OUT:
        yield _words(whole)
    for size, word in ((10**6, "million"), (10**9, "billion")):
        if whole and whole % (size // 10) == 0:
            yield f"{whole / size:g} {word}"


@cache
def _words(number: int) -> str:
    return str(_engine().number_to_words(number))  # type: ignore[arg-type]


@cache
def _engine() -> inflect.engine:
    return inflect.engine()


def _times(text: str, datatype: str) -> Iterator[str]:
    if datatype in (XSD + "date", XSD + "dateTime"):
        moment = datetime.fromisoformat(text)
        yield text.replace("T", " ")
        yield from (moment.strftime(form) for form in _DAYS)


# SQL text to programs, the most natural first.


_ATTEMPTS = 3
"""Ways to read a query, from the plainest on."""
_DIFFERENT = 0.8
"""Of a column's cells, so many are different where it tells rows apart."""


def translations(sql: str, facts: TableFacts) -> Iterator[MappedAnswer]:
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


def _answer(query: exp.Expr, facts: TableFacts, attempt: int) -> MappedAnswer:
    if isinstance(query, exp.Subquery | exp.Paren):
        return _answer(query.this, facts, attempt)
    if isinstance(query, exp.SetOperation):
        left, right = (_answer(side, facts, attempt) for side in (query.left, query.right))
        owners = _owners(left.program, right.program, facts) if attempt == 0 else None
        if owners is None:
            return MappedAnswer(_combined(type(query), left.program, right.program), left.columns)
        relation, one, two = owners
        return MappedAnswer(Join(relation, _combined(type(query), one, two)), left.columns)
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
    left: Expression, right: Expression, facts: TableFacts
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


# Whether a program finds what the query was recorded to find.


OTHER_ANSWERS = "finds other answers than those recorded"


@dataclass(frozen=True, slots=True)
class Recorded:
    """`answers` and `ids` are the different values of the first column, as text and as identifiers of the
    graph; `rows` are there where the query shows several columns, only the first of them where `cut`."""

    answers: Sequence[str]
    ids: Sequence[str]
    rows: Sequence[Sequence[str]] | None = None
    cut: bool = False


def program_of(sql: str, recorded: Recorded, facts: TableFacts) -> Expression:
    """The most natural program that finds what was recorded; raises Unsayable where there is none."""
    for answer in translations(sql, facts):
        with suppress(ProgramError):
            if agrees(answer, recorded, facts):
                return canonical(answer.program)
    raise Unsayable(OTHER_ANSWERS)


def agrees(answer: MappedAnswer, recorded: Recorded, facts: TableFacts) -> bool:
    found = facts.rows(answer.program)
    if recorded.rows is None:
        (shown,) = answer.columns
        cells = {cell for row in found if (cell := row[shown.index]) is not None}
        if {_identifier(cell) for cell in cells} == set(map(_even, recorded.ids)):
            return True
        return {_text(cell, shown, facts) for cell in cells} - {""} == set(map(_even, recorded.answers))
    mine = {tuple(_text(row[shown.index], shown, facts) for shown in answer.columns) for row in found}
    theirs = {tuple(map(_even, row)) for row in recorded.rows}
    if not recorded.cut:
        return mine == theirs
    return theirs <= mine and {row[0] for row in mine} - {""} == set(map(_even, recorded.answers))


def _identifier(cell: Term) -> str:
    """IRIs as they are, literals by their text."""
    return _even(cell.lexical) if isinstance(cell, Literal) else getattr(cell, "value", str(cell))


def _text(cell: Term | None, shown: Shown, facts: TableFacts) -> str:
    """What the query shows for what the program found."""
    if cell is None:
        return ""
    if shown.column is None:
        return _even(lexical(cell))
    if shown.of_row:
        return _even(facts.row_text(shown.column, cell))
    return _even(facts.value_text(shown.column, cell))


def _even(text: str) -> str:
    """Numbers to six digits, whatever their type."""
    try:
        return f"{float(text or ''):.6g}"
    except ValueError:
        return text
