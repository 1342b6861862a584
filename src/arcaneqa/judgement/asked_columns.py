"""The column that a question asks for by its name: "which varieties come from Taiwan?" wants no coffees,
though only coffees come from there, and the last names of teachers are not those of pupils."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.asked_kinds import (
    ASKING,
    LOOKED_AT,
    are_about,
    classes_by_name,
    kind_asked_for,
    share_members,
    whole_noun,
)
from arcaneqa.judgement.rules import Asked, Said
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

_COLUMNS: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[Relation]]] = WeakKeyDictionary()
_ASKING_FOR = re.compile(
    r"\s*(?:(?:what|which)\s+(?:is|are|was|were)"
    r"|(?:please\s+)?(?:list|show|find|give|return|tell|get|report|display)(?:\s+me)?(?:\s+out)?)"
    r"(?:\s+all)?(?:\s+of)?(?:\s+the)?(?:\s+all)?(?:\s+(?:distinct|different|unique))?\s+",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"of(?:\s+(?:all|the|each|every))*\s+", re.IGNORECASE)


def column_asked_for(question: str, kb: KnowledgeBase) -> tuple[list[Relation], str]:
    """The relations that are called what the question asks for, and what it goes on with."""
    for noun, rest in _nouns_asked_for(question, kb):
        if rest.startswith("and "):
            continue
        owner = _owner(rest, kb)
        # The details of investors are the investor details.
        for name in ((*noun, root_of("of"), *owner), (*owner, *noun), noun):
            if called := _columns_by_name(kb).get(name):
                return called, rest
    return [], ""


def _nouns_asked_for(question: str, kb: KnowledgeBase) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is asked for, as far as it can be told, each with what the question goes on with."""
    for asking in (ASKING.match(question), _ASKING_FOR.match(question)):
        said = [] if asking is None else split(question[asking.end() :])
        if noun := whole_noun(said, kb):
            yield noun, " ".join(said[len(noun) :])


def _owner(rest: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """The roots of the noun for those of whom something is asked for: "of the teachers who …"."""
    whose = _WHOSE.match(rest)
    return () if whose is None else whole_noun([*split(rest[whose.end() :]), "is"], kb)


def tells_of_others(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether what is given is surely of others than it should be: the last names of teachers are not those
    of pupils."""
    match found.program:
        case ex.Join(ex.Relation(_, True), some) if kb.are_literals(found.nodes.ids[:LOOKED_AT]).any():
            if (owner := _owning_kind(question, kb)) is None:
                return False
            try:
                bearers = execute(some, kb).nodes.ids[:LOOKED_AT]
            except BudgetExceeded:
                return False
            kinds = kb.classes(kb.nodes(bearers)).tolist()
            return bool(kinds) and not any(_may_be_same(owner, kind, kb) for kind in kinds)
    return False


def _owning_kind(question: str, kb: KnowledgeBase) -> int | None:
    """The class of whose members something is asked for, if it is one."""
    for _, rest in _nouns_asked_for(question, kb):
        kinds = classes_by_name(kb).get(_owner(rest, kb), ())
        if len(kinds) == 1:
            return kinds[0]
    return None


def _may_be_same(one: int, other: int, kb: KnowledgeBase) -> bool:
    """Whether things are of both kinds, or rows of one are about the other."""
    return share_members(one, other, kb) or are_about(one, other, kb) or are_about(other, one, kb)


def _columns_by_name(kb: KnowledgeBase) -> dict[tuple[str, ...], list[Relation]]:
    """Relations by the roots of their names' words; read once a knowledge base."""
    if (names := _COLUMNS.get(kb)) is None:
        names = {}
        for relation in kb.schema.relations:
            if not relation.hidden:
                name = split(relation.label)
                # Class rooms are classrooms.
                for called in {tuple(map(root_of, name)), (root_of("".join(name)),)}:
                    names.setdefault(called, []).append(relation)
        _COLUMNS[kb] = names
    return names


def owns_column(found: Found, columns: Sequence[Relation], kb: KnowledgeBase) -> Relation | None:
    """The column that was asked for, where things were found that have it instead, and are not called so."""
    if not columns or ex.denotes(found.program) not in (ex.Denotation.SET, ex.Denotation.LIST):
        return None
    few = kb.nodes(found.nodes.ids[:LOOKED_AT])
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


def column_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """The column that is asked for, unless what is asked for is a kind: readings that find what has it give
    way to what it says there."""
    if kind_asked_for(asked.question, found, asked.kb) is not None:
        return None
    columns = column_asked_for(asked.question, asked.kb)[0]

    def further(found: Sequence[Found]) -> list[Found]:
        owned = ((one, owns_column(one, columns, asked.kb)) for one in found)
        of_these = (_in_column(one, column, asked.kb) for one, column in owned if column is not None)
        return [one for one in of_these if one is not None]

    return Said(lambda one: owns_column(one, columns, asked.kb) is not None, further) if columns else None


def _in_column(one: Found, column: Relation, kb: KnowledgeBase) -> Found | None:
    program = _column_of(one.program, column)
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return None
    step = Considered("", [Candidate(TokenKind.RELATION, column.label)], np.zeros(1, np.float32), 0)
    trace = Trace(one.trace.topics, [*one.trace.steps, step])
    return replace(one, program=program, result=result, trace=trace)


def _column_of(program: ex.Expression, column: Relation) -> ex.Expression:
    """What the members have in that column, in their order if they have one."""
    if ex.denotes(program) is ex.Denotation.LIST:
        return ex.Show(program, ((ex.Relation(column.iri),),))
    return ex.Join(ex.Relation(column.iri, inverse=True), program)
