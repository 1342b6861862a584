"""What was asked and answered before, as far as later questions can refer to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arcaneqa.answer.answer import Answer
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Class
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Result, execute

MOST_NAMED = 3
"""Entities of a question that a later one may refer to."""


def remembered(answer: Answer) -> Answer:
    """What later questions need of an answer: not its rows, nor how it was found."""
    return replace(answer, items=(), table=None, facts=None, tree=None, trace=None)


@dataclass(frozen=True, slots=True)
class Referent:
    """What a word may refer to, and how sure it is. `thing` is the entity itself; of several it is the best
    known, which stands in for all of them while a program is looked for."""

    program: ex.Expression
    thing: ex.Entity
    node: int
    label: str
    said: str
    certainty: float = 1.0

    @property
    def is_many(self) -> bool:
        return self.program != self.thing


@dataclass(frozen=True)
class Turn:
    """An answer and the chance that it is right: later answers that build on it cannot be surer."""

    answer: Answer
    certainty: float
    kb: KnowledgeBase
    is_guess: bool = False
    """The question was not answered; this is what it most likely means."""

    @cached_property
    def members(self) -> ex.Expression | None:
        """The program of the set that the answer is, counts or lists."""
        match self.answer.expression:
            case (
                ex.Count(argument, ())
                | ex.Aggregate(_, argument, _)
                | ex.Sort(argument, _)
                | ex.Show(argument, _)
                | ex.Per(argument, _, _)
            ):
                return argument
            case None | ex.Meet() | ex.Count():
                return None
            case program:
                return program

    @cached_property
    def nodes(self) -> NodeSet:
        """The entities of that set; empty where it holds values."""
        none = self.kb.nodes(np.empty(0, np.int64))
        if self.members is None:
            return none
        found = execute(self.members, self.kb).nodes
        return none if len(found) and self.kb.are_literals(found.ids[:1])[0] else found

    @cached_property
    def kind(self) -> Class | None:
        """The narrowest class that all of them are in."""
        if not len(self.nodes):
            return None
        known: Sequence[Class] = self.kb.schema.classes
        classes = [known[klass] for klass in self.kb.classes(self.nodes).tolist()]
        shared = (
            klass
            for klass in sorted(classes, key=lambda klass: klass.members)
            if not klass.hidden and not len(self.kb.difference(self.nodes, self.kb.members(klass.id)))
        )
        return next(shared, None)

    @cached_property
    def phrase(self) -> str:
        """ "the 9 before"; one is called by its name."""
        count = len(self.nodes)
        if self.is_guess:
            return f"{count:,} {'thing' if count == 1 else 'things'} that the question before may mean"
        return f"the {count:,} before" if count > 1 else self.label(int(self.nodes.ids[0]))

    def holds(self, result: Result) -> bool:
        """Whether a result is only about members of the set."""
        return not len(self.kb.difference(result.nodes, self.nodes))

    def label(self, node: int) -> str:
        (name,) = names_of(self.kb, np.array([node], np.int64), nameless="that")
        return name

    def answers(self) -> Iterator[Referent]:
        """What was answered: one thing, or several as one."""
        if not len(self.nodes):
            return
        best = int(self.nodes.ids[int(np.argmax(self.kb.degrees(self.nodes.ids)))])
        for one in self._things([best]):
            if len(self.nodes) == 1:
                yield replace(one, certainty=self.certainty)
            elif self.members is not None:
                yield replace(one, program=self.members, said=self.phrase, certainty=self.certainty)

    def topics(self) -> Iterator[Referent]:
        """What the question named."""
        if self.answer.expression is not None:
            nodes = [self.kb.node(entity.term) for entity in ex.mentioned(self.answer.expression)]
            yield from self._things([node for node in nodes if node is not None][:MOST_NAMED])

    def _things(self, nodes: list[int]) -> Iterator[Referent]:
        for node, term in zip(nodes, self.kb.terms(np.array(nodes, np.int64)), strict=True):
            if not isinstance(term, Literal):
                label = self.label(node)
                yield Referent(ex.Entity(term), ex.Entity(term), node, label, label)


def nouns_of(kb: KnowledgeBase, node: int) -> set[str]:
    """The last words of the names of its classes: a football club is a club."""
    classes = kb.classes(kb.nodes(np.array([node], np.int64))).tolist()
    return {noun for klass in classes for noun in last_word(kb.schema.classes[klass].label)}


def last_word(label: str) -> list[str]:
    """As it compares; none where there are no words."""
    return [stem(word) for word in split(label)[-1:]]
