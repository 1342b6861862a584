"""Questions in other words: what must stay the same, and what must not."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import other_styles
import other_words
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_data import is_held

from arcaneqa.induction.found import NONE
from arcaneqa.induction.scorer import Candidate, TokenKind, TopicWords
from arcaneqa.lab.training.prepared import Builder, Decided, Example

POOL = ("bridge", "colour", "city", "mass")
SINGERS = Example(
    "1",
    "How many singers in Singer Hall have a song?",
    (TopicWords("", 20, 31, 0),),
    (
        Decided(
            (
                Candidate(TokenKind.CLASS, "singer"),
                Candidate(TokenKind.RELATION, "songs", "singer to song"),
                Candidate(TokenKind.FUNCTION, "how many"),
            ),
            0,
            "whose hall is Singer Hall",
        ),
    ),
)
RIGHT = Candidate(TokenKind.END, "the number of singers whose hall is Singer Hall", "number")
OTHER = Candidate(TokenKind.END, "the number of halls", "number")
WHOLE = replace(SINGERS, topics=(), steps=(Decided((OTHER, NONE, RIGHT), 2, ""),))


def test_a_set_gives_back_what_was_put_into_it() -> None:
    builder = Builder()
    builder.add(SINGERS)
    builder.add(WHOLE)
    assert [*other_words.examples(builder.build())] == [SINGERS, WHOLE]


@given(seed=st.integers(0, 10_000))
def test_renamed_in_question_and_schema_alike(seed: int) -> None:
    new = other_words.renamed(SINGERS, POOL, Random(seed))
    if new is None:
        return
    (step,) = new.steps
    singer, song = step.candidates[0].text, other_words.words(step.candidates[1].text)
    assert f"many {other_words.exchanged('singers', {'singer': singer})} in" in new.question
    assert step.candidates[1].types.startswith(f"{singer} to ")
    assert song <= other_words.words(new.question)
    assert (step.gold, step.candidates[2]) == (0, SINGERS.steps[0].candidates[2])
    (topic,) = new.topics
    # The mention is the name as the program has it.
    assert step.context == f"whose hall is {new.question[topic.start : topic.end]}"


def test_plurals_and_capitals_stay() -> None:
    taken = {"singer": "city", "class": "mass"}
    assert (
        other_words.exchanged("Singers, a singer, classes and Class", taken)
        == "Cities, a city, masses and Mass"
    )


def test_synonyms_are_for_the_question_alone_and_not_for_names() -> None:
    synonyms = {"singer": ["vocalist"], "song": ["tune"]}
    made = {
        new.question
        for seed in range(50)
        if (new := other_words.said_otherwise(SINGERS, synonyms, Random(seed))) is not None
    }
    assert made == {"How many singers in Singer Hall have a tune?"}


@given(seed=st.integers(0, 10_000))
def test_broken_asks_for_what_no_program_says(seed: int) -> None:
    right = Candidate(TokenKind.END, "the number of singers of halls", "number")
    asked = replace(WHOLE, question="How many singers are in halls?", steps=(Decided((NONE, right), 1, ""),))
    new = other_words.broken(asked, POOL, Random(seed))
    assert new is not None
    (step,) = new.steps
    assert step.candidates[step.gold] == NONE
    assert len(other_words.words(right.text) - other_words.words(new.question)) == 1
    assert len(other_words.words(new.question) & {*POOL}) == 1


def test_a_name_is_not_broken() -> None:
    """Who asks for Singer Hall means the singers in it, whatever else is called so."""
    assert other_words.broken(WHOLE, POOL, Random(1)) is None


def test_nothing_to_break_where_none_was_right_already() -> None:
    assert (
        other_words.broken(replace(WHOLE, steps=(replace(WHOLE.steps[0], gold=1),)), POOL, Random(1)) is None
    )


@pytest.mark.parametrize(
    ("folder", "name"),
    [("spider-steps-0", "spider-steps-renamed-0"), ("demo-readings", "demo-readings-renamed")],
)
def test_a_copy_keeps_its_fold(folder: str, name: str) -> None:
    assert other_words.place_of(Path(folder), "renamed") == name


@given(seed=st.integers(0, 10_000))
def test_typed_otherwise_the_names_are_where_they_are_said(seed: int) -> None:
    new = other_words.typed_otherwise(SINGERS, Random(seed))
    if new is None:
        return
    (topic,) = new.topics
    assert new.question[topic.start : topic.end].lower() == "singer hall"
    assert new.question != SINGERS.question
    assert new.steps == SINGERS.steps


def test_openings_keywords_and_slips() -> None:
    def typed(question: str, *mentions: tuple[int, int]) -> set[str]:
        found = (other_styles.restyled(question, mentions, Random(seed)) for seed in range(400))
        return {other[0] for other in found if other is not None}

    made = typed("What are the names of the singers who are not from France?", (51, 57))
    assert "Show me the names of the singers who are not from France" in made
    assert {"names singers not from France", "names of singers not from france"} <= made
    slips = [text for text in made if text.endswith("?")]  # other ways take the mark away
    assert slips
    assert all(text.lower().startswith("what are the ") and "france" in text.lower() for text in slips)
    assert {"Number of songs", "count the songs"} <= typed("How many songs exist?")


def test_what_people_said_for_a_word_over_databases_that_are_not_kept_out(tmp_path: Path) -> None:
    names = [f"db{number}" for number in range(100)]
    held, learnt = (
        next(filter(is_held, names)),
        next(name for name in names if not is_held(name)),
    )
    rows = [
        (learnt, "train", "List all customers .", "List all clients ."),
        (learnt, "train", "Show the customer of each shop", "Show the client of each shop"),
        (learnt, "train", "Show each pilot", "Show each aviator"),
        (held, "train", "List all ships", "List all vessels"),
        (held, "train", "Count the ships", "Count the vessels"),
        (learnt, "dev", "List all songs", "List all tunes"),
        (learnt, "dev", "Count the songs", "Count the tunes"),
    ]
    items = [dict(zip(("db", "split", "question", "other_words"), row, strict=True)) for row in rows]
    text = "".join(json.dumps(item) + "\n" for item in items).encode()
    (tmp_path / "questions.jsonl.gz").write_bytes(gzip.compress(text))
    assert other_words.taken_by_people(tmp_path) == {"customer": ["client", "client"]}
