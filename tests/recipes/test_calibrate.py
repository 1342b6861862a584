"""What a fit promises: thresholds, and the two measures of how well chances tell right from wrong."""

from __future__ import annotations

import numpy as np
import pytest
from calibrate import ASKED, PROMISED, Judged, Told, area, asking, folds, keeps, left_out, threshold

from arcaneqa.verdict.fitted import Case


def told(sure: float, is_right: bool, graph: str = "one") -> Told:
    case = Case([{"fit": sure}], [0], {"none": 1.0}, frozenset({0} if is_right else ()))
    return Told(Judged(graph, "1", case, (float(is_right),), True), float(is_right), sure, sure)


def test_as_many_as_promised_are_right_from_the_threshold_on_and_not_below() -> None:
    some = [told(at / 1000, is_right=at % 1000 >= 300) for at in range(1000)]
    limit = threshold(some)
    for low, is_kept in ((limit, True), (limit - 0.011, False)):
        shown = [one.is_right for one in some if one.sure >= low]
        assert bool(np.mean(shown) >= PROMISED) is is_kept
    assert threshold([told(0.9, False)]) == 0.95, "nothing keeps the promise"


def test_no_more_are_asked_back_than_is_allowed() -> None:
    some = [told(at / 1000, True) for at in range(1000)]
    low = asking(some, answer=0.8)
    assert sum(low <= one.together < 0.8 for one in some) <= ASKED * len(some)
    assert sum(low - 0.011 <= one.together < 0.8 for one in some) > ASKED * len(some)


@pytest.mark.parametrize(("wrong", "share"), [([1, 1, 0, 0], 1.0), ([0, 0, 1, 1], 0.0), ([1, 0, 1, 0], 0.75)])
def test_the_area_is_the_share_of_pairs_in_the_right_order(wrong: list[int], share: float) -> None:
    assert area(np.array([0.1, 0.2, 0.3, 0.4]), np.array(wrong, bool)) == share


def test_a_graph_is_judged_by_a_fit_on_the_others_only() -> None:
    """On one graph the evidence speaks the other way round: a fit that saw it would know."""
    good = [
        told(sure, is_right, f"graph {n}").judged
        for n in range(11)
        for sure, is_right in ((1, True), (0, False))
    ]
    odd = [told(sure, is_right, "odd").judged for sure, is_right in ((1, False), (0, True))]
    found = {(one.judged.graph, one.is_right): one.sure for one in left_out(folds([*good, *odd], 1.0))}
    assert found["graph 0", True] > 0.5 > found["graph 0", False]
    assert found["odd", True] < 0.5 < found["odd", False]


def test_what_is_sure_keeps_its_own_promise_once_it_is_tempered() -> None:
    graphs = [f"graph {n}" for n in range(12)]
    some = [told(float(n % 10 > 0), n % 10 > 0 or n % 20 == 0, g).judged for g in graphs for n in range(20)]
    fitted = folds(some, 1.0)
    sure = [one.sure for one in left_out(fitted)]
    assert max(one.sure for one in left_out(fitted, 0.5)) < max(sure)
    assert keeps([told(0.95, True)] * 97 + [told(0.95, False)] * 3 + [told(0.5, False)] * 9)
    assert not keeps([told(0.95, True)] * 95 + [told(0.95, False)] * 5)
