"""Induction over one knowledge base: which tokens may come next, from the facts."""

from __future__ import annotations

from arcaneqa.induction import vocabulary
from arcaneqa.induction.expansions import Comparing, Filtering, Pairing, Walking
from arcaneqa.induction.keys import Keyed, Tabling
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.meaning import Meanings, Roots
from arcaneqa.induction.paths import Paths, Starts
from arcaneqa.induction.results import Partial
from arcaneqa.induction.rules import CLOSE, END, OPEN, Grammar, Reach, Rules, Tools, variables
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import FUNCTIONS, NOTHING, PAPER, Chosen, Options, Token, Vocabulary
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language.expression import Class
from arcaneqa.language.steps import Function, Symbol

# What is faithful: the tokens that may come next, from the facts (the paper's table of expansion
# rules).


FAMILIES: tuple[type[Rules], ...] = (Walking, Filtering, Comparing, Keyed, Pairing, Tabling)


class Admissible:
    """Answers `options(state)` for the states of one search."""

    def __init__(self, meanings: Meanings, starts: Starts) -> None:
        self.grammar = Grammar(meanings)
        self._reach = Reach(meanings, self.grammar.results)
        tools = Tools(meanings, self.grammar, self._reach, Paths(meanings), starts, self._can_build)
        self._has_forms = meanings.vocabulary.has_forms
        self._rules: dict[Chosen, Rules] = {
            function: rules
            for rules in (family(tools) for family in FAMILIES)
            for function in rules.functions
        }

    def options(self, state: Partial) -> Options:
        if state.is_complete:
            return NOTHING
        if not state.is_open:
            return self._between(state)
        function = state.function
        if function is None:
            offered = [function for function in FUNCTIONS if self._offers(state, function)]
            return Options(list(offered), [vocabulary.FUNCTION_CANDIDATES[function] for function in offered])
        rules = self._rules[function]
        if state.source is not None:
            return rules.arguments(state, function, state.source)
        return CLOSE if state.rest else rules.sources(state, function)

    def _between(self, state: Partial) -> Options:
        options = OPEN if self._can_go_on(state) else NOTHING
        if state.top is None or state.waiting is not None:
            return options
        if state.outer is None:
            return options + END
        return options + variables([state.top]) if self._reach.fits(state, state.top.meaning) else options

    def _can_go_on(self, state: Partial) -> bool:
        return any(self._offers(state, function) for function in FUNCTIONS)

    def _can_build(self, state: Partial) -> bool:
        """Whether a set can be built inside the open subprogram."""
        if state.outer is not None:
            return False
        inside = self.grammar.advance(state, Symbol.OPEN)
        # HAS is quickest to see.
        return self._offers(inside, Function.HAS) or self._can_go_on(inside)

    def _offers(self, state: Partial, function: Chosen) -> bool:
        if state.left < 0 or (function not in PAPER and not self._has_forms):
            return False
        if (
            state.top is not None
            and isinstance(state.top.expression, Class)
            and function not in (Function.JOIN, Function.OR)
        ):
            return False  # other functions start from the class itself
        return self._rules[function].offers(state, function)


# Induction over one knowledge base: the door through which search, targets and synthesis enter.


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

    def start(self, topics: Topics) -> Partial:
        return Partial(topics)

    def options(self, state: Partial) -> Options:
        """The admissible next tokens; none once the program is complete."""
        return self._admissible.options(state)

    def advance(self, state: Partial, token: Token) -> Partial:
        """The state after one of the tokens that `options` offers."""
        return self._grammar.advance(state, token)

    def context(self, state: Partial) -> str:
        return self._grammar.context(state)
