"""AND, CONS and TC: what keeps some members of a set."""

from __future__ import annotations

import numpy as np

from arcaneqa.induction import wording
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.rules import CLOSE, Rules, variable, variables
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import Chosen, Token
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import Window
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import kind_of, value_of
from arcaneqa.program import expression as ex
from arcaneqa.program.steps import Function, Variable


class Filtering(Rules):
    functions = frozenset((Function.AND, Function.CONS, Function.TC))

    def offers(self, state: State, function: Chosen) -> bool:
        top = state.top
        if top is None:
            starts = function is Function.CONS and state.outer is None and self._has_forms
            return starts and len(self._starts.with_constants) > 0
        return top.meaning.is_set and len(self._first(state, function, top)) > 0

    def sources(self, state: State, function: Chosen) -> Options:  # noqa: ARG002
        if state.top is None:
            return self._starts.with_constants
        return variables([state.top])

    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
        rest = state.rest
        if not rest:
            return self._first(state, function, source)
        if function is Function.AND or len(rest) == 2:
            return CLOSE
        relation = rest[0]
        assert isinstance(relation, ex.Relation)
        if function is Function.CONS:
            return self._constants(state, source, relation)
        return self._moments(state, source, self._results.relation(relation))

    def _first(self, state: State, function: Chosen, source: Known) -> Options:
        match function:
            case Function.AND:
                return self._conjuncts(state, source)
            case Function.CONS:
                relations = self._reach.members(state, source).closed
                if used := constraints_of(source.expression):
                    relations = [
                        number for number in relations if self._has_others(state, source, number, used)
                    ]
                return self._vocabulary.attributes(np.array(relations, np.int64))
            case _:
                return self._dates(state, source)

    def _conjuncts(self, state: State, source: Known) -> Options:
        classes = self._reach.members(state, source).classes
        repeated = [klass for klass in classes.tolist() if self._has_class(source.meaning, klass)]
        if repeated:
            classes = classes[~np.isin(classes, repeated)]
        options = self._vocabulary.classes(classes)
        waiting = state.waiting
        if waiting is None:
            return options
        wanted = self._reach.wanted(state, source)
        assert wanted is not None
        if self._meanings.meet(source.meaning.nodes, wanted.nodes):
            return variables([waiting]) + options
        return options

    def _has_class(self, meaning: Meaning, klass: int) -> bool:
        return len(meaning.parts) > 1 and self._meanings.members(klass) in meaning.parts

    def _has_others(self, state: State, source: Known, number: int, used: Used) -> bool:
        """Whether a relation has a constant that does not hold of the set already."""
        relation = ex.Relation(self._kb.schema.relations[number].iri)
        return (
            all(known != relation for known, _ in used) or len(self._constants(state, source, relation)) > 0
        )

    def _constants(self, state: State, source: Known, relation: ex.Relation) -> Options:
        used = constraints_of(source.expression)
        ids = self._reach.members(state, source).constants(self._results.relation(relation)).ids
        tokens: list[Token] = []
        candidates = []
        names = names_of(self._kb, ids, label_from_iri, nameless="something")
        for term, name in zip(self._kb.terms(ids), names, strict=True):
            constant = ex.Value(term) if isinstance(term, Literal) else ex.Entity(term)
            if (relation, constant) in used:
                continue
            tokens.append(constant)
            candidates.append(Candidate(TokenKind.CONSTANT, self._constant_words(term, name, relation)))
        return Options(tokens, candidates)

    def _constant_words(self, term: Term, name: str, relation: ex.Relation) -> str:
        if isinstance(term, Literal) and kind_of(term) is ValueKind.BOOLEAN:
            # "discontinued" and "not discontinued" say more than true and false.
            words = self._results.label(relation)
            return words if value_of(term) else f"not {words}"
        return term.lexical if isinstance(term, Literal) else name

    def _dates(self, state: State, source: Known) -> Options:
        relations = [
            relation
            for relation in self._reach.members(state, source).dated
            if len(self._moments(state, source, relation))
        ]
        return self._vocabulary.attributes(np.array(relations, np.int64))

    def _moments(self, state: State, source: Known, relation: int) -> Options:
        members = self._reach.members(state, source)
        tokens: list[Token] = []
        candidates = []
        for topic in self.free_topics(state):
            term = topic.expression
            if not isinstance(term, ex.Value) or not isinstance(value_of(term.literal), Window):
                continue
            if self._meanings.during(members, relation, term):
                assert topic.index is not None
                tokens.append(Variable(topic.index))
                candidates.append(variable(topic))
        if self._meanings.during(members, relation, ex.NOW):
            tokens.append(ex.NOW)
            candidates.append(wording.NOW_CANDIDATE)
        return Options(tokens, candidates)


Used = frozenset[tuple[ex.Relation, ex.Entity | ex.Value]]


def constraints_of(program: ex.Expression) -> Used:
    """The CONS that hold of all members of a set: once more they would change nothing."""
    match program:
        case ex.Cons(argument, relation, constant):
            return constraints_of(argument) | {(relation, constant)}
        case ex.And(left, right):
            return constraints_of(left) | constraints_of(right)
        case ex.During(argument, _, _) | ex.Extreme(_, argument, _):
            return constraints_of(argument)
        case _:
            return frozenset()
