"""Induction over one knowledge base: the door through which search, targets and synthesis enter."""

from __future__ import annotations

from arcaneqa.induction.admissible import Admissible
from arcaneqa.induction.kept_meanings import Meanings, Roots
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.starts import Starts
from arcaneqa.induction.state import State
from arcaneqa.induction.tokens import Token
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import KnowledgeBase


class Induction:
    """Open one per knowledge base and share it, between threads too; it keeps what topics denote.

    Without `has_forms` there are the paper's functions only: a model that was trained before there were more
    would take one for another.
    """

    def __init__(self, kb: KnowledgeBase, learned: Learned | None = None, has_forms: bool = True) -> None:
        self.kb = kb
        self.vocabulary = self._vocabulary(learned, has_forms)
        self.starts = Starts(self.vocabulary)
        self._roots = Roots()

    def _vocabulary(self, learned: Learned | None, has_forms: bool) -> Vocabulary:
        return Vocabulary(self.kb, learned, has_forms)

    def machine(self) -> Machine:
        return Machine(self.meanings(), self.starts)

    def meanings(self) -> Meanings:
        """What the states of one search denote; what topics denote is shared by all."""
        return Meanings(self.vocabulary, self._roots)


class Machine:
    """The state machine of one search; denotations are shared between all its states."""

    def __init__(self, meanings: Meanings, starts: Starts) -> None:
        self._admissible = Admissible(meanings, starts)
        self._grammar = self._admissible.grammar

    def start(self, topics: Topics) -> State:
        return State(topics)

    def options(self, state: State) -> Options:
        """The admissible next tokens; none once the program is complete."""
        return self._admissible.options(state)

    def advance(self, state: State, token: Token) -> State:
        """The state after one of the tokens that `options` offers."""
        return self._grammar.advance(state, token)

    def context(self, state: State) -> str:
        return self._grammar.context(state)
