"""What is faithful: the tokens that may come next, from the facts (the paper's table of expansion rules).

| after | admissible |
|---|---|
| `(` | functions that can be completed here |
| JOIN | topics and the newest set; then relations that touch it |
| AND | the newest set; then the waiting set if they meet, and classes that occur in it |
| ARGMAX, ARGMIN | the newest set, or at the very start classes; then paths to numbers or times that exist |
| LT, LE, GT, GE | literal topics; then relations with such a value |
| COUNT | the newest set, or at the very start classes |
| CONS | the newest set; then relations to constants that occur in it; then those constants |
| TC | the newest set; then relations that date its members; then a time of the question, or NOW |
| `)` | END if no branch waits; `(` if some function can be completed |

No dead ends. While nothing waits, END is always among the tokens after `)`. While a branch W waits, every
token offered leaves the growing branch within reach of it: with reach 0 the two sets meet, so AND joins them;
with reach 1 some member of the growing branch has a neighbour in W, so JOIN along that very relation meets
W (a JOIN keeps every neighbour). Reach is never more than what the remaining JOINs and subprograms allow, and
a wide W must be met directly. Superlatives and counts work on the program while nothing waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from arcaneqa.induction import wording
from arcaneqa.induction.grammar import (
    COMPARATIVES,
    MOST_BRANCH_JOINS,
    SUPERLATIVES,
    Grammar,
    Known,
    State,
)
from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.paths import Paths
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import Comparison, NodeSet, Window
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.kb.values import value_of
from arcaneqa.program.expression import NOW, Entity, Relation, Value
from arcaneqa.program.steps import Function, Symbol, Token, Variable

_OPEN = Options([Symbol.OPEN], [wording.OPEN])
_CLOSE = Options([Symbol.CLOSE], [wording.CLOSE])
_END = Options([Symbol.END], [wording.END])


class Admissible:
    """Answers `options(state)` for the states of one search."""

    def __init__(self, meanings: Meanings) -> None:
        self.grammar = Grammar(meanings)
        self._meanings = meanings
        self._kb = meanings.kb
        self._vocabulary = meanings.vocabulary
        self._paths = Paths(meanings)
        self._filters: dict[Function, Callable[[State, Known], Options]] = {
            Function.AND: self._conjuncts,
            Function.CONS: self._constant_relations,
            Function.TC: self._dates,
        }

    def options(self, state: State) -> Options:
        if state.is_complete:
            return NOTHING
        if not state.is_open:
            return self._between(state)
        if state.function is None:
            offered = [function for function in wording.FUNCTIONS if self._offers(state, function)]
            return Options(list(offered), [wording.FUNCTIONS[function] for function in offered])
        if state.source is None:
            return self._sources(state, state.function)
        return self._arguments(state, state.function, state.source)

    def _between(self, state: State) -> Options:
        can_end = state.top is not None and state.waiting is None
        can_go_on = any(self._offers(state, function) for function in wording.FUNCTIONS)
        return (_OPEN if can_go_on else NOTHING) + (_END if can_end else NOTHING)

    # Sources ---------------------------------------------------------------------------------

    def _offers(self, state: State, function: Function) -> bool:
        if state.left < 0:
            return False
        if self._starts_with_class(state, function):
            return len(self._class_starts(function)) > 0
        if function is Function.JOIN and self._may_walk_on(state):
            return True
        return any(True for _ in self._variables(state, function))

    def _may_walk_on(self, state: State) -> bool:
        """A case of JOIN that is quicker to see than whether another topic is within reach."""
        if state.top is None or state.waiting is not None:
            return False
        return state.top.meaning.number is None and state.top.meaning.is_walkable

    def _sources(self, state: State, function: Function) -> Options:
        if self._starts_with_class(state, function):
            return self._class_starts(function)
        known = list(self._variables(state, function))
        return Options([Variable(k.index) for k in known if k.index is not None], [*map(_variable, known)])

    def _starts_with_class(self, state: State, function: Function) -> bool:
        return state.top is None and (function in SUPERLATIVES or function is Function.COUNT)

    def _class_starts(self, function: Function) -> Options:
        return self._vocabulary.countable if function is Function.COUNT else self._vocabulary.orderable

    def _variables(self, state: State, function: Function) -> Iterator[Known]:
        """Variables from which the function can be completed, topics first."""
        if function is Function.JOIN or function in COMPARATIVES:
            yield from self._topics(state, function)
        top = state.top
        if top is None or top.meaning.number is not None:
            return
        if function is Function.JOIN:
            if len(self._walks(state, top)) > 0:
                yield top
        elif function is Function.COUNT:
            if state.waiting is None:
                yield top
        elif function in SUPERLATIVES:
            if state.waiting is None and top.meaning.has_entities and self._paths.exist(top.meaning):
                yield top
        elif function not in COMPARATIVES and len(self._filters[function](state, top)) > 0:
            yield top

    def _topics(self, state: State, function: Function) -> Iterator[Known]:
        if not self._may_branch(state):
            return
        for index in range(len(state.topics.items)):
            if not state.excluded >> index & 1:
                topic = self.grammar.topic(state, index)
                if function is Function.JOIN:
                    if self._can_join(state, topic):
                        yield topic
                elif isinstance(topic.expression, Value) and len(self._comparisons(state, function, topic)):
                    yield topic

    def _may_branch(self, state: State) -> bool:
        """Whether a topic may start the program, or a branch beside what there is."""
        if state.top is None:
            return True
        return state.waiting is None and state.top.meaning.has_entities and state.left >= 1

    def _can_join(self, state: State, topic: Known) -> bool:
        if state.top is None:
            return topic.meaning.is_walkable
        if self._within(state, joins=1) >= 1:
            return self._meanings.is_near(topic.meaning, state.top.meaning)
        return self._meanings.meet(topic.meaning.neighbours, state.top.meaning.nodes)

    # Reach -----------------------------------------------------------------------------------

    def _target(self, state: State, source: Known, joins: int) -> NodeSet | None:
        """What the open subprogram's result must meet: None where nothing waits for it.

        `joins` is how many JOINs the branch has had once the subprogram is closed.
        """
        waiting = state.waiting if source is state.top else state.top
        return None if waiting is None else self._reach(state, waiting, joins)

    def _reach(self, state: State, waiting: Known, joins: int) -> NodeSet:
        return waiting.meaning.surroundings if self._within(state, joins) >= 1 else waiting.meaning.nodes

    def _within(self, state: State, joins: int) -> int:
        """How many more JOINs may follow the open subprogram before its branch must meet the other."""
        return min(MOST_BRANCH_JOINS - joins, state.left - 1)

    def _within_reach(self, state: State, source: Known) -> Meaning:
        """The members of the newest set that a filter must leave at least one of."""
        if state.waiting is None:
            return source.meaning
        if state.left < 1:
            return self._meanings.nothing
        return self._meanings.within(source.meaning, self._reach(state, state.waiting, state.joins))

    # Arguments -------------------------------------------------------------------------------

    def _arguments(self, state: State, function: Function, source: Known) -> Options:
        rest = state.rest
        if function in SUPERLATIVES:
            return self._path(source, rest)
        if function is Function.COUNT or len(rest) == (2 if function in _WITH_TWO else 1):
            return _CLOSE
        if function is Function.JOIN:
            return self._walks(state, source)
        if function in COMPARATIVES:
            return self._comparisons(state, function, source)
        if function is Function.AND:
            return self._conjuncts(state, source)
        if function is Function.CONS:
            if not rest:
                return self._constant_relations(state, source)
            return self._constants(state, source, rest[0])
        return self._dates(state, source) if not rest else self._moments(state, source, rest[0])

    def _walks(self, state: State, source: Known) -> Options:
        if source is state.top and state.waiting is not None:
            joins = state.joins + 1
            if joins > MOST_BRANCH_JOINS or state.left < 1:
                return NOTHING
        else:
            joins = 1
        target = self._target(state, source, joins)
        return source.meaning.joins if target is None else self._meanings.joins_into(source.meaning, target)

    def _comparisons(self, state: State, function: Function, source: Known) -> Options:
        assert isinstance(source.expression, Value)
        literal, comparison = source.expression.literal, Comparison(function.value)
        relations = self._vocabulary.shown(self._meanings.relations_comparing(comparison, literal))
        target = self._target(state, source, joins=1)
        if target is not None:
            relations = self._meanings.comparing_into(comparison, literal, relations, target)
        return self._vocabulary.attributes(relations)

    def _conjuncts(self, state: State, source: Known) -> Options:
        classes = self._within_reach(state, source).classes
        repeated = [klass for klass in classes.tolist() if self._has_class(source.meaning, klass)]
        if repeated:
            classes = classes[~np.isin(classes, repeated)]
        options = self._vocabulary.classes(classes)
        waiting = state.waiting
        if waiting is not None and self._meanings.meet(source.meaning.nodes, waiting.meaning.nodes):
            assert waiting.index is not None
            return Options([Variable(waiting.index)], [_variable(waiting)]) + options
        return options

    def _has_class(self, meaning: Meaning, klass: int) -> bool:
        return len(meaning.parts) > 1 and self._meanings.members(klass) in meaning.parts

    def _path(self, source: Known, rest: tuple[Token, ...]) -> Options:
        path = tuple(self.grammar.step(token) for token in rest if isinstance(token, Relation))
        options = self._paths.options(source.meaning, path)
        return _CLOSE + options if self._paths.ends(source.meaning, path) else options

    def _constant_relations(self, state: State, source: Known) -> Options:
        relations = self._within_reach(state, source).closed
        return self._vocabulary.attributes(np.array(relations, np.int64))

    def _constants(self, state: State, source: Known, relation: Token) -> Options:
        assert isinstance(relation, Relation)
        ids = self._within_reach(state, source).constants(self.grammar.relation(relation)).ids
        tokens: list[Token] = []
        candidates = []
        for term, label in zip(self._kb.terms(ids), self._kb.labels(ids), strict=True):
            tokens.append(Value(term) if isinstance(term, Literal) else Entity(term))
            text = label or (label_from_iri(term.value) if isinstance(term, Iri) else "something")
            candidates.append(Candidate(TokenKind.CONSTANT, text))
        return Options(tokens, candidates)

    def _dates(self, state: State, source: Known) -> Options:
        relations = [
            relation
            for relation in self._within_reach(state, source).dated
            if len(self._moments_of(state, source, relation))
        ]
        return self._vocabulary.attributes(np.array(relations, np.int64))

    def _moments(self, state: State, source: Known, relation: Token) -> Options:
        assert isinstance(relation, Relation)
        return self._moments_of(state, source, self.grammar.relation(relation))

    def _moments_of(self, state: State, source: Known, relation: int) -> Options:
        members = self._within_reach(state, source)
        tokens: list[Token] = []
        candidates = []
        for index, topic in enumerate(state.topics.items):
            if state.excluded >> index & 1 or not isinstance(topic.term, Value):
                continue
            is_time = isinstance(value_of(topic.term.literal), Window)
            if is_time and self._meanings.during(members, relation, topic.term):
                tokens.append(Variable(index))
                candidates.append(_variable(self.grammar.topic(state, index)))
        if self._meanings.during(members, relation, NOW):
            tokens.append(NOW)
            candidates.append(wording.NOW_CANDIDATE)
        return Options(tokens, candidates)


_WITH_TWO = frozenset((Function.CONS, Function.TC))


def _variable(known: Known) -> Candidate:
    return Candidate(TokenKind.VARIABLE, known.words, variable=known.index)
