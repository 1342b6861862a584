"""Unconstrained decoding (BERT + Transduction): every token of a question's vocabulary may come at any step.

The vocabulary is fixed before the first step: symbols, functions, the linked entities, the relations within
two hops of them, both ways, and the classes those lead from and to; without any entity, the whole schema.
Only variables join it as subprograms are closed. Relations and classes beyond `most` are left to words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from arcaneqa.induction import vocabulary
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.scorer import Candidate, TokenKind, WordRanker
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import PAPER, Options, Token
from arcaneqa.kb.interface import Ids
from arcaneqa.lab.paper.spelling import Spelling
from arcaneqa.language.expression import Class, Entity, Relation
from arcaneqa.language.steps import Function, Symbol, Variable

MOST = 160
Best = Callable[[str, Topics], Sequence[str]]
"""The programs that a ranker likes best, in words."""
_FUNCTIONS = [function for function in Function if function in PAPER]
_SYNTAX: list[Token] = [Symbol.OPEN, Symbol.CLOSE, Symbol.END, *_FUNCTIONS]
_SYNTAX_CANDIDATES = [
    vocabulary.OPEN,
    vocabulary.CLOSE,
    vocabulary.END,
    *(vocabulary.FUNCTION_CANDIDATES[f] for f in _FUNCTIONS),
]


class WholeVocabulary:
    """Implements `decoding.Constraint`, and constrains nothing."""

    def __init__(self, induction: Induction, most: int = MOST) -> None:
        self._induction = induction
        self._schema = induction.kb.schema
        self._spelling = Spelling(self._schema)
        self._ranker = WordRanker()
        self._most = most
        self._of = lru_cache(64)(self._made)

    def options(self, question: str, topics: Topics, tokens: tuple[Token, ...]) -> Options:
        made = sum(token is Symbol.CLOSE for token in tokens)
        own = [Candidate(TokenKind.VARIABLE, one.text, variable=i) for i, one in enumerate(topics.words)]
        own += [Candidate(TokenKind.VARIABLE, "", variable=len(own) + i) for i in range(made)]
        variables: list[Token] = [Variable(i) for i in range(len(own))]
        return self._of(question, tuple(topic.term for topic in topics.items)) + Options(variables, own)

    def context(self, question: str, topics: Topics) -> str:  # noqa: ARG002 - the question is all there is
        return ""

    def _made(self, question: str, terms: tuple[object, ...]) -> Options:
        relations = self._within_two_hops(terms)
        if not len(relations):
            relations = np.flatnonzero(self._induction.vocabulary.visible)
        tokens: list[Token] = []
        for number in relations.tolist():
            iri = self._schema.relations[number].iri
            tokens += [Relation(iri), Relation(iri, True)]
        ends = [
            (self._schema.relations[r].domain, self._schema.relations[r].range) for r in relations.tolist()
        ]
        classes = dict.fromkeys(number for pair in ends for number in pair if number is not None)
        tokens += [Class(self._schema.classes[number].iri) for number in classes]
        kinds = [TokenKind.CLASS if isinstance(token, Class) else TokenKind.RELATION for token in tokens]
        named = self._spelling.options(Options(tokens, [Candidate(kind, "") for kind in kinds]))
        kept = sorted(self._ranker.rank(question, [one.text for one in named.candidates], self._most))
        chosen = Options([named.tokens[i] for i in kept], [named.candidates[i] for i in kept])
        return self._spelling.options(Options(_SYNTAX, _SYNTAX_CANDIDATES)) + chosen

    def _within_two_hops(self, terms: tuple[object, ...]) -> Ids:
        meanings = Meanings(self._induction.vocabulary)
        found: list[Ids] = [np.empty(0, np.int64)]
        for term in terms:
            if isinstance(term, Entity):
                topic = meanings.topic(term)
                around = Meaning(self._induction.vocabulary, topic.neighbours)
                found += [topic.forward, topic.backward, around.forward, around.backward]
        return np.unique(np.concatenate(found))


class Suggested:
    """Rank and generate: the same vocabulary, and the best enumerated programs before the encoder's eyes."""

    def __init__(self, whole: WholeVocabulary, best: Best) -> None:
        self._whole = whole
        self._best = best

    def options(self, question: str, topics: Topics, tokens: tuple[Token, ...]) -> Options:
        return self._whole.options(question, topics, tokens)

    def context(self, question: str, topics: Topics) -> str:
        return " ; ".join(self._best(question, topics))
