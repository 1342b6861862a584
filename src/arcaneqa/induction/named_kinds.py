"""What is meant where several kinds of things share a relation.

"The last names of teachers in room 109": if pupils have rooms as well, a program that takes whatever has room
109 answers with both. As with what is counted (`counted_kinds`), the words of the question and the facts
leave no doubt: where the question names one of the kinds that were mixed up, only that is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from arcaneqa.induction.counted_kinds import noun_of, of_kind, said_kinds
from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase, NodeSet, Step
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Class
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded


def with_named_kinds(question: str, found: Sequence[Found], kb: KnowledgeBase) -> tuple[Found, ...]:
    """The programs, each with only that kind taken which the question names."""
    said = {stem(word) for word in split(question)}
    named = said_kinds(said, kb)
    if not named:
        return tuple(found)
    kept: dict[ex.Expression, Found] = {}
    for one in found:
        changed = _narrowed(one, named, kb)
        kept.setdefault(changed.program, changed)
    return tuple(kept.values())


def _narrowed(found: Found, named: Sequence[Class], kb: KnowledgeBase) -> Found:
    used = {node.iri for node in ex.post_order(found.program) if isinstance(node, ex.Class)}
    unused = [kind for kind in named if kind.iri not in used]
    # Services are asked for, and not counted by the way as services of parties.
    nouns = {
        noun_of(kb.schema.classes[number])
        for iri in used
        if (number := kb.schema.class_ids.get(iri)) is not None
    }
    others = [kind for kind in unused if noun_of(kind) not in nouns]
    for open_end in _open_ends(found.program) if others else ():
        kind = _only_one_having(open_end, others, kb)
        if kind is not None:
            return of_kind(found, _replaced(found.program, open_end, kind), kind, kb) or found
    for open_set in _open_sets(found.program) if unused else ():
        kind = _mixed_with_others(open_set, unused, kb)
        if kind is not None:
            return of_kind(found, _with_kind(found.program, open_set, kind), kind, kb) or found
    return found


def _open_ends(program: ex.Expression) -> Iterator[ex.Has]:
    """Whatever something leads to, of whatever kind that is."""
    for node in ex.post_order(program):
        if isinstance(node, ex.Has) and node.relation.inverse:
            yield node


def _only_one_having(end: ex.Has, kinds: Sequence[Class], kb: KnowledgeBase) -> Class | None:
    """The only one of the kinds that has the relation, if others have it, too."""
    number = kb.schema.relation_ids[end.relation.iri]
    having = set(kb.classes_having(np.array([number], np.int64)).tolist())
    meant = [kind for kind in kinds if kind.id in having]
    if len(meant) != 1:
        return None
    (kind,) = meant
    return kind if kb.difference(kb.having(Step(number)), kb.members(kind.id)) else None


def _replaced(program: ex.Expression, end: ex.Has, kind: Class) -> ex.Expression:
    """The program with what that kind leads to in place of what anything does."""
    led = ex.Join(end.relation, ex.Class(kind.iri))
    return rewrite(program, lambda node: led if node == end else node)


def _with_kind(program: ex.Expression, open_set: ex.Expression, kind: Class) -> ex.Expression:
    only = ex.And(ex.Class(kind.iri), open_set)
    return rewrite(program, lambda node: only if node == open_set else node)


def _open_sets(program: ex.Expression) -> Iterator[ex.Expression]:
    """The sets from which an answer is read off, as far as no class says what they are of."""
    match program:
        case ex.Join(relation, argument) if relation.inverse:
            yield from _open_sets(argument)
        case ex.Count(argument) | ex.Aggregate(_, argument) | ex.Sort(argument) | ex.Show(argument):
            yield from _open_sets(argument)
        case ex.Extreme(_, argument) | ex.Per(argument) | ex.Not(argument):
            yield from _open_sets(argument)
        case ex.Join() | ex.Compare() | ex.Like():
            yield program
        case ex.And() if not any(isinstance(node, ex.Class) for node in _members_of(program)):
            yield program


def _members_of(program: ex.Expression) -> Iterator[ex.Expression]:
    """What a conjunction is made of."""
    if isinstance(program, ex.And):
        yield from _members_of(program.left)
        yield from _members_of(program.right)
    else:
        yield program


def _mixed_with_others(open_set: ex.Expression, kinds: Sequence[Class], kb: KnowledgeBase) -> Class | None:
    """The only one of the kinds that some members of the set are of, and others cannot be."""
    try:
        nodes = execute(open_set, kb).nodes
    except BudgetExceeded:
        return None
    met = [kind for kind in kinds if kb.intersects(nodes, kb.members(kind.id))]
    if len(met) != 1:
        return None
    (kind,) = met
    return kind if _exclude_each_other(kind, kb.difference(nodes, kb.members(kind.id)), kb) else None


def _exclude_each_other(kind: Class, others: NodeSet, kb: KnowledgeBase) -> bool:
    """Whether the others are all of kinds that share no member with this one. Where kinds overlap, or not
    everything has one, a politician may be there who is only called a person."""
    rest = others
    for klass in kb.classes(others).tolist() if others else ():
        members = kb.members(klass)
        if not kb.schema.classes[klass].hidden and kb.intersects(members, kb.members(kind.id)):
            return False
        rest = kb.difference(rest, members)
    return bool(others) and not rest
