"""The prompt of `arcaneqa ask`, in a terminal of its own and line by line."""

from __future__ import annotations

import csv
import os
import re
import sys
from io import StringIO
from pathlib import Path

import pexpect
import pytest
from platformdirs import user_cache_path
from rich.console import Console

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.cli.prompt import Prompt, completions

COMMAND = "from arcaneqa.apps.cli.main import main; main()"


@pytest.fixture(scope="module")
def qa() -> ArcaneQA:
    return ArcaneQA.load()


@pytest.fixture
def heard(qa: ArcaneQA) -> tuple[Prompt, StringIO]:
    said = StringIO()
    return Prompt(qa, Console(file=said, width=160)), said


def say(heard: tuple[Prompt, StringIO], line: str) -> str:
    prompt, said = heard
    said.seek(0)
    said.truncate()
    assert prompt.hear(line)
    return said.getvalue()


def test_a_conversation_in_a_terminal(tmp_path: Path) -> None:
    paths = os.pathsep.join(place for place in sys.path if place)
    cache = tmp_path / "cache" / "arcaneqa"  # with all that is kept there but the history of who runs this
    cache.mkdir(parents=True)
    for kept in user_cache_path("arcaneqa").iterdir():
        if kept.name != "history":
            (cache / kept.name).symlink_to(kept)
    settings = {"PYTHONPATH": paths, "TERM": "xterm", "XDG_CACHE_HOME": str(cache.parent)}
    settings |= {"PROMPT_TOOLKIT_NO_CPR": "1"}  # nobody here says where the cursor is
    child = pexpect.spawn(
        sys.executable,
        ["-c", COMMAND, "ask"],
        env=os.environ | settings,
        cwd=str(tmp_path),
        timeout=60,
        encoding="utf-8",
        dimensions=(50, 160),
    )
    child.expect_exact("arcaneqa>")
    for typed, expected in (
        ("what is the capital of Burkin\t", "a Faso"),  # completed
        ("?\r", "demo:Ouagadougou"),
        ("what is the capital of Mongolia?\r", "demo:Ulaanbaatar"),
        ("and of Nepal?\r", "demo:Kathmandu"),
        ("\x1b[A\x1b[A\r", "demo:Ulaanbaatar"),  # two up in the history
        ("csv out.csv\r", "1 rows"),
        ("\x1b[200~what is the capital of Peru?\nand of Chile?\x1b[201~\r", "demo:Lima"),  # pasted
        ("", "demo:Santiago"),
        ("why\r", "  1  "),
    ):
        child.send(typed)
        child.expect_exact(expected)
    child.send("quit\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "+and of Nepal?" in (cache / "history").read_text().splitlines()
    assert (cache / "history").stat().st_mode & 0o077 == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("Ulaanbaatar,")


def test_commands_are_about_the_last_answer(heard: tuple[Prompt, StringIO], tmp_path: Path) -> None:
    for command in ("why", "more", f"csv {tmp_path / 'none.csv'}"):
        assert "Nothing was asked yet" in say(heard, command)
    assert "no reading 2" in say(heard, "2")
    first = say(heard, "which airports are in Norway?")
    assert "… and 29 more" in first
    second = say(heard, "more")
    assert "… and 9 more" in second
    assert not set(first.splitlines()[1:20]) & set(second.splitlines()[1:20])
    assert len(say(heard, "columns").splitlines()[0]) > len(first.splitlines()[0])
    assert "because" in say(heard, "why")
    say(heard, "more")
    assert "That was all: 49." in say(heard, "more")
    assert "49 rows" in say(heard, f"csv {tmp_path / 'airports.csv'}")
    rows = list(csv.reader((tmp_path / "airports.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0][:2] == ["label", "iri"]
    assert len(rows[0]) > 3, "a file has all the columns"
    assert len(rows) == 50
    assert "carried  the 49 before" in say(heard, "how many?")


def test_a_reading_is_chosen_by_its_number(heard: tuple[Prompt, StringIO]) -> None:
    for question in (
        "which city has the most inhabitants?",
        "which countries border Germany?",
        "largest country?",
    ):
        say(heard, question)
        if len(heard[0].talk.readings) > 1:
            break
    second = heard[0].talk.readings[1]
    assert re.search(rf"^  2 .*% +{re.escape(second.paraphrase)}", say(heard, "why"), re.M)
    assert f"read as  {second.paraphrase}" in say(heard, "2")
    assert "no reading 99" in say(heard, "99")


def test_facts_go_on_page_by_page(heard: tuple[Prompt, StringIO]) -> None:
    first = say(heard, "facts France")
    assert "capital" in first
    assert "in all" in first
    second = say(heard, "more")
    assert "Paris" not in second.splitlines()[0]
    assert first != second
    assert "No entity is called" in say(heard, "facts Nobody At All")


def test_what_goes_wrong_is_said_and_the_talk_goes_on(heard: tuple[Prompt, StringIO]) -> None:
    assert "No answer" in say(heard, "why is the sky blue?")
    assert "no answer to write" in say(heard, "csv x.csv")
    assert "Paris" in say(heard, "what is the capital of France?")
    assert "/nowhere/at/all.csv" in say(heard, "csv /nowhere/at/all.csv")
    prompt, _ = heard
    assert not prompt.hear("quit")


def test_names_are_completed_as_far_back_as_they_go(qa: ArcaneQA) -> None:
    assert ("Burkina Faso", "Burkina F") in list(completions(qa, "what is the capital of Burkina F"))
    assert ("Mongolia", "Mong") in list(completions(qa, "capital of Mong"))
    assert "Asia/Kathmandu" not in dict(completions(qa, "Kathm"))
    assert next(completions(qa, "fac")) == ("facts ", "fac")
    assert list(completions(qa, "")) == []
