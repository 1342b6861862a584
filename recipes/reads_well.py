"""Which of the programs that give a recorded answer mean the question, and which give it by chance.

A table of twenty rows has few different counts, and many ways to its first row: a program that gives the
right answer is believed only where it takes up what the question says and adds nothing of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from arcaneqa.induction.found import Found, SearchOutcome, is_same
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.language.run import execute
from arcaneqa.links import Links
from arcaneqa.support.errors import ArcaneError
from arcaneqa.verdict.evidence import Evidence, Near, evidence
from arcaneqa.verdict.fitted import Fitted
from arcaneqa.verdict.frame import Wanted, wanted

SURE = 0.25
"""Confidence from which on a program may have something that the question does not say in its words."""
FEW, SURER = 3, 0.5
"""A count up to this is often right by chance, so it takes more."""
_ORDER = re.compile(r"\b(first|last|earliest|latest|oldest|newest|recent|recently|final|debut)\b")
_NEIGHBOUR = re.compile(r"\b(next|previous|previously|prior|preceding|following)\b")
_UNSAYABLE = re.compile(r"\b(consecutive|consecutively|in a row|straight|difference|how long|combined)\b")
_OTHER = re.compile(r"\b(other|others|another|else|besides|except)\b")
_SAME = re.compile(r"\b(same|as|than)\b")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_TOLD_BY_A_WORD = (Wanted.PERSON, Wanted.PLACE, Wanted.TIME)
_TIMES = frozenset(map(stem, ("year", "date", "season", "time", "day", "month")))
_PLACES = frozenset(
    map(stem, ("rank", "round", "rnd", "no", "number", "position", "pos", "place", "week", "game", "order"))
)
"""Columns that number rows in an order which "first" and "last" may mean."""


class Judge:
    """Reads programs over one table."""

    def __init__(self, kb: KnowledgeBase, fitted: Fitted, near: Near) -> None:
        self._kb = kb
        self._fitted = fitted
        self._near = near

    def reads_well(self, question: str, links: Links, found: Found, outcome: SearchOutcome) -> bool:
        """Whether a program that a model found means the question, as far as words and the model can tell."""
        seen = evidence(links, outcome, self._near, self._kb)
        if not self._fits(question, found, seen):
            return False
        rows = [one.row for one in seen.readings]
        _, chances = self._fitted.chances(rows, [one.group for one in seen.readings], seen.none)
        places = [place for place, one in enumerate(seen.readings) if one.found is found]
        confidence = chances[places[0]]
        if _is_small_count(found):
            return confidence >= SURER
        return confidence >= SURE or is_all_said(question, found.program, self._kb)

    def is_said(self, question: str, links: Links, found: Found) -> bool:
        """The same for a program that no model has looked at."""
        seen = evidence(links, SearchOutcome((found,), is_complete=True), self._near, self._kb)
        fits = self._fits(question, found, seen) and not _is_small_count(found)
        return fits and is_all_said(question, found.program, self._kb)

    def _fits(self, question: str, found: Found, seen: Evidence) -> bool:
        program = found.program
        own = next(one for one in seen.readings if one.found is found)
        if is_odd(question, program, self._kb) or is_dropped(question, program, self._kb):
            return False
        left = own.alignment
        if left.wrong_ends or left.wrong_numbers or left.dropped or own.row["impossible kind"]:
            return False
        # A number that is asked for may be a cell, if that is all.
        lacks = {sign.form for sign in left.unmet}
        return not lacks or (lacks == {Form.NUMBER} and not _picks(program))


def is_odd(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """What nobody would say of a table: there and back again, whatever has a value, the most of the most,
    counting the single value of a row, what two columns have in common, the first of one."""
    nodes = list(ex.post_order(program))
    extremes = [node for node in nodes if isinstance(node, ex.Extreme)]
    if len(extremes) > 1 or any(map(_is_odd_node, nodes)):
        return True
    if any(map(_goes_back, nodes)) and not _SAME.search(question.lower()):
        return True
    compared = [node for node in nodes if isinstance(node, ex.Compare)]
    if len({(node.comparison, node.key) for node in compared}) < len(compared):
        return True
    if any(_takes_a_year_for_an_amount(node, kb) or _totals_one_row(node, kb) for node in nodes):
        return True
    return any(is_same(execute(node, kb), execute(node.argument, kb), kb) for node in extremes)


def is_dropped(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a small word of the question asks for something that the program does not do: the first, the
    next, others, three in a row; or the program takes the earliest, and no word asks for it."""
    asked, nodes = question.lower(), list(ex.post_order(program))
    if _UNSAYABLE.search(asked):
        return True
    if _OTHER.search(asked) and not any(isinstance(node, ex.Not) for node in nodes):
        return True
    extremes = [node for node in nodes if isinstance(node, ex.Extreme)]
    if not extremes and not any(isinstance(node, ex.Aggregate) for node in nodes):
        named = {word for node in nodes for column in _columns(node, kb) for word in _stems(column)}
        return any(stem(word) not in named for word in _ORDER.findall(asked) + _NEIGHBOUR.findall(asked))
    keys = [column for node in extremes for column in _columns(node, kb)]
    if not (_ORDER.search(asked) or _NEIGHBOUR.search(asked)):
        return bool(keys) and all(map(_is_time, keys))
    said = {stem(word) for word in split(question)}
    return not all(_is_time(key) or not (said | _PLACES).isdisjoint(_stems(key)) for key in keys)


def _is_odd_node(node: ex.Expression) -> bool:
    match node:
        case ex.Has() | ex.Show() | ex.Per() | ex.Sort() | ex.Meet():
            return True
        case ex.Extreme(_, _, ex.Counted() | ex.Totalled() as key):
            return not key.path[0].inverse
        case ex.Compare(_, ex.Counted() | ex.Totalled() as key, _):
            return not key.path[0].inverse
        case ex.Count(ex.Entity()) | ex.Count(ex.Join(_, ex.Entity())):
            return True
        case ex.And(ex.Join(ex.Relation(_, True), _), ex.Join(ex.Relation(_, True), _)):
            return True
        case ex.Or(ex.Compare(), _) | ex.Or(_, ex.Compare()):
            return True
    return False


def _takes_a_year_for_an_amount(node: ex.Expression, kb: KnowledgeBase) -> bool:
    match node:
        case ex.Join(_, ex.Value(literal)) | ex.Compare(_, ex.Relation(), ex.Value(literal)):
            is_year = kind_of(literal) is ValueKind.NUMBER and bool(_YEAR.fullmatch(literal.lexical))
            return is_year and not any(map(_is_time, _columns(node, kb)))
    return False


def _totals_one_row(node: ex.Expression, kb: KnowledgeBase) -> bool:
    """The total of each nation, where every nation has one row."""
    match node:
        case ex.Extreme(_, _, ex.Counted() | ex.Totalled()):
            return all(column.objects == column.facts for column in _columns(node, kb)[:1])
    return False


def _goes_back(node: ex.Expression) -> bool:
    """Whether a relation leads back along itself."""
    if not isinstance(node, ex.Join):
        return False
    back = replace(node.relation, inverse=not node.relation.inverse)
    inner = (one for one in ex.post_order(node.argument) if isinstance(one, ex.Join))
    return any(one.relation == back for one in inner)


def is_all_said(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the question names every column of the program that no value of the question leads to."""
    said = {stem(word) for word in split(question)}
    kind = wanted(question)
    for node in ex.post_order(program):
        match node:
            case ex.Cons(_, _, constant):
                text = constant.literal.lexical if isinstance(constant, ex.Value) else ""
                if said.isdisjoint(stem(word) for word in split(text)):
                    return False
            case ex.Join(ex.Relation(_, False), ex.Entity() | ex.Value() as named) if not _is_number(named):
                continue
            case ex.Join() | ex.Compare() if all(map(_is_time, _columns(node, kb))):
                continue
            case ex.Join(ex.Relation(_, True)) if node is program and kind in _TOLD_BY_A_WORD:
                continue
            case ex.Extreme() if _ORDER.search(question.lower()) and all(map(_is_time, _columns(node, kb))):
                continue
            case _:
                if any(said.isdisjoint(_stems(column)) for column in _columns(node, kb)):
                    return False
    # How many there are in all may be asked of anything that the table lists, or of something else.
    return not (isinstance(program, ex.Count) and isinstance(program.argument, ex.Class))


def neighbours(question: str, found: Sequence[Found], kb: KnowledgeBase) -> Iterator[Found]:
    """Programs that ask something else of the same rows: another column of them, the first of them."""
    said = {stem(word) for word in split(question)}
    columns = [r for r in kb.schema.relations if not r.hidden]
    named = [ex.Relation(r.iri, True) for r in columns if not said.isdisjoint(_stems(r))]
    keys = [r for r in columns if r.kinds & {ValueKind.NUMBER, ValueKind.TIME}]
    in_order = bool(_ORDER.search(question.lower()))
    keys = [r for r in keys if not said.isdisjoint(_stems(r)) or (in_order and _is_time(r))]
    seen: set[ex.Expression] = {one.program for one in found}
    for one in found:
        rows = rows_of(one.program)
        if rows is None:
            continue
        picked: list[ex.Expression] = [rows]
        if not any(isinstance(node, ex.Extreme) for node in ex.post_order(rows)):
            picked += [ex.Extreme(way, rows, (ex.Relation(r.iri),)) for r in keys for way in ex.Direction]
        for some in picked:
            for program in (some, *(ex.Join(column, some) for column in named)):
                if program not in seen:
                    seen.add(program)
                    with suppress(ArcaneError):
                        yield replace(one, program=program, result=execute(program, kb))


def rows_of(program: ex.Expression) -> ex.Expression | None:
    """The rows that a program speaks of at last."""
    match program:
        case ex.Join(ex.Relation(_, True), argument) | ex.Count(argument, ()) | ex.Aggregate(_, argument, _):
            return None if isinstance(argument, ex.Join) and argument.relation.inverse else argument
        case ex.Extreme() | ex.And() | ex.Cons() | ex.Join() | ex.Class() | ex.Compare():
            return program
    return None


def _is_small_count(found: Found) -> bool:
    value = found.result.value
    return isinstance(found.program, ex.Count) and value is not None and int(float(value.lexical)) <= FEW


def _picks(program: ex.Expression) -> bool:
    return any(isinstance(node, ex.Extreme | ex.Compare) for node in ex.post_order(program))


def _is_number(term: ex.Entity | ex.Value) -> bool:
    return isinstance(term, ex.Value) and kind_of(term.literal) is ValueKind.NUMBER


def _columns(node: ex.Expression, kb: KnowledgeBase) -> list[Relation]:
    return [kb.schema.relations[kb.schema.relation_ids[relation.iri]] for relation in ex.relations(node)]


def _stems(relation: Relation) -> set[str]:
    return {stem(word) for word in split(relation.label)}


def _is_time(relation: Relation) -> bool:
    return ValueKind.TIME in relation.kinds or not _TIMES.isdisjoint(_stems(relation))
