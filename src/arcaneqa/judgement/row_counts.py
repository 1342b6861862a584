"""Columns that say how many: who asks how many degrees were conferred in 2000 wants the degrees of all rows
added up, not the rows or the different numbers in them."""

from __future__ import annotations

import re
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.pointless import conjuncts
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite

_ASKED = re.compile(r"\b(?:how many|number of)\s+", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b", re.IGNORECASE)


def added_up(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The sum of what each row says in place of a count of the rows, or of the different numbers in them."""
    asked = _ASKED.search(question)
    if asked is None or _DIFFERENT.search(question):
        return found
    match found.program:
        case ex.Count(argument, ()):
            relation = _column(question[asked.end() :], argument, kb)
            if relation is None and isinstance(argument, ex.Join) and argument.relation.inverse:
                relation, argument = (
                    _said(question[asked.end() :], argument.relation.iri, kb),
                    argument.argument,
                )
        case ex.Count(argument, (ex.Relation(iri, False),)):
            relation = _said(question[asked.end() :], iri, kb)
        case ex.Per(argument, _, (ex.Counted((), None),)):
            relation = _column(question[asked.end() :], argument, kb)
        case _:
            return found
    if relation is None:
        return found
    path = (ex.Relation(relation.iri),)
    program: ex.Expression = ex.Aggregate(ex.Aggregation.SUM, argument, path)
    if isinstance(found.program, ex.Per):
        program = replace(found.program, columns=(ex.Totalled(ex.Aggregation.SUM, path),))
    return put_right(program, found, kb)


def says_how_many(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program gives the one number that is called what "how many" goes on with: how many pages a
    book has, its pages say."""
    asked = _ASKED.search(question)
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), _) if asked is not None and len(found.nodes) == 1:
            return _said(question[asked.end() :], iri, kb) is not None
    return False


_COUNTED = re.compile(
    r"\b(?:most|fewest|least|(?:more|less|fewer) than \d+|at (?:least|most) \d+|over \d+)\s+(?:number of\s+)?"
    r"|\b(?:largest|highest|greatest|biggest|smallest|lowest|maximum|minimum) number of\s+",
    re.IGNORECASE,
)
_HOW_MANY = frozenset(map(root_of, ("amount", "number", "num", "no", "nos", "count", "total", "of")))


def counted_within(found: Found, kb: KnowledgeBase) -> Found:
    """The same program with what it chose among counted where it was chosen: the most common weather of a
    city is not the one of its weathers that is most common anywhere."""
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program):
        match node:
            case ex.Extreme(
                _,
                ex.Join(ex.Relation(_, True) as back, ex.Join() | ex.And() | ex.Compare() as some),
                ex.Counted((by,), None | ex.Class()),
            ) if by == back:
                changed[node] = replace(node, key=ex.Counted((by,), some))
    return put_right(rewrite(found.program, lambda node: changed.get(node, node)), found, kb)


def said_once(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with a number taken for what some have, and not for how many of those as well:
    stations that had 7 bikes are not those that had 7 bikes 7 times."""
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program):
        match node:
            case ex.Compare(
                Comparison.GT | Comparison.GE,
                ex.Counted((ex.Relation(_, True) as back,), ex.Join() | ex.And() | ex.Compare() as some),
                ex.Value(literal),
            ) if question.count(literal.lexical) == 1 and _has_number(some, literal):
                changed[node] = ex.Join(back, some)
    return put_right(rewrite(found.program, lambda node: changed.get(node, node)), found, kb)


def _has_number(program: ex.Expression, literal: Literal) -> bool:
    values = (node.literal for node in ex.post_order(program) if isinstance(node, ex.Value))
    return any(one.lexical == literal.lexical for one in values)


def by_own_count(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program by the number that says itself how many there are, in place of a count."""
    asked = _COUNTED.search(question)
    said = [] if asked is None else list(map(root_of, split(question[asked.end() :])))
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program) if said else ():
        match node:
            case ex.Extreme(_, argument, ex.Counted(_, None | ex.Class())):
                column = _own_count(said, argument, kb)
                if column is not None:
                    changed[node] = replace(node, key=(ex.Relation(column.iri),))
            case ex.And(argument, ex.Compare(_, ex.Counted(_, None | ex.Class()), ex.Value()) as compared):
                column = _own_count(said, argument, kb)
                if column is not None:
                    changed[node] = ex.And(argument, replace(compared, key=ex.Relation(column.iri)))
    if len(changed) != 1:
        return found
    return put_right(rewrite(found.program, lambda node: changed.get(node, node)), found, kb)


def _own_count(said: list[str], rows: ex.Expression, kb: KnowledgeBase) -> Relation | None:
    named = (one.iri for one in conjuncts(rows) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    for relation in kb.schema.relations:
        if relation.domain in kinds and relation.kinds == {ValueKind.NUMBER} and not relation.is_identifier:
            name = list(map(root_of, split(relation.label)))
            counted = [word for word in name if word not in _HOW_MANY]
            if counted and len(counted) < len(name) and said[: len(counted)] == counted:
                return relation
    return None


def _column(said: str, rows: ex.Expression, kb: KnowledgeBase) -> Relation | None:
    """The number of the counted rows that is called what the text begins with."""
    named = (one.iri for one in conjuncts(rows) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    return next((r for r in kb.schema.relations if r.domain in kinds and _is_said(said, r)), None)


def _said(said: str, iri: str, kb: KnowledgeBase) -> Relation | None:
    number = kb.schema.relation_ids.get(iri)
    relation = None if number is None else kb.schema.relations[number]
    return relation if relation is not None and _is_said(said, relation) else None


def _is_said(said: str, relation: Relation) -> bool:
    """Whether a number is called what the text begins with, letter by letter: "degrees" says how many degrees
    there are, but "flight" is the number of one flight."""
    name = split(relation.label)
    return (
        relation.kinds == {ValueKind.NUMBER}
        and not (relation.hidden or relation.is_identifier)
        and split(said)[: len(name)] == name
    )
