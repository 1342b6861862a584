from __future__ import annotations

import numpy as np
import pytest

from arcaneqa.lab.evaluation.metrics import interval, paired, resampled_means


def test_the_interval_of_a_share_is_the_binomial_one() -> None:
    values = np.zeros((400, 1))
    values[:100] = 1
    low, high = interval(resampled_means(values, samples=4000)[:, 0])
    width = 1.96 * 100 * np.sqrt(0.25 * 0.75 / 400)
    assert low == pytest.approx(25 - width, abs=0.6)
    assert high == pytest.approx(25 + width, abs=0.6)


def test_equal_systems_do_not_differ() -> None:
    values = np.random.default_rng(1).random(500)
    found = paired(values, values)
    assert (found.difference, found.interval, found.p) == (0.0, (0.0, 0.0), 1.0)


def test_a_consistent_small_gain_is_found_because_questions_are_paired() -> None:
    other = np.random.default_rng(1).integers(0, 2, 500).astype(float)
    own = other.copy()
    own[np.flatnonzero(other == 0)[:20]] = 1
    found = paired(own, other)
    assert found.difference == pytest.approx(4.0)
    assert found.p < 0.01
    assert found.interval[0] > 0
    backwards = paired(other, own)
    assert backwards.difference == pytest.approx(-4.0)
    assert backwards.p < 0.01


def test_results_are_the_same_every_time() -> None:
    values = np.random.default_rng(2).random((50, 2))
    assert np.array_equal(resampled_means(values, seed=3), resampled_means(values, seed=3))
    assert not np.array_equal(resampled_means(values, seed=3), resampled_means(values, seed=4))
