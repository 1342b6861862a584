"""A column that a question asks for by its name: "which varieties come from Taiwan?" wants no coffees, though
only coffees come from there, but what varieties they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.asked_kinds import ASKING, whole_noun
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_NAMES: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[Relation]]] = WeakKeyDictionary()
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_ASKING = re.compile(
    r"\s*(?:(?:what|which)\s+(?:is|are|was|were)"
    r"|(?:please\s+)?(?:list|show|find|give|return|tell|get|report|display)(?:\s+me)?(?:\s+out)?)"
    r"(?:\s+all)?(?:\s+of)?(?:\s+the)?(?:\s+all)?(?:\s+(?:distinct|different|unique))?\s+",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"of(?:\s+(?:all|the|each|every))*\s+", re.IGNORECASE)


def asked_columns(question: str, kb: KnowledgeBase) -> list[Relation]:
    """The relations that are called what the question asks for."""
    return column_asked_for(question, kb)[0]


def column_asked_for(question: str, kb: KnowledgeBase) -> tuple[list[Relation], str]:
    """The relations that are called what the question asks for, and what it goes on with."""
    for asking in (ASKING.match(question), _ASKING.match(question)):
        said = [] if asking is None else split(question[asking.end() :])
        noun = whole_noun(said, kb)
        rest = " ".join(said[len(noun) :])
        if not noun or rest.startswith("and "):
            continue
        whose = _WHOSE.match(rest)
        owner = () if whose is None else whole_noun([*split(rest[whose.end() :]), "is"], kb)
        # The details of investors are the investor details.
        for name in ((*noun, root_of("of"), *owner), (*owner, *noun), noun):
            if called := _by_name(kb).get(name):
                return called, rest
    return [], ""


def _by_name(kb: KnowledgeBase) -> dict[tuple[str, ...], list[Relation]]:
    """Relations by the roots of their names' words; read once a knowledge base."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for relation in kb.schema.relations:
            if not relation.hidden:
                name = split(relation.label)
                # Class rooms are classrooms.
                for called in {tuple(map(root_of, name)), (root_of("".join(name)),)}:
                    names.setdefault(called, []).append(relation)
        _NAMES[kb] = names
    return names


_END = re.compile(
    r"\s*(?:(?:what|which)\s+(?:is|was)\s+)?(?:the\s+)?(?:most|least|best|worst|[a-z]{2,}est)\s+",
    re.IGNORECASE,
)
_GOES_ON = frozenset(("of", "among", "in", "for", "at", "on", "ever", "by", "with"))
_AGGREGATES = {ex.Direction.LARGEST: ex.Aggregation.MAX, ex.Direction.SMALLEST: ex.Aggregation.MIN}


def value_at_the_end(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The number itself, where a question asks for nothing but the largest or smallest of a column: the
    lowest price is no product."""
    asked = _END.match(question)
    match found.program:
        case ex.Extreme(direction, argument, (ex.Relation(iri, False) as relation,), 1, 1) if asked:
            number = kb.schema.relation_ids.get(iri)
            said = list(map(root_of, split(question[asked.end() :])))
            name = [] if number is None else list(map(root_of, split(kb.schema.relations[number].label)))
            goes_on = said[len(name) : len(name) + 1]
            is_asked_for = bool(name) and said[: len(name)] == name and _GOES_ON.issuperset(goes_on)
            is_number = number is not None and kb.schema.relations[number].kinds == {ValueKind.NUMBER}
            if is_asked_for and is_number:
                return put_right(ex.Aggregate(_AGGREGATES[direction], argument, (relation,)), found, kb)
    return found


def owns_column(found: Found, columns: Sequence[Relation], kb: KnowledgeBase) -> Relation | None:
    """The column that was asked for, where things were found that have it instead, and are not called so."""
    if not columns or ex.denotes(found.program) not in (ex.Denotation.SET, ex.Denotation.LIST):
        return None
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    if not few or kb.are_literals(few.ids).any():
        return None
    had = set(kb.out_relations(few).tolist())
    column = next((one for one in columns if one.id in had and not _gives(found.program, one, kb)), None)
    if column is None or set(kb.labels(few.ids)) & set(kb.labels(kb.objects(column.id, few).ids)):
        return None
    return column


def _gives(program: ex.Expression, column: Relation, kb: KnowledgeBase) -> bool:
    """Whether it finds what others have in a column of that name."""
    if not isinstance(program, ex.Join) or not program.relation.inverse:
        return False
    number = kb.schema.relation_ids.get(program.relation.iri)
    given = "" if number is None else kb.schema.relations[number].label
    return list(map(root_of, split(given))) == list(map(root_of, split(column.label)))


def with_columns(found: Iterable[Found], columns: Sequence[Relation], kb: KnowledgeBase) -> Iterator[Found]:
    """The programs, and after each that finds what has such a column the column itself."""
    known = list(found)
    programs = {one.program for one in known}
    for one in known:
        yield one
        column = owns_column(one, columns, kb)
        program = None if column is None else _column_of(one.program, column)
        if column is None or program is None or program in programs:
            continue
        try:
            result = execute(program, kb)
        except BudgetExceeded:
            continue
        step = Considered("", [Candidate(TokenKind.RELATION, column.label)], np.zeros(1, np.float32), 0)
        trace = Trace(one.trace.topics, [*one.trace.steps, step])
        yield replace(one, program=program, result=result, trace=trace)


def _column_of(program: ex.Expression, column: Relation) -> ex.Expression:
    """What the members have in that column, in their order if they have one."""
    if ex.denotes(program) is ex.Denotation.LIST:
        return ex.Show(program, ((ex.Relation(column.iri),),))
    return ex.Join(ex.Relation(column.iri, inverse=True), program)
