"""Prepared sets as published: gold entities, whole admissible sets, the paper's tokens."""

from __future__ import annotations

from dataclasses import dataclass

from arcaneqa.induction.induction import Induction
from arcaneqa.lab.paper.induction import PaperInduction
from arcaneqa.lab.training.prepare import GOLD, Plan, Preparer


@dataclass(frozen=True, slots=True)
class PaperPlan(Plan):
    """`paper` marks the set: its tokens are spelled for no other model."""

    topics: tuple[str, ...] = (GOLD,)
    most: int | None = None
    holes: float = 0.0
    paper: bool = True


class PaperPreparer(Preparer):
    def _opened(self) -> Induction:
        return PaperInduction(self._kb, self._learned)
