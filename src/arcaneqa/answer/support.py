"""Provenance: the facts that make an answer so, and of a count or total the facts about what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.answer.describe import items_of
from arcaneqa.kb.interface import Ids, KnowledgeBase, NodeSet, Step
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Budget, Execution
from arcaneqa.record import AnswerItem

MOST_FACTS = 200
"""That are given: more are no longer read."""
_WITNESSES = 50
"""Members whose facts are looked up at each step of a program."""
_EACH = 5
"""Facts of one kind about one thing."""
_TABLES = ("urn:column:", "urn:table:")
_FILES = 3
"""Names of files that are said beside a fact."""
IS_A = "is a"


@dataclass(frozen=True, slots=True)
class Fact:
    """`predicate` has its short name as `id`; `source` is the table, file or address it is from."""

    subject: AnswerItem
    predicate: AnswerItem
    object: AnswerItem
    source: str | None

    def to_json(self) -> list[str | None]:
        return [self.subject.term, self.predicate.term, self.object.term, self.source]

    @property
    def words(self) -> tuple[str, str, str, str]:
        """As people read it."""
        ends = (self.subject, self.predicate, self.object)
        subject, predicate, object_ = (one.label or one.term for one in ends)
        return subject, predicate, object_, self.source or ""


def support(kb: KnowledgeBase, program: ex.Expression, items: Sequence[AnswerItem] = ()) -> tuple[Fact, ...]:
    """Of the first answers, or of all that the program finds where they are values."""
    witnesses = _Witnesses(Execution(kb, Budget(), []))
    witnesses.tell(program, _nodes(kb, items))
    return witnesses.facts()


def _called(kb: KnowledgeBase, ids: Ids) -> list[AnswerItem]:
    """A thing without a name goes by its id: its facts stand beside it."""
    nameless = [label is None for label in kb.labels(ids)]
    return [
        replace(item, label=(item.id or "").removeprefix("row:")) if is_nameless and item.id else item
        for item, is_nameless in zip(items_of(kb, ids), nameless, strict=True)
    ]


def _nodes(kb: KnowledgeBase, items: Sequence[AnswerItem]) -> Ids | None:
    names = Names(kb.profile)
    things = [item.id for item in items[:_WITNESSES] if item.id is not None]
    nodes = [node for id in things if (node := kb.node(names.read(id))) is not None]
    return np.array(nodes, np.int64) if nodes else None


class _Witnesses:
    """Facts of a program's members, found from the answers inwards, each once and in that order."""

    def __init__(self, run: Execution) -> None:
        self._run = run
        self._kb = run.kb
        self._found: dict[tuple[int, int, int], None] = {}
        self._kinds: dict[tuple[int, int], None] = {}

    def tell(self, program: ex.Expression, members: Ids | None) -> None:
        """What makes these nodes members of what the program denotes; None for the first of its members."""
        match program:
            case ex.Count(argument, path) | ex.Aggregate(_, argument, path):
                self._about(argument, None, [path])
                return
            case ex.Meet(left, right):
                met = self._kb.intersection(self._run.nodes(left), self._run.nodes(right))
                for side in (left, right):
                    self.tell(side, met.ids[:_WITNESSES] if met else None)
                return
            case ex.Sort(ex.Per() as table):
                self.tell(table, None)
                return
            case ex.Sort(argument, key):
                self._about(argument, members, [ex.path_of(key)])
                return
            case ex.Show(argument, columns):
                self._about(argument, None, map(ex.path_of, columns))
                return
            case ex.Per(argument, path, columns):
                self._about(argument, None, [path, *map(ex.path_of, columns)])
                return
        own = self._run.nodes(program)
        members = own.ids if members is None else np.intersect1d(members, own.ids)
        self._of_set(program, members[:_WITNESSES])

    def _about(self, argument: ex.Expression, members: Ids | None, paths: Iterable[ex.Path]) -> None:
        """Members and what the paths lead to from them."""
        if isinstance(argument, ex.Sort):
            argument = argument.argument
        members = self._run.nodes(argument).ids[:_WITNESSES] if members is None else members
        self.tell(argument, members)
        for path in paths:
            self._walk(members, path)

    def _of_set(self, program: ex.Expression, members: Ids) -> None:
        match program:
            case ex.Class(iri):
                klass = self._kb.schema.class_ids[iri]
                self._kinds.update(dict.fromkeys((node, klass) for node in members.tolist()))
            case ex.Join(relation, argument):
                inner = self._run.nodes(argument)
                self.tell(
                    argument, self._step(members, Step(self._run.id(relation), relation.inverse), inner)
                )
            case ex.Or(left, right) | ex.And(left, right):
                for side in (left, right):
                    # A comparison of counts is told about the members that it picks.
                    if ex.picks_members(side):
                        self._of_set(side, members)
                    else:
                        self.tell(side, members)
            case ex.Not(argument):
                self.tell(argument, members)
            case ex.Extreme(_, argument, key):
                self._about(argument, members, [ex.path_of(key)])
            case ex.Compare(_, key, value):
                path = ex.path_of(key)
                self._walk(members, path)
                if not isinstance(value, ex.Value):
                    self.tell(value, None)
            case ex.Cons(argument, relation, constant):
                self._step(members, Step(self._run.id(relation)), self._run.nodes(constant))
                self.tell(argument, members)
            case ex.During(argument, relation, _):
                start = self._run.id(relation)
                for one in (start, self._kb.schema.time_pairs.get(start)):
                    if one is not None:
                        self._step(members, Step(one))
                self.tell(argument, members)
            case ex.Has(relation) | ex.Like(relation, _):
                self._walk(members, (relation,))

    def _walk(self, members: Ids, path: ex.Path) -> None:
        for relation in path:
            members = self._step(members, Step(self._run.id(relation), relation.inverse))

    def _step(self, members: Ids, step: Step, within: NodeSet | None = None) -> Ids:
        """The facts that lead from the members to some node (in a set), and those nodes."""
        kb = self._kb
        pairs = kb.walks(kb.nodes(members), (step,))
        starts, ends = pairs.subjects, pairs.objects
        if within is not None:
            kept = np.isin(ends, within.ids)
            starts, ends = starts[kept], ends[kept]
        firsts = np.arange(len(starts)) - starts.searchsorted(starts) < _EACH
        starts, ends = starts[firsts], ends[firsts]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            fact = (end, step.relation, start) if step.inverse else (start, step.relation, end)
            self._found[fact] = None
        reached: Ids = np.unique(ends)[:_WITNESSES]
        return reached

    def facts(self) -> tuple[Fact, ...]:
        kb, names = self._kb, Names(self._kb.profile)
        facts = list(self._found)[:MOST_FACTS]
        kinds = list(self._kinds)[: MOST_FACTS - len(facts)]
        ids = np.unique(np.array([n for s, _, o in facts for n in (s, o)] + [n for n, _ in kinds], np.int64))
        items = dict(zip(ids.tolist(), _called(kb, ids), strict=True))
        told = []
        for subject, relation, object_ in facts:
            known = kb.schema.relations[relation]
            predicate = AnswerItem(id=names.short(known.iri), label=known.label, iri=known.iri)
            told.append(Fact(items[subject], predicate, items[object_], self._source(known.iri)))
        for node, klass in kinds:
            kind = kb.schema.classes[klass]
            of_kind = AnswerItem(id=names.short(kind.iri), label=kind.label, iri=kind.iri)
            told.append(Fact(items[node], AnswerItem(id=IS_A), of_kind, self._source(kind.iri)))
        return tuple(told)

    def _source(self, iri: str) -> str | None:
        """The table that a column or a kind of rows is of; else where all facts come from."""
        for start in _TABLES:
            if iri.startswith(start):
                return f"table {iri.removeprefix(start).partition('.')[0]}"
        known = self._kb.sources
        return f"one of {len(known):,} files" if len(known) > _FILES else ", ".join(known) or None
