from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.judgement.confidence import Confidence
from arcaneqa.judgement.evidence import FEATURES, Row
from arcaneqa.lab.evaluation.metrics import expected_calibration_error
from arcaneqa.support.errors import InputError, ModelError


def examples(count: int, seed: int) -> tuple[list[Row], list[bool]]:
    """Rows whose true chance of being right is known."""
    random = np.random.default_rng(seed)
    rows, correct = [], []
    for _ in range(count):
        total, lead, linking = -random.exponential(3), random.exponential(2), -random.exponential(1)
        chance = 1 / (1 + math.exp(-(1 + 0.5 * total + 0.7 * lead + 0.3 * linking)))
        decisions = int(random.integers(1, 8))
        share = 1 / (1 + math.exp(-lead))
        row = np.zeros(len(FEATURES))
        row[:6] = (total, total / decisions, lead, share, decisions, linking)
        rows.append(row)
        correct.append(bool(random.random() < chance))
    return rows, correct


def test_confidence_keeps_its_word_on_unseen_answers() -> None:
    confidence = Confidence.fit(*examples(3000, 1))
    rows, correct = examples(3000, 2)
    values = [confidence.weigh(row) for row in rows]
    assert expected_calibration_error(values, correct) < 0.03
    assert min(values) < 0.3 < 0.9 < max(values)


@pytest.mark.parametrize("confidence", [Confidence(), Confidence.fit(*examples(2000, 3))])
def test_more_evidence_means_more_confidence(confidence: Confidence) -> None:
    sure, unsure = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    sure[:4] = (-0.2, -0.2, 1.8, 0.86)
    unsure[:4] = (-2.0, -2.0, -1.8, 0.14)
    assert confidence.weigh(sure) > confidence.weigh(unsure)


def test_what_was_fitted_before_a_feature_was_known_still_weighs(tmp_path: Path) -> None:
    Confidence.fit(*examples(50, 6)).save(tmp_path)
    path = tmp_path / "confidence.json"
    data = json.loads(path.read_text())
    whole = Confidence.of_model(tmp_path)
    for key in ("features", "mean", "scale", "weights"):
        data[key] = data[key][:7]
    path.write_text(json.dumps(data))
    part = Confidence.of_model(tmp_path)
    assert part.weights[:7] == whole.weights[:7]
    assert set(part.weights[7:]) == {0.0}


@given(
    st.lists(
        st.tuples(st.lists(st.floats(), min_size=len(FEATURES), max_size=len(FEATURES)), st.booleans()),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.floats(), min_size=len(FEATURES), max_size=len(FEATURES)),
)
@settings(max_examples=50)
def test_any_row_gives_a_probability(examples: list[tuple[list[float], bool]], asked: list[float]) -> None:
    confidence = Confidence.fit([np.array(row) for row, _ in examples], [right for _, right in examples])
    assert 0 < confidence.weigh(np.array(asked)) < 1
    assert 0 < Confidence().weigh(np.array(asked)) < 1


def test_one_sided_examples_do_not_make_it_certain() -> None:
    rows, _ = examples(20, 4)
    assert 0.7 < Confidence.fit(rows, [True] * 20).weigh(rows[0]) < 0.999
    assert 0.001 < Confidence.fit(rows, [False] * 20).weigh(rows[0]) < 0.3


def test_it_survives_being_saved(tmp_path: Path) -> None:
    assert Confidence.of_model(tmp_path) == Confidence()
    fitted = Confidence.fit(*examples(50, 5), threshold=0.2)
    confidence = replace(fitted, expected=((0.0, 0.4), (0.5, 0.8)))
    assert [confidence.precision(limit) for limit in (0.1, 0.5, 0.9)] == [0.4, 0.8, 0.8]
    assert fitted.precision(0.5) is None
    confidence.save(tmp_path)
    assert Confidence.of_model(tmp_path) == confidence
    assert [path.name for path in tmp_path.iterdir()] == ["confidence.json"]


@pytest.mark.parametrize(
    "change", [{"features": ["other"]}, {"weights": [1.0]}, {"bias": None}, {"mean": "abcdef"}, None]
)
def test_a_damaged_file_is_named(tmp_path: Path, change: dict[str, object] | None) -> None:
    Confidence().save(tmp_path)
    path = tmp_path / "confidence.json"
    path.write_text("{" if change is None else json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ModelError, match=r"confidence\.json"):
        Confidence.of_model(tmp_path)


def test_nothing_to_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="single example"):
        Confidence.fit([], [])
    with pytest.raises(InputError, match="marks"):
        Confidence.fit([np.zeros(6)], [])
    with pytest.raises(InputError, match="cannot be written"):
        Confidence().save(Path(__file__) / "no-folder")


def test_where_surely_none_is_meant_an_answer_needs_more(tmp_path: Path) -> None:
    confidence = replace(Confidence(), threshold=0.05, if_none=0.24)
    assert [confidence.limit(none) for none in (0.0, 0.9, 0.99)] == [0.05, 0.05, 0.24]
    # A model's own threshold is never lowered by it.
    assert replace(confidence, threshold=0.5).limit(0.99) == 0.5
    confidence.save(tmp_path)
    assert Confidence.of_model(tmp_path) == confidence
