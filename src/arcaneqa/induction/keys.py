"""Keys as tokens: what members are ordered by and what stands in columns."""

from __future__ import annotations

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.paths import Paths
from arcaneqa.induction.results import Results
from arcaneqa.induction.tokens import Token
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import Step
from arcaneqa.program.expression import Counted, Key, Relation, Totalled
from arcaneqa.program.steps import Function, Symbol

TOTALS = (Function.SUM, Function.AVG)
MEASURES = (*TOTALS, Function.MAX, Function.MIN)


def steps_of(results: Results, tokens: tuple[Token, ...]) -> tuple[Step, ...]:
    return tuple(results.step(token) for token in tokens if isinstance(token, Relation))


def key_options(
    paths: Paths, results: Results, members: Meaning, tokens: tuple[Token, ...], bare_count: bool = False
) -> tuple[Options, bool]:
    """How a key that has begun goes on, and whether it may end here."""
    path = steps_of(results, tokens)
    function = tokens[0]
    if isinstance(function, Function) and function is not Function.COUNT:
        numbers = function in TOTALS
        return paths.options(members, path, numbers), paths.ends(members, path, numbers)
    return paths.onward(members, path), bool(path) or bare_count


def key_tokens(key: Key) -> tuple[Token, ...]:
    """The tokens of a key that counts in no set."""
    match key:
        case Counted(path, _):
            return (Function.COUNT, *path)
        case Totalled(function, path):
            return (Function(function.value), *path)
        case _:
            return key or (Symbol.SELF,)
