"""The encoder's opinion on which words of a question are names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from arcaneqa.answer import ArcaneQA
from arcaneqa.cli.main import app
from arcaneqa.errors import ModelError
from arcaneqa.kb.index import Index
from arcaneqa.linking.linker import Linker, Opinion
from arcaneqa.linking.weights import Weights
from arcaneqa.model.reader import QuestionReader
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.span_head import FILE, SpanHead, SpanScorer, stretch_vectors
from arcaneqa.model.stored import bundled_model
from arcaneqa.record import Mention, Question
from arcaneqa.sealed import seal
from arcaneqa.training.linker import examples
from arcaneqa.training.span_training import Spans, fit, read_spans
from benchmarks.linking import recall
from benchmarks.spans import elsewhere

pytest_plugins = ["tests.linking.linking_kb"]

NAMED = {"paris": "Paris", "lyon": "Lyon", "vienna": "Vienna", "shining": "The Shining", "seine": "Seine"}
PATTERNS = ["what is a nice place in {}?", "is it nice in {}", "a nice day for {}", "tell me about {}"]
QUESTIONS = [
    Question(
        f"{name}-{number}", pattern.format(label.lower()), entities=(Mention(f"<http://example.org/{name}>"),)
    )
    for number, pattern in enumerate(PATTERNS)
    for name, label in NAMED.items()
]
REALLY_NICE = [
    Question(f"nice-{number}", text, entities=(Mention("<http://example.org/nice>"),))
    for number, text in enumerate(["who is the mayor of nice?", "which river flows through nice?"] * 4)
]


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    return ModelScorer.load(bundled_model()).questions


@pytest.fixture(scope="module")
def spans(kb: Index, reader: QuestionReader) -> Spans:
    return read_spans(Linker(kb, Weights.by_hand()), examples([*QUESTIONS, *REALLY_NICE], kb), reader)


@pytest.fixture(scope="module")
def head(spans: Spans) -> SpanHead:
    return fit([spans] * 150)


def test_a_head_tells_a_name_from_the_same_word(reader: QuestionReader, head: SpanHead) -> None:
    """`nice` is a city after `mayor of`, and a word before `place`, in questions it has not seen."""
    odds = {}
    for question in ("where is a nice place in france?", "who is the present mayor of nice?"):
        start = question.index("nice")
        [odds[question]] = SpanScorer(head, reader).begin(question)([(start, start + 4)], np.zeros(1))
    word, name = odds.values()
    assert name > word + 1


def test_what_the_linker_knows_is_kept(kb: Index, reader: QuestionReader, head: SpanHead) -> None:
    linker = Linker(kb, Weights.by_hand(), spans=SpanScorer(head, reader))
    plain = {m.text: m.score for m in Linker(kb, Weights.by_hand()).link("the mayor of paris").mentions}
    [mention] = [m for m in linker.link("the mayor of paris").mentions if m.text == "paris"]
    assert mention.by_words == pytest.approx(plain["paris"])
    assert recall(QUESTIONS, kb, Weights.by_hand(), SpanScorer(head, reader)).at[5] == 1


def test_training_is_repeatable(spans: Spans, head: SpanHead) -> None:
    assert np.array_equal(fit([spans] * 150).inward, head.inward)


def test_scores_are_the_same_alone_and_together(reader: QuestionReader, head: SpanHead) -> None:
    """But for the rounding of int8, which depends on what is read beside."""
    texts = ["who is the mayor of paris?", "nice", "which river flows through vienna and lyon?"]
    stretches = [[(20, 25), (11, 16)], [(0, 4)], [(26, 32), (0, 5), (0, 42)]]
    together = reader.read(texts)
    for text, own, question in zip(texts, stretches, together, strict=True):
        vectors, met = stretch_vectors(question, own)
        known = np.zeros(len(own))
        alone = SpanScorer(head, reader).begin(text)(own, known)
        assert met.all()
        assert np.allclose(alone, head.odds(vectors, known.astype(np.float32)), atol=0.1)


def test_the_mean_is_of_the_pieces_between(reader: QuestionReader) -> None:
    vectors, _ = stretch_vectors(reader.one("new york city"), [(0, 3), (4, 8), (0, 8)])
    new, york, both = vectors.reshape(3, 3, -1)
    assert np.allclose(both[0], new[0])
    assert np.allclose(both[1], york[1])
    assert np.allclose(both[2], (new[2] + york[2]) / 2, atol=1e-4)


@pytest.mark.parametrize(
    "question", ["", "?", "\u200b", "paris " * 900, "\U0001f600 in paris", "مدينة باريس paris"]
)
def test_odd_questions_keep_their_links(
    kb: Index, reader: QuestionReader, head: SpanHead, question: str
) -> None:
    found = Linker(kb, spans=SpanScorer(head, reader)).link(question)
    assert all(np.isfinite(mention.score) and mention.score <= 0 for mention in found.mentions)


def test_what_the_encoder_does_not_read_stays_as_known(reader: QuestionReader, head: SpanHead) -> None:
    question = "word " * 200 + "paris"
    odds = SpanScorer(head, reader).begin(question)([(0, 4), (1000, 1005)], np.array([0.5, 0.5]))
    assert odds[1] == 0.5
    assert odds[0] != 0.5


class Contrary:
    """Everything is the other way round."""

    def begin(self, question: str) -> Opinion:
        def odds(stretches: Sequence[tuple[int, int]], known: NDArray[np.float64]) -> NDArray[np.float64]:
            assert all(0 <= start < end <= len(question) for start, end in stretches)
            return -known

        return odds


def test_the_opinion_counts(kb: Index) -> None:
    question = "who is the mayor of paris?"
    one = Linker(kb).link(question).mentions[0]
    [other] = [m for m in Linker(kb, spans=Contrary()).link(question).mentions if m.text == one.text]
    assert np.exp(one.score) + np.exp(other.score) == pytest.approx(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of its own to put heads into."""
    copy = tmp_path / "model"
    copy.mkdir()
    for file in bundled_model().iterdir():
        if file.name != FILE:
            (copy / file.name).symlink_to(file)
    return copy


def test_a_head_is_stored_beside_its_encoder(folder: Path, head: SpanHead, kb: Index) -> None:
    assert SpanHead.of_model(folder) is None
    assert ModelScorer.load(folder).spans() is None
    head.save(folder)
    loaded = SpanHead.of_model(folder)
    assert loaded is not None
    assert np.allclose(loaded.inward, head.inward, rtol=1e-3, atol=1e-3)
    assert (folder / FILE).stat().st_size < 300_000
    [mention, *_] = ArcaneQA.load(kb, folder).linker.link("the mayor of paris").mentions
    assert mention.score != mention.by_words


def test_a_head_of_another_encoder_is_refused(folder: Path, head: SpanHead) -> None:
    head.save(folder)
    manifest = json.loads((folder / "arcaneqa.json").read_text())
    manifest["files"]["tokenizer.json"] = "0" * 64
    (folder / "arcaneqa.json").unlink()
    (folder / "arcaneqa.json").write_text(json.dumps(manifest))
    seal(folder)
    with pytest.raises(ModelError, match="another encoder; train it again"):
        SpanHead.of_model(folder)


@pytest.mark.parametrize("content", [b"", b"not a head", b"\x10\0\0\0\0\0\0\0{}"])
def test_a_damaged_head_is_refused(folder: Path, content: bytes) -> None:
    (folder / FILE).write_bytes(content)
    with pytest.raises(ModelError, match="train it again"):
        SpanHead.of_model(folder)


def test_heads_are_asked_about_what_they_never_saw(spans: Spans) -> None:
    table = elsewhere({"one": [("a", spans)], "two": [("b", spans), ("c", spans)]}).splitlines()
    assert [line.split(" | ")[0] for line in table[2:]] == ["| a", "| b", "| c"]


def test_the_command_shows_both_opinions(kb: Index, folder: Path, head: SpanHead) -> None:
    head.save(folder)
    asked = ["link", "who is the mayor of paris?", "--kb", str(kb.folder), "--model", str(folder)]
    assert "by words alone" in CliRunner().invoke(app, asked).stdout
    mention = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["mentions"][0]
    assert mention["probability"] != mention["by_words"]
    (folder / FILE).write_bytes(b"")
    refused = CliRunner().invoke(app, asked)
    assert refused.exit_code != 0
