"""Programs around what a question names, enumerated one template after the other (BERT + Ranking, RnG-KBQA).

One or two JOINs, or a comparison, from each entity or number; two such paths that meet; each with the class
that its last relation implies, and each of these counted or cut to an extreme. Without any entity, extremes
of whole classes. It is the machine of induction that says what may follow, so all of them denote something.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain

from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import WordRanker
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import COMPARATIVES, SUPERLATIVES, Chosen, Token
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.schema import Schema
from arcaneqa.language.expression import And, Class, Compare, Expression, Join, Relation
from arcaneqa.language.steps import Function, Symbol

MOST_SETS = 1_500
"""Sets of an entity with very many relations that are looked at."""
FEW_CLASSES = 24
"""Classes that a question without entities starts from: those whose words it says."""

Programs = dict[Meaning, Partial]
"""By meaning, so that each is there once; a state's `top` is the program."""


def closings(
    machine: Machine,
    state: Partial,
    functions: Collection[Chosen],
    keeps: Callable[[Partial, Token], bool] = lambda _state, _token: True,
) -> Iterator[Partial]:
    """Every state one subprogram further whose function is among those; `keeps` may turn a token down."""
    if Symbol.OPEN not in machine.options(state).tokens:
        return
    opened = machine.advance(state, Symbol.OPEN)
    starts = [token for token in machine.options(opened).tokens if token in functions]
    growing = [machine.advance(opened, token) for token in reversed(starts)]
    while growing:
        inner = growing.pop()
        for token in machine.options(inner).tokens:
            # A path of more than one relation would be another template.
            if token is Symbol.OPEN or (_is_keyed(inner) and token is not Symbol.CLOSE):
                continue
            if token is Symbol.CLOSE:
                yield machine.advance(inner, token)
            elif keeps(inner, token):
                growing.append(machine.advance(inner, token))


def _is_keyed(state: Partial) -> bool:
    return state.function in SUPERLATIVES and len(state.rest) > 0


class Enumerator:
    """`most` sets are looked at for a question; `seconds` after the first none is begun."""

    def __init__(self, induction: Induction, most: int = MOST_SETS, seconds: float = 20.0) -> None:
        self._induction = induction
        self._schema = induction.kb.schema
        self._most = most
        self._seconds = seconds
        self._ranker = WordRanker()

    def programs(self, question: str, topics: Topics, machine: Machine | None = None) -> Programs:
        machine = machine or self._induction.machine()
        deadline = time.monotonic() + self._seconds
        start = machine.start(topics)
        found: Programs = {}
        for state in self._sets(machine, start):
            self._add(found, machine, state)
            if len(found) >= self._most or time.monotonic() > deadline:
                break
        if not found:
            for state in self._of_classes(machine, start, question):
                self._add(found, machine, state)
        return found

    def _add(self, found: Programs, machine: Machine, state: Partial) -> None:
        """A set, the same with its class, and what is counted or the extreme of either."""
        implied = implied_classes(state.top.expression if state.top else None, self._schema)
        typed = closings(
            machine, state, (Function.AND,), lambda _, token: token in implied or _is_source(token)
        )
        for one in (state, *typed):
            assert one.top is not None
            if one.top.meaning not in found:
                found[one.top.meaning] = one
                for last in closings(machine, one, (Function.COUNT, *SUPERLATIVES)):
                    assert last.top is not None
                    found.setdefault(last.top.meaning, last)

    def _sets(self, machine: Machine, start: Partial) -> Iterator[Partial]:
        """Sets that nothing waits beside: chains first, then two that meet."""
        one = list(self._from_topics(machine, start))
        yield from one
        two = []
        for state in one:
            for longer in closings(machine, state, (Function.JOIN,)):
                if longer.waiting is None:
                    two.append(longer)
                    yield longer
        if len(start.topics.items) > 1:
            yield from self._meeting(machine, chain(one, two))

    def _from_topics(self, machine: Machine, state: Partial) -> Iterator[Partial]:
        return closings(machine, state, (Function.JOIN, *COMPARATIVES))

    def _meeting(self, machine: Machine, states: Iterable[Partial]) -> Iterator[Partial]:
        for state in states:
            for other in self._from_topics(machine, state):
                if other.waiting is None:
                    continue
                longer = (s for s in closings(machine, other, (Function.JOIN,)) if s.waiting is not None)
                for branch in (other, *longer):
                    met = closings(
                        machine, branch, (Function.AND,), lambda _, token: not isinstance(token, Class)
                    )
                    yield from (both for both in met if both.waiting is None)

    def _of_classes(self, machine: Machine, start: Partial, question: str) -> Iterator[Partial]:
        """Extremes of whole classes."""
        classes = list(self._schema.classes)
        best = self._ranker.rank(question, [label_from_iri(one.iri) for one in classes], FEW_CLASSES)
        kept = {Class(classes[place].iri) for place in best}
        yield from closings(
            machine,
            start,
            tuple(SUPERLATIVES),
            lambda _, token: not isinstance(token, Class) or token in kept,
        )


def _is_source(token: Token) -> bool:
    return not isinstance(token, Class)


def implied_classes(program: Expression | None, schema: Schema) -> frozenset[Class]:
    """The class that a program's last relation leads to."""
    match program:
        case Join(Relation(iri, inverse), _):
            known = schema.relations[schema.relation_ids[iri]]
            number = known.range if inverse else known.domain
        case Compare(_, Relation(iri, _), _):
            number = schema.relations[schema.relation_ids[iri]].domain
        case And(left, right):
            return implied_classes(left, schema) | implied_classes(right, schema)
        case _:
            return frozenset()
    return frozenset() if number is None else frozenset((Class(schema.classes[number].iri),))
