"""Programs that no search built but the question suggests. Each is a function from a program to others; what
it makes competes in the last decision like everything else and never replaces a program in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.schema import Class, Relation, ValueKind
from arcaneqa.kb.terms import Blank, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError
from arcaneqa.verdict.alignment import scale_end
from arcaneqa.verdict.claims import relation_of
from arcaneqa.verdict.frame import Frame, Wanted, frame_of, plain_number
from arcaneqa.verdict.words import NOT_SO, SMALL, SO, roots_in_order

Programs = Iterator[ex.Expression]
Proposal = Callable[[Frame, Found, KnowledgeBase], Programs]
MOST = 6
"""Proposals that are read beside what was found: each costs the model's last decision some words."""


def proposed(question: str, found: Sequence[Found], kb: KnowledgeBase) -> list[Found]:
    """What was found, but for what joins by coincidence, and what is proposed beside it."""
    frame = frame_of(question)
    kept = [one for one in found if not joins_by_chance(frame, one.program, kb)]
    known = {one.program for one in kept}
    added: list[Found] = []
    for name, proposal in PROPOSALS.items():
        for one in kept:
            for program in proposal(frame, one, kb):
                if program not in known and len(added) < MOST:
                    known.add(program)
                    if (made := _made(program, one, name, kb)) is not None:
                        added.append(made)
    return kept + added


def _made(program: ex.Expression, near: Found, name: str, kb: KnowledgeBase) -> Found | None:
    """A program as likely as the one that it was made of; None where it finds nothing or cannot be said."""
    try:
        result = execute(program, kb)
    except (BudgetExceeded, ProgramError):
        return None
    if result.nothing or (result.value is None and result.table is None and not result.nodes):
        return None
    return replace(near, program=program, result=result, origin=name)


def joins_by_chance(frame: Frame, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether two things are joined because a number or date of one happens to be that of another relation,
    and the question does not name both: "a height equal to the width of block 1" does."""
    for node in ex.post_order(program):
        match node:
            case ex.Join(ex.Relation(inverse=False) as outer, ex.Join(ex.Relation(inverse=True) as inner)):
                one, other = relation_of(outer, kb), relation_of(inner, kb)
                if one is None or other is None or one.id == other.id:
                    continue
                if not (one.comparable and other.comparable) or one.is_identifier or other.is_identifier:
                    continue
                if ValueKind.ENTITY not in one.kinds | other.kinds and not (
                    _is_named(frame, one) and _is_named(frame, other)
                ):
                    return True
    return False


def _is_named(frame: Frame, relation: Relation) -> bool:
    """Whether the question has every telling word of its name."""
    name = frozenset(roots_in_order(relation.label)) - SMALL
    return bool(name) and name <= frame.roots


# Ends, sides, denials.

_OTHER_END = {
    ex.Direction.LARGEST: ex.Direction.SMALLEST,
    ex.Direction.SMALLEST: ex.Direction.LARGEST,
}
_AGGREGATES = {ex.Direction.LARGEST: ex.Aggregation.MAX, ex.Direction.SMALLEST: ex.Aggregation.MIN}
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""


def other_end(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """The oldest school by the first year for the last one, where the words say which end is meant."""

    def turned(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Extreme(direction, _, key):
                path = () if isinstance(key, ex.Counted) else ex.path_of(key)
                end = scale_end(frame, relation_of(path[-1], kb) if path else None)
                if end is not None and end is not (direction is ex.Direction.LARGEST):
                    return replace(node, direction=_OTHER_END[direction])
        return node

    yield rewrite(found.program, turned)


def as_compared(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """A number compared as the words say: "before 1937" for just 1937, "at least 5" for more than 5."""
    said = {figure.number: figure.compared for figure in frame.figures if figure.compared is not None}

    def compared(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Compare(_, _, ex.Value(literal)) if plain_number(literal.lexical) in said:
                return replace(node, comparison=said[plain_number(literal.lexical)])
            case ex.Join(ex.Relation(inverse=False) as relation, ex.Value(literal) as value):
                how, known = said.get(plain_number(literal.lexical)), relation_of(relation, kb)
                if how is not None and known is not None and known.comparable:
                    return ex.Compare(how, relation, value)
        return node

    if said:
        yield rewrite(found.program, compared)


def less_what_is_denied(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """Cities without the large branches, for those with some: one condition taken away from the others."""
    if frame.denied is None or any(isinstance(node, ex.Not) for node in ex.post_order(found.program)):
        return
    behind = {topic.term for topic in found.topics if topic.words.start >= frame.denied}

    def is_denied(condition: ex.Expression) -> bool:
        return not behind.isdisjoint(ex.post_order(condition)) or isinstance(condition, ex.Has)

    def less(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And(rest, condition) if is_denied(condition) and not is_denied(rest):
                return ex.Not(rest, condition)
            case ex.And(condition, rest) if is_denied(condition) and not is_denied(rest):
                return ex.Not(rest, condition)
        return node

    yield rewrite(found.program, less)
    match found.program:
        case (
            ex.Join(ex.Relation(inverse=False) as relation)
            | ex.Compare(_, ex.Relation() as relation)
            | ex.Has(ex.Relation(inverse=False) as relation)
        ):
            known = relation_of(relation, kb)
            if known is not None and known.domain is not None:
                yield ex.Not(ex.Class(kb.schema.classes[known.domain].iri), found.program)


def without_the_named(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """Other films by the director of Hook than Hook."""
    if not frame.is_of_others or ex.denotes(found.program) is not ex.Denotation.SET:
        return
    program = found.program
    for entity in ex.mentioned(program):
        node = kb.node(entity.term)
        if node is not None and node in found.nodes.ids:
            program = ex.Not(program, entity)
    yield program


# What is counted, added up, averaged.


def number_of(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """How many there are, for which they are; a column of numbers added up; and which, for how many."""
    program = found.program
    if frame.wanted is Wanted.COUNT or frame.asks(Form.NUMBER):
        match program:
            case ex.Count(ex.Join(ex.Relation(iri, True), argument), ()) | ex.Count(
                argument, (ex.Relation(iri),)
            ):
                known = relation_of(ex.Relation(iri), kb)
                if known is not None and known.kinds == {ValueKind.NUMBER} and not known.is_identifier:
                    yield ex.Aggregate(ex.Aggregation.SUM, argument, (ex.Relation(iri),))
        if (
            ex.denotes(program) is ex.Denotation.SET
            and not kb.are_literals(found.nodes.ids[:_LOOKED_AT]).all()
        ):
            yield ex.Count(program)
    elif isinstance(program, ex.Count) and not program.path:
        yield program.argument
    if frame.is_different:
        match program:
            case ex.Count(ex.Join(ex.Relation(inverse=True)), ()):
                return
            case ex.Count(argument, ()):
                for relation in kb.schema.shown_relations:
                    if (
                        relation.domain in _kinds_of(argument, kb)
                        and roots_in_order(relation.label) == frame.noun
                    ):
                        yield ex.Count(argument, (ex.Relation(relation.iri),))


# Kinds.


def of_the_kind(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """Only the kind that the question names, where several share a relation: teachers in room 109, not its
    pupils."""
    used = {node.iri for node in ex.post_order(found.program) if isinstance(node, ex.Class)}
    named = [one for one in _named_classes(frame, kb) if one.iri not in used]
    for kind in named[:2]:
        for open_set in _open_sets(found.program):
            try:
                nodes = execute(open_set, kb).nodes
            except (BudgetExceeded, ProgramError):
                continue
            members = kb.members(kind.id)
            if kb.intersects(nodes, members) and kb.difference(nodes, members):
                yield _replaced(found.program, open_set, ex.And(ex.Class(kind.iri), open_set))
        yield _counting(found.program, kind, kb)


def _replaced(program: ex.Expression, old: ex.Expression, new: ex.Expression) -> ex.Expression:
    return rewrite(program, lambda node: new if node == old else node)


def _counting(program: ex.Expression, kind: Class, kb: KnowledgeBase) -> ex.Expression:
    """With only that kind counted where a relation leads back from several."""

    def key_of(key: ex.Key) -> ex.Key:
        match key:
            case ex.Counted((*_, ex.Relation(iri, True)) as path, None):
                number = kb.schema.relation_ids.get(iri)
                having = [] if number is None else kb.classes_having(np.array([number], np.int64)).tolist()
                return ex.Counted(path, ex.Class(kind.iri)) if kind.id in having and len(having) > 1 else key
        return key

    def counting(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Extreme() | ex.Sort():
                return replace(node, key=key_of(node.key))
            case ex.Compare(_, ex.Counted() as key):
                counted = key_of(key)
                return replace(node, key=counted) if isinstance(counted, ex.Counted) else node
        return node

    return rewrite(program, counting)


def _named_classes(frame: Frame, kb: KnowledgeBase) -> list[Class]:
    return [one for one in kb.schema.shown_classes if (roots_in_order(one.label) or ("",))[-1] in frame.roots]


def _open_sets(program: ex.Expression) -> Iterator[ex.Expression]:
    """The sets from which an answer is read off, as far as no class says what they are of."""
    match program:
        case ex.Join(relation, argument) if relation.inverse:
            yield from _open_sets(argument)
            yield program
        case ex.Count(argument) | ex.Aggregate(_, argument) | ex.Sort(argument) | ex.Show(argument):
            yield from _open_sets(argument)
        case ex.Extreme(_, argument) | ex.Per(argument) | ex.Not(argument):
            yield from _open_sets(argument)
        case ex.Join() | ex.Compare() | ex.Like() | ex.Has():
            yield program


def on_to_the_kind(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """What is asked for by its name: on the way of a program, one step further, or a column of what was
    found."""
    if not frame.noun or ex.denotes(found.program) is not ex.Denotation.SET:
        return
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    kinds = [
        one for one in kb.schema.shown_classes if roots_in_order(one.label)[-len(frame.noun) :] == frame.noun
    ]
    if any(kb.intersects(few, kb.members(kind.id)) for kind in kinds):
        return
    program = found.program
    while isinstance(program, ex.Join) and not isinstance(program.argument, ex.Entity | ex.Value | ex.Class):
        program = program.argument
        if kinds and any(_is_of(program, kind, kb) for kind in kinds):
            yield program
    if kb.are_literals(few.ids).any():
        return
    relations = kb.schema.relations
    for number in kb.out_relations(few).tolist():
        if (
            relations[number].range in {kind.id for kind in kinds}
            or roots_in_order(relations[number].label) == frame.noun
        ):
            yield ex.Join(ex.Relation(relations[number].iri, inverse=True), found.program)
    for number in kb.in_relations(few).tolist():
        if relations[number].domain in {kind.id for kind in kinds}:
            yield ex.Join(ex.Relation(relations[number].iri), found.program)


def _is_of(program: ex.Expression, kind: Class, kb: KnowledgeBase) -> bool:
    try:
        nodes = execute(program, kb).nodes
    except (BudgetExceeded, ProgramError):
        return False
    return bool(nodes) and not kb.difference(nodes, kb.members(kind.id))


def _kinds_of(program: ex.Expression, kb: KnowledgeBase) -> set[int | None]:
    kinds: set[int | None] = set()
    for node in ex.post_order(program):
        match node:
            case ex.Class(iri):
                kinds.add(kb.schema.class_ids.get(iri))
            case ex.Join(ex.Relation(_, False) as relation) | ex.Compare(
                _, ex.Relation(_, False) as relation
            ):
                known = relation_of(relation, kb)
                kinds.add(None if known is None else known.domain)
    return kinds - {None}


# Yes and no, values.


def where_so(frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """Only the blocks that are special, for all of them: a column of yes and no that the question names."""
    if frame.wanted is Wanted.TRUTH:
        return
    said = SO if frame.denied is None else NOT_SO
    used = {relation.iri for node in ex.post_order(found.program) for relation in ex.relations(node)}
    for relation in kb.schema.shown_relations:
        if relation.iri in used or not _is_named(frame, relation) or relation.objects > _FEW_VALUES:
            continue
        for term in kb.terms(kb.having(Step(relation.id, inverse=True)).ids):
            if isinstance(term, Literal) and term.lexical.strip().lower() in said:
                yield _only(found.program, ex.Join(ex.Relation(relation.iri), ex.Value(term)))


_FEW_VALUES = 4
"""Of a column that says yes or no: "unknown" and the like beside them."""


def _only(program: ex.Expression, condition: ex.Expression) -> ex.Expression:
    """With a condition on those that a program chooses among or tells something of."""
    match program:
        case ex.Count(argument) | ex.Aggregate(_, argument) | ex.Sort(argument) | ex.Show(argument):
            return replace(program, argument=_only(argument, condition))
        case ex.Extreme(_, argument) | ex.Per(argument):
            return replace(program, argument=_only(argument, condition))
        case ex.Join(ex.Relation(inverse=True), ex.Entity() | ex.Value()):
            return ex.And(program, condition)
        case ex.Join(ex.Relation(inverse=True), argument):
            return replace(program, argument=_only(argument, condition))
    return ex.And(program, condition)


def whether(frame: Frame, found: Found, _kb: KnowledgeBase) -> Programs:
    """Whether Ridley Scott is among its directors, for these; whether one is of a class."""
    if frame.wanted is not Wanted.TRUTH or ex.denotes(found.program) is not ex.Denotation.SET:
        return
    match found.program:
        case ex.And(ex.Entity() as one, other) | ex.And(other, ex.Entity() as one):
            yield ex.Meet(one, other)
        case ex.And(left, right):
            yield ex.Meet(left, right)
        case ex.Join(_, ex.Entity()) as part:
            for other in frame_terms(found):
                if other not in ex.post_order(part):
                    yield ex.Meet(part, other)


def frame_terms(found: Found) -> list[ex.Entity | ex.Value]:
    return [topic.term for topic in found.topics]


def worth(_frame: Frame, found: Found, kb: KnowledgeBase) -> Programs:
    """The number of a value that is a node with a unit beside it."""
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    if ex.denotes(found.program) is not ex.Denotation.SET or not few or any(kb.labels(few.ids)):
        return
    if not all(isinstance(term, Blank) for term in kb.terms(few.ids)):
        return
    for number in kb.out_relations(few).tolist():
        relation = kb.schema.relations[number]
        if not relation.hidden:
            yield ex.Join(ex.Relation(relation.iri, inverse=True), found.program)


PROPOSALS: dict[str, Proposal] = {
    proposal.__name__.replace("_", " "): proposal
    for proposal in (
        other_end,
        as_compared,
        where_so,
        less_what_is_denied,
        of_the_kind,
        number_of,
        on_to_the_kind,
        whether,
        worth,
        without_the_named,
    )
}
