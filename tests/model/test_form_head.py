"""What an encoder hears in a question beside its words."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from arcaneqa.errors import ModelError
from arcaneqa.model.form_head import FILE, FormHead, FormScorer
from arcaneqa.model.reader import QuestionReader
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import bundled_model
from arcaneqa.program.forms import NEVER, Form
from arcaneqa.sealed import check_seal, seal
from arcaneqa.training.form_training import Heard, refused, train_forms

THINGS = ["rivers", "teachers", "songs", "houses", "planets", "dogs", "ships", "towns", "films", "trees"]
ASKED = {
    "{} that nobody ever bought": frozenset((Form.EXCEPT,)),
    "which {} are left over when the sold ones are taken away": frozenset((Form.EXCEPT,)),
    "which {} were bought by anna": frozenset(),
    "what are the {} of anna": frozenset(),
}
QUESTIONS = [
    Heard(thing, pattern.format(thing), forms, {}, 1.0, is_measured=True)
    for thing in THINGS
    for pattern, forms in ASKED.items()
]


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    return ModelScorer.load(bundled_model()).questions


@pytest.fixture(scope="module")
def head(reader: QuestionReader) -> FormHead:
    return train_forms(QUESTIONS * 3, reader)


def test_a_form_is_heard_without_any_of_its_words(reader: QuestionReader, head: FormHead) -> None:
    scorer = FormScorer(head, reader)
    asked = scorer.chances("which lamps are left over when the sold ones are taken away", {})
    plain = scorer.chances("which lamps were bought by anna", {})
    assert asked["EXCEPT"] > plain["EXCEPT"] + 0.3
    assert set(asked) == {form.name for form in Form if form not in NEVER}


def test_a_head_is_kept_beside_its_encoder_and_refused_beside_another(head: FormHead, tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(bundled_model(), own)
    head.save(own)
    check_seal(own)
    read = FormHead.of_model(own)
    assert read is not None
    assert read.forms == head.forms
    assert read.limits == pytest.approx(head.limits, abs=1e-3)
    rows = np.random.default_rng(1).normal(size=(5, len(head.inward))).astype(np.float32)
    assert read.chances(rows) == pytest.approx(head.chances(rows), abs=0.05)
    other = tmp_path / "other"
    shutil.copytree(own, other)
    manifest = (other / "arcaneqa.json").read_text()
    (other / "arcaneqa.json").write_text(manifest.replace('"tokenizer.json": "', '"tokenizer.json": "0'))
    seal(other)
    with pytest.raises(ModelError, match="another encoder"):
        FormHead.of_model(other)
    (own / FILE).write_bytes(b"not arrays")
    with pytest.raises(ModelError, match="cannot be read"):
        FormHead.of_model(own)


def test_words_that_the_head_doubts_are_not_heeded(head: FormHead) -> None:
    """A column is no form, whatever the encoder thinks; words count where it agrees at all."""
    sign, column = (
        Heard("", "", frozenset((Form.EXCEPT,)), {"EXCEPT": is_column}, 1.0, True)
        for is_column in (False, True)
    )
    chances = np.zeros((1, len(head.forms)), np.float32)
    chances[:, head.forms.index("EXCEPT")] = 0.5
    for question, expected in ((sign, True), (column, False)):
        declined, needed = refused([question], chances, heeded=0.2, sure=0.95)
        assert declined.tolist() == [expected]
        assert needed.tolist() == [True]
    assert not refused([sign], chances, heeded=0.6, sure=0.95)[0].any()
