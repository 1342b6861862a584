"""Comparisons with a value of the question or of a program, and texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.rules import CLOSE, Rules, is_alone, variables
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import COMPARATIVES, Chosen
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import Comparison, Ids
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.program.expression import Aggregate, Class, Value
from arcaneqa.program.steps import Function


class Comparing(Rules):
    functions = COMPARATIVES | {Function.LIKE, Function.NAMED}

    def offers(self, state: State, function: Chosen) -> bool:
        return any(True for _ in self._values(state, function))

    def sources(self, state: State, function: Chosen) -> Options:
        return variables(self._values(state, function))

    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
        if state.rest or function is Function.NAMED:
            return CLOSE
        return self._vocabulary.attributes(self._relations(state, function, source))

    def _values(self, state: State, function: Chosen) -> Iterator[Known]:
        """Values of the question, and those that the newest set or number is."""
        top = state.top
        if self._reach.may_branch(state) and not (top is not None and isinstance(top.expression, Class)):
            for topic in self.free_topics(state):
                if isinstance(topic.expression, Value) and self._is_of_use(state, function, topic):
                    yield topic
        if top is not None and function in COMPARATIVES and is_alone(state) and self._has_forms:
            is_value = isinstance(top.expression, Aggregate) or top.meaning.value_kind is not None
            if is_value and len(self._relations(state, function, top)):
                yield top

    def _is_of_use(self, state: State, function: Chosen, topic: Known) -> bool:
        if function is Function.NAMED:
            return self._names_some(state, topic)
        return len(self._relations(state, function, topic)) > 0

    def _relations(self, state: State, function: Chosen, source: Known) -> Ids:
        if function is Function.LIKE:
            return self._texts(state, source)
        comparison = Comparison(function.value)
        literal = self._literal(comparison, source)
        if literal is None:
            return _NONE
        relations = self._vocabulary.shown(self._meanings.relations_comparing(comparison, literal))
        if source is state.top:
            return relations
        target = self._reach.target(state, source)
        if target is None:
            return relations
        found = self._meanings.comparing_into(comparison, literal, relations, target)
        if state.outer is None or state.top is not None:
            return found
        fits = [
            self._reach.fits(state, self._meanings.compare(comparison, relation, literal))
            for relation in found.tolist()
        ]
        kept: Ids = found[np.array(fits, bool)]
        return kept

    def _literal(self, comparison: Comparison, source: Known) -> Literal | None:
        if isinstance(source.expression, Value):
            return source.expression.literal
        return self._meanings.edge(comparison, source.meaning)

    # Texts -----------------------------------------------------------------------------------

    def _texts(self, state: State, source: Known) -> Ids:
        text = _text(source)
        if text is None:
            return _NONE
        wanted = self._reach.wanted(state, source)
        relations = self._vocabulary.texts
        if wanted is not None:
            relations = relations[np.isin(relations, [*wanted.forward, *self._vocabulary.naming])]
        found = [
            relation
            for relation in relations.tolist()
            if self._may_stand(state, source, self._meanings.like(relation, text))
        ]
        return np.array(found, np.int64)

    def _names_some(self, state: State, topic: Known) -> bool:
        text = _text(topic)
        return text is not None and self._may_stand(state, topic, self._meanings.named(text))

    def _may_stand(self, state: State, source: Known, found: Meaning) -> bool:
        if not found:
            return False
        target = self._reach.target(state, source)
        if target is not None and not self._meanings.meet(found.nodes, target):
            return False
        return state.outer is None or state.top is not None or self._reach.fits(state, found)


def _text(topic: Known) -> str | None:
    expression = topic.expression
    if not isinstance(expression, Value) or kind_of(expression.literal) is not ValueKind.TEXT:
        return None
    return expression.literal.lexical


_NONE: Ids = np.empty(0, np.int64)
