"""What is drawn while questions are made: programs in the making, and cards without early repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from arcaneqa.kb.interface import NodeSet
from arcaneqa.program.expression import Expression


@dataclass(frozen=True)
class Found:
    """A program in the making and what it denotes."""

    expression: Expression
    nodes: NodeSet


class Deck:
    """Deals every card once before any comes again."""

    def __init__(self, cards: Sequence[int], rng: Random) -> None:
        self._cards, self._rng = list(cards), rng
        self._left: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._cards)

    def deal(self) -> int:
        if not self._left:
            self._left = list(self._cards)
            self._rng.shuffle(self._left)
        return self._left.pop()
