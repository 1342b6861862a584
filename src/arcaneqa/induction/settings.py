"""How programs are searched for: what a model brings to it, and what the caller wants."""

from __future__ import annotations

from dataclasses import dataclass

from arcaneqa.induction.learned import Learned
from arcaneqa.induction.scorer import Ranker


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`beam` is how many hypotheses live at a time; `exact` lets the scorer read every set of candidates as a
    whole, however large, where otherwise `ranker` shortlists it. With `readings` the programs found are
    weighed once more as wholes, and with `none_of_these` none of them may be the best choice. `published` is
    for models that learned the paper to the letter.
    """

    beam: int = 5
    exact: bool = False
    ranker: Ranker | None = None
    learned: Learned | None = None
    readings: bool = False
    none_of_these: bool = False
    published: bool = False
