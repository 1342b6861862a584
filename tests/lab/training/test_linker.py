from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.cli.main import app
from arcaneqa.kb.index import Index
from arcaneqa.lab.training.linker import examples, train_linker
from arcaneqa.linking.features import LinkerWeights, bundled
from arcaneqa.linking.linker import Linker
from arcaneqa.model.stored import bundled_model
from arcaneqa.record import Mention, Question
from arcaneqa.support.errors import ModelError
from benchmarks.linking import is_held_out, recall, report

pytest_plugins = ["tests.linking.linking_kb"]

NAMED = {"paris": "Paris", "lyon": "Lyon", "nice": "Nice", "vienna": "Vienna", "shining": "The Shining"}
PATTERNS = [
    "who is the mayor of {}?",
    "what is a nice place in {}?",
    "tell me about the city {}",
    "where is {}",
]
QUESTIONS = [
    Question(
        f"{name}-{number}",
        pattern.format(label.lower()),
        entities=(Mention(f"<http://example.org/{name}>", label.lower()),),
    )
    for number, pattern in enumerate(PATTERNS * 5)
    for name, label in NAMED.items()
]
NICKNAMES = [
    Question(
        f"nick-{number}",
        "is the big smoke in france",
        entities=(Mention("<http://example.org/paris>", "the big smoke", 3, 16),),
    )
    for number in range(3)
]


@pytest.fixture(scope="module")
def trained(kb: Index) -> LinkerWeights:
    return train_linker([(kb, examples([*QUESTIONS, *NICKNAMES], kb))])


def test_training_learns_what_words_mean(kb: Index, trained: LinkerWeights) -> None:
    """`nice` is a city and a word; in these questions it is mostly a word."""
    question = "what is a nice place in lyon?"
    before, after = Linker(kb, LinkerWeights.by_hand()).link(question), Linker(kb, trained).link(question)
    scores = [{m.text: m.score for m in links.mentions} for links in (before, after)]
    assert scores[1]["lyon"] > scores[1].get("nice", -10) + 1
    assert recall(QUESTIONS, kb, trained).at[1] >= recall(QUESTIONS, kb, LinkerWeights.by_hand()).at[1]
    assert trained.before["of"] > trained.before["mayor"]


def test_training_learns_nicknames(kb: Index, trained: LinkerWeights) -> None:
    assert trained.short_forms == {"thebigsmoke": ["Paris"]}
    links = Linker(kb, trained).link("who runs the big smoke?")
    assert "Paris" in [candidate.label for mention in links.mentions for candidate in mention.candidates]


def test_training_is_repeatable(kb: Index, trained: LinkerWeights) -> None:
    assert train_linker([(kb, examples([*QUESTIONS, *NICKNAMES], kb))]) == trained


def test_weights_are_saved_and_loaded(trained: LinkerWeights, tmp_path: Path) -> None:
    trained.save(tmp_path)
    assert json.loads((tmp_path / "linker.json").read_text())["short_forms"]
    assert LinkerWeights.load(tmp_path).candidate == trained.candidate
    (tmp_path / "linker.json").write_text("{}")
    with pytest.raises(ModelError, match="train it again"):
        LinkerWeights.load(tmp_path)


def test_bundled_weights_prefer_whole_known_names() -> None:
    weights = bundled()
    assert weights.candidate["plain"] > weights.candidate["contained"]
    assert weights.candidate["degree"] > 0
    assert weights.mention["inside a name"] < 0


def test_records_of_another_knowledge_base_are_left_out(kb: Index) -> None:
    foreign = [Question("1", "where?", entities=(Mention("m.0abc"), Mention("<http://elsewhere.org/x>")))]
    assert examples(foreign, kb) == []
    broken = [Question("1", "where?", program="(JOIN", entities=())]
    assert examples(broken, kb) == []


def test_the_report_has_a_row_for_each_training(kb: Index) -> None:
    assert any(map(is_held_out, QUESTIONS))
    assert "held-out tenth" in report(QUESTIONS, kb, learn=True)
    assert "bundled weights" in report(QUESTIONS[:5], kb, learn=False)


def test_the_command_shows_links(kb: Index) -> None:
    found = CliRunner().invoke(app, ["link", "who is the mayor of paris?", "--kb", str(kb.folder), "--json"])
    assert found.exit_code == 0
    data = json.loads(found.stdout)
    assert data["mentions"][0]["entities"][0]["label"] == "Paris"
    shown = CliRunner().invoke(app, ["link", "paris with over 5 km in 1999", "--kb", str(kb.folder)])
    assert "“paris”" in shown.stdout
    assert "(km)" in shown.stdout
    nothing = CliRunner().invoke(app, ["link", "", "--kb", str(kb.folder)])
    assert nothing.exit_code == 1


def test_a_model_folder_may_bring_its_own_linker(kb: Index, trained: LinkerWeights, tmp_path: Path) -> None:
    assert LinkerWeights.of_model(tmp_path) is bundled()
    trained.save(tmp_path)
    assert LinkerWeights.of_model(tmp_path) == trained
    asked = ["link", "is the big smoke in france", "--kb", str(kb.folder), "--json"]
    own = json.loads(CliRunner().invoke(app, [*asked, "--model", str(tmp_path)]).stdout)
    assert "the big smoke" in [mention["mention"] for mention in own["mentions"]]
    shipped = json.loads(CliRunner().invoke(app, asked).stdout)
    assert "the big smoke" not in [mention["mention"] for mention in shipped["mentions"]]


def test_answers_use_the_linker_of_their_model(kb: Index, trained: LinkerWeights, tmp_path: Path) -> None:
    for file in bundled_model().iterdir():
        (tmp_path / file.name).symlink_to(file)
    trained.save(tmp_path)
    found = ArcaneQA.load(kb, tmp_path).linker.link("is the big smoke in france")
    assert "the big smoke" in [mention.text for mention in found.mentions]
