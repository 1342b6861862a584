"""What the expansion rules of all families share.

A family answers for some functions: whether they can be completed here, from what they can start, and with
what they go on. Availability is asked of every function at every step, so it is decided by what is quick to
see; whole sets of candidates are computed for functions that were chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from arcaneqa.induction import wording
from arcaneqa.induction.grammar import Grammar
from arcaneqa.induction.kept_meanings import Meanings
from arcaneqa.induction.paths import Paths
from arcaneqa.induction.reach import Reach
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.starts import Starts
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import Chosen
from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.program.steps import Symbol, Variable

OPEN = Options([Symbol.OPEN], [wording.OPEN])
CLOSE = Options([Symbol.CLOSE], [wording.CLOSE])
END = Options([Symbol.END], [wording.END])


@dataclass(frozen=True, slots=True)
class Tools:
    """What the families of one search work with."""

    meanings: Meanings
    grammar: Grammar
    reach: Reach
    paths: Paths
    starts: Starts
    can_build: Callable[[State], bool]
    """Whether a set can be built inside the open subprogram."""

    @property
    def vocabulary(self) -> Vocabulary:
        return self.meanings.vocabulary


class Rules(ABC):
    """The expansion rules of one family of functions."""

    functions: frozenset[Chosen]

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._meanings = tools.meanings
        self._kb = tools.meanings.kb
        self._vocabulary = tools.vocabulary
        self._grammar = tools.grammar
        self._results = tools.grammar.results
        self._reach = tools.reach
        self._paths = tools.paths
        self._starts = tools.starts
        self._has_forms = tools.vocabulary.has_forms

    @abstractmethod
    def offers(self, state: State, function: Chosen) -> bool:
        """Whether the function can be completed here."""

    @abstractmethod
    def sources(self, state: State, function: Chosen) -> Options:
        """What it can start from."""

    @abstractmethod
    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
        """What may follow its source and the arguments it has."""

    def free_topics(self, state: State) -> Iterator[Known]:
        for index in range(len(state.topics.items)):
            if not state.excluded >> index & 1:
                yield self._grammar.topic(state, index)


def is_alone(state: State) -> bool:
    """Whether nothing waits: neither a branch nor a function around."""
    return state.waiting is None and state.outer is None


def variables(known: Iterable[Known]) -> Options:
    kept = [one for one in known if one.index is not None]
    return Options([Variable(one.index) for one in kept if one.index is not None], [*map(variable, kept)])


def variable(known: Known) -> Candidate:
    return Candidate(TokenKind.VARIABLE, known.words, variable=known.index)
