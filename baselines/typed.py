"""Constraints by the schema alone (ReTraCk): what is offered is well formed and typed; facts say nothing.

A set has the classes its last relation leads to, an entity those it belongs to. A relation may follow that
starts from one of them; two sets may meet that share one. Whether anything is there is seen at the end. Of
more than `most` relations the words choose, as ReTraCk's retriever of schema items does. Classes that share a
member anywhere go together, which stands for the ontology's hierarchy of classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from arcaneqa.induction import vocabulary
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import Candidate, TokenKind, WordRanker
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import COMPARATIVES, NOTHING, SUPERLATIVES, Options, Token
from arcaneqa.kb import schema
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language.expression import Class, Entity, Relation
from arcaneqa.language.steps import Function, Symbol, Variable

MOST = 64
MOST_SUBPROGRAMS = 6

Type = frozenset[int] | ValueKind | None
"""Classes, a kind of values, or nobody knows."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """Variables with their types, those that are used up, and the tokens of the open subprogram."""

    types: tuple[Type, ...]
    topics: int
    used: frozenset[int] = frozenset()
    part: tuple[Token, ...] | None = None
    is_number: bool = False

    @property
    def sets(self) -> list[int]:
        return [i for i in range(self.topics, len(self.types)) if i not in self.used]


class Typed:
    """Implements `decoding.Constraint`."""

    def __init__(self, induction: Induction, most: int = MOST) -> None:
        self._kb = induction.kb
        self._schema = induction.kb.schema
        self._vocabulary = induction.vocabulary
        self._ranker = WordRanker()
        self._most = most
        self._start = lru_cache(64)(self._started)
        self._beside = lru_cache(None)(self._with_members_in)

    def context(self, question: str, topics: Topics) -> str:  # noqa: ARG002 - the question is all there is
        return ""

    def options(self, question: str, topics: Topics, tokens: tuple[Token, ...]) -> Options:
        state = self._start(tuple(topic.term for topic in topics.items))
        for token in tokens:
            state = self._advanced(state, token)
        options = self._offered(state, topics)
        if len(options) <= self._most:
            return options
        texts = [f"{one.text} {one.types}" for one in options.candidates]
        kept = sorted(self._ranker.rank(question, texts, self._most))
        return Options([options.tokens[i] for i in kept], [options.candidates[i] for i in kept])

    # What tokens do --------------------------------------------------------------------------

    def _started(self, terms: tuple[object, ...]) -> _Typed:
        types: list[Type] = []
        for term in terms:
            if isinstance(term, Entity):
                node = self._kb.node(term.term)
                ids = np.array([] if node is None else [node], np.int64)
                types.append(self._alike(*self._kb.classes(self._kb.nodes(ids)).tolist()))
            else:
                types.append(kind_of(term.literal))  # type: ignore[attr-defined]
        return _Typed(tuple(types), len(types))

    def _advanced(self, state: _Typed, token: Token) -> _Typed:
        if token is Symbol.OPEN:
            return replace(state, part=())
        if token is Symbol.END or state.part is None:
            return state
        if token is not Symbol.CLOSE:
            used = state.used | {token.index} if isinstance(token, Variable) else state.used
            return replace(state, part=(*state.part, token), used=used)
        function, *arguments = state.part
        return replace(
            state,
            types=(*state.types, self._result(state, function, arguments)),
            part=None,
            is_number=function is Function.COUNT,
        )

    def _result(self, state: _Typed, function: Token, arguments: list[Token]) -> Type:
        source = arguments[0]
        own = state.types[source.index] if isinstance(source, Variable) else self._class(source)
        last = arguments[-1]
        if function is Function.JOIN and isinstance(last, Relation):
            known = self._schema.relations[self._schema.relation_ids[last.iri]]
            if not last.inverse:
                return self._alike(known.domain) if known.domain_declared else None
            if ValueKind.ENTITY in known.kinds:
                return self._alike(known.range) if known.range_declared else None
            return next(iter(sorted(known.kinds)), None)
        if function in COMPARATIVES and isinstance(last, Relation):
            known = self._schema.relations[self._schema.relation_ids[last.iri]]
            return self._alike(known.domain) if known.domain_declared else None
        if function is Function.AND and isinstance(last, Class):
            return self._class(last)
        return own

    def _class(self, token: Token) -> Type:
        return self._alike(self._schema.class_ids[token.iri]) if isinstance(token, Class) else None

    def _alike(self, *classes: int | None) -> Type:
        """Classes, and those that some member has beside them; None where there is no class."""
        known = [number for number in classes if number is not None]
        return frozenset(known).union(*map(self._beside, known)) or None

    def _with_members_in(self, klass: int) -> frozenset[int]:
        return frozenset(self._kb.classes(self._kb.members(klass)).tolist())

    # What may come ---------------------------------------------------------------------------

    def _offered(self, state: _Typed, topics: Topics) -> Options:
        if state.part is None:
            return self._between(state)
        if not state.part:
            functions = [
                f for f in vocabulary.FUNCTION_CANDIDATES if isinstance(f, Function) and self._may(state, f)
            ]
            return Options(list(functions), [vocabulary.FUNCTION_CANDIDATES[f] for f in functions])
        function, *arguments = state.part
        assert isinstance(function, Function)
        if not arguments:
            return self._sources(state, function, topics)
        if len(arguments) > 1 or function is Function.COUNT:
            return _CLOSE
        source = arguments[0]
        own = state.types[source.index] if isinstance(source, Variable) else self._class(source)
        if function is Function.JOIN:
            return self._joins(own)
        if function is Function.AND:
            return self._conjuncts(state, own)
        return self._attributes(own, is_value=function in COMPARATIVES)

    def _between(self, state: _Typed) -> Options:
        made = len(state.types) - state.topics
        ends = len(state.sets) == 1
        options = Options([Symbol.END], [vocabulary.END]) if ends else NOTHING
        goes_on = made < MOST_SUBPROGRAMS and not state.is_number
        return Options([Symbol.OPEN], [vocabulary.OPEN]) + options if goes_on else options

    def _may(self, state: _Typed, function: Function) -> bool:
        free = [i for i in range(state.topics) if i not in state.used]
        if function is Function.JOIN:
            return bool(free or state.sets)
        if function in COMPARATIVES:
            return any(isinstance(state.types[i], ValueKind) for i in free)
        if function in SUPERLATIVES:
            return bool(state.sets) or len(state.types) == state.topics
        return function in (Function.AND, Function.COUNT) and bool(state.sets)

    def _sources(self, state: _Typed, function: Function, topics: Topics) -> Options:
        free = [i for i in range(state.topics) if i not in state.used]
        if function is Function.JOIN:
            numbers = free + state.sets
        elif function in COMPARATIVES:
            numbers = [i for i in free if isinstance(state.types[i], ValueKind)]
        else:
            numbers = state.sets
        options = Options(
            [Variable(i) for i in numbers],
            [
                Candidate(TokenKind.VARIABLE, topics.words[i].text if i < state.topics else "", variable=i)
                for i in numbers
            ],
        )
        if function in SUPERLATIVES and not state.sets:
            shown = np.flatnonzero(self._vocabulary.visible_classes)
            options = options + self._vocabulary.classes(shown)
        return options

    def _joins(self, own: Type) -> Options:
        shown = [r for r in self._schema.relations if not r.hidden]
        if isinstance(own, ValueKind):
            back = [r.id for r in shown if own in r.kinds]
            return self._vocabulary.joins(np.empty(0, np.int64), np.array(back, np.int64))
        ahead = [r.id for r in shown if _starts_from(r, own)]
        back = [r.id for r in shown if ValueKind.ENTITY in r.kinds and _leads_to(r, own)]
        return self._vocabulary.joins(np.array(ahead, np.int64), np.array(back, np.int64))

    def _conjuncts(self, state: _Typed, own: Type) -> Options:
        others = [i for i in state.sets if _share(own, state.types[i])]
        sets = Options(
            [Variable(i) for i in others], [Candidate(TokenKind.VARIABLE, "", variable=i) for i in others]
        )
        if isinstance(own, ValueKind):
            return sets
        shown = np.flatnonzero(self._vocabulary.visible_classes)
        classes = shown if own is None else np.array(sorted(own & set(shown.tolist())), np.int64)
        return sets + self._vocabulary.classes(classes)

    def _attributes(self, own: Type, is_value: bool) -> Options:
        shown = [r for r in self._schema.relations if not r.hidden and r.comparable]
        if is_value:
            kept = [r.id for r in shown if own in r.kinds]
        else:
            kept = [r.id for r in shown if not isinstance(own, ValueKind) and _starts_from(r, own)]
        return self._vocabulary.attributes(np.array(kept, np.int64))


def _starts_from(relation: schema.Relation, own: frozenset[int] | None) -> bool:
    """A domain or range that is not declared is that of most facts, not of all, so it forbids nothing."""
    return own is None or not relation.domain_declared or relation.domain in own


def _leads_to(relation: schema.Relation, own: frozenset[int] | None) -> bool:
    return own is None or not relation.range_declared or relation.range in own


_CLOSE = Options([Symbol.CLOSE], [vocabulary.CLOSE])


def _share(one: Type, two: Type) -> bool:
    if isinstance(one, ValueKind) or isinstance(two, ValueKind):
        return one == two
    return one is None or two is None or bool(one & two)
