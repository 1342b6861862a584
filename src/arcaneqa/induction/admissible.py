"""What is faithful: the tokens that may come next, from the facts (the paper's table of expansion rules).

| after | admissible |
|---|---|
| `(` | functions that can be completed here |
| JOIN | topics and the newest set; then relations that touch it |
| all of a kind | at the very start classes; then `)`, and JOIN or OR goes on from there |
| HAS | relations; beside a set those that its members have |
| AND | the newest set; then the waiting set if they meet, and classes that occur in it |
| CONS | the newest set or a class; then relations to implied constants in it; then those constants |
| TC | the newest set; then relations that date its members; then a time of the question, or NOW |
| LT, LE, GT, GE | literal topics, or the values the newest set is; then relations with such a value |
| LIKE, NAMED | texts of the question; then relations with such a text |
| ARGMAX, ARGMIN | the newest set or a class; then a key; then ranks of the question that cut |
| SUM, AVG, MAX, MIN | the newest set or a class; then paths to numbers, or also to times |
| COUNT, how many different | the newest set or a class; then nothing, or a path |
| with so many | the newest set or a class; a count or total; a comparison and number some of them pass |
| OR, NOT, MEET | the newest set, a topic or a class; then what goes with it, or `(` |
| SORT, SHOW, PER | the newest set or a class; then keys and columns |
| `)` | END if nothing waits; `(` if some function can be completed; inside, the set if it fits |

A key is a path to numbers or times that exists, the number of what a relation leads to where it differs
among members, or the total or average of numbers.

No dead ends. While nothing waits, END is always among the tokens after `)`. While a branch or a function
waits, every token offered leaves the growing branch within reach of what it must meet (`reach`). What works
on whole sets (superlatives, counts, OR, tables) does so while nothing waits; and a function that takes a
second set is offered where an entity, a class, or a set that can be built from here goes with the first.
"""

from __future__ import annotations

from arcaneqa.induction import wording
from arcaneqa.induction.comparing import Comparing
from arcaneqa.induction.filtering import Filtering
from arcaneqa.induction.grammar import Grammar
from arcaneqa.induction.kept_meanings import Meanings
from arcaneqa.induction.keyed import Keyed
from arcaneqa.induction.pairing import Pairing
from arcaneqa.induction.paths import Paths
from arcaneqa.induction.reach import Reach
from arcaneqa.induction.rules import CLOSE, END, OPEN, Rules, Tools, variables
from arcaneqa.induction.starts import Starts
from arcaneqa.induction.state import State
from arcaneqa.induction.tabling import Tabling
from arcaneqa.induction.tokens import FUNCTIONS, PAPER, Chosen
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.induction.walking import Walking
from arcaneqa.program.expression import Class
from arcaneqa.program.steps import Function, Symbol

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

    def options(self, state: State) -> Options:
        if state.is_complete:
            return NOTHING
        if not state.is_open:
            return self._between(state)
        function = state.function
        if function is None:
            offered = [function for function in FUNCTIONS if self._offers(state, function)]
            return Options(list(offered), [wording.FUNCTION_CANDIDATES[function] for function in offered])
        rules = self._rules[function]
        if state.source is not None:
            return rules.arguments(state, function, state.source)
        return CLOSE if state.rest else rules.sources(state, function)

    def _between(self, state: State) -> Options:
        options = OPEN if self._can_go_on(state) else NOTHING
        if state.top is None or state.waiting is not None:
            return options
        if state.outer is None:
            return options + END
        return options + variables([state.top]) if self._reach.fits(state, state.top.meaning) else options

    def _can_go_on(self, state: State) -> bool:
        return any(self._offers(state, function) for function in FUNCTIONS)

    def _can_build(self, state: State) -> bool:
        """Whether a set can be built inside the open subprogram."""
        if state.outer is not None:
            return False
        inside = self.grammar.advance(state, Symbol.OPEN)
        # HAS is quickest to see.
        return self._offers(inside, Function.HAS) or self._can_go_on(inside)

    def _offers(self, state: State, function: Chosen) -> bool:
        if state.left < 0 or (function not in PAPER and not self._has_forms):
            return False
        if (
            state.top is not None
            and isinstance(state.top.expression, Class)
            and function not in (Function.JOIN, Function.OR)
        ):
            return False  # other functions start from the class itself
        return self._rules[function].offers(state, function)
