"""What a question calls the rows of a table whose name says nothing of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links

STORMS = """\
Name,Year,Wind,Deaths,State
Andrew,1992,165,65,FL
Camille,1969,175,259,MS
Donna,1960,145,364,FL
Hugo,1989,140,107,SC
Audrey,1957,125,431,LA
Katrina,2005,175,1836,LA
Ike,2008,110,195,TX
Sandy,2012,80,254,NJ
"""


def index(folder: Path, name: str) -> Path:
    (folder / f"{name}.csv").write_text(STORMS)
    build_index([folder / f"{name}.csv"], folder / name)
    return folder / name


@pytest.fixture(scope="module")
def neutral(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index(tmp_path_factory.mktemp("neutral"), "export")


@pytest.fixture(scope="module")
def qa(neutral: Path) -> ArcaneQA:
    return ArcaneQA.load(neutral)


@pytest.fixture(scope="module")
def linker(qa: ArcaneQA) -> Linker:
    return qa.linker


def plain(text: str) -> str:
    return " ".join(text.split()).replace(" ?", "?")


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which hurricane had the lowest wind?", "Which row had the lowest wind?"),
        ("what was the deadliest hurricane before 1960", "what was the deadliest row before 1960"),
        ("how many storms killed more than 100 people?", "how many rows killed more than 100 people?"),
        ("Did Hurricane Andrew kill 100 people?", "Did row Andrew kill 100 people?"),
        ("hurricanes in FL", "rows in FL"),
        ("hurricanes which happened in FL", "rows which happened in FL"),
        ("Which storm was the first to storm FL?", "Which row was the first to storm FL?"),
        ("average deaths per hurricane", "average deaths per row"),
        ("list all hurricanes in FL", "list all rows in FL"),
        ("Which hurricanes were stronger than Hurricane Hugo?", "Which rows were stronger than row Hugo?"),
    ],
)
def test_the_noun_that_is_asked_for_stands_for_the_rows(linker: Linker, question: str, read: str) -> None:
    links = linker.link(question)
    assert plain(links.read) == read
    assert links.question == question
    assert len(links.read) == len(question)


@pytest.mark.parametrize(
    "question",
    [
        "which state had the most deaths?",  # a column
        "how many deaths were there in 2005?",
        "how many houses were destroyed by Katrina?",  # a row is named: something of it is counted
        "who survived Katrina?",  # a verb before a name
        "which year was the worst?",
        "what happened in 2005?",
        "what kind of storm was Ike?",
        "how many people died?",
    ],
)
def test_what_the_data_has_or_no_row_can_be_does_not(linker: Linker, question: str) -> None:
    assert linker.link(question).of_rows is None


def test_a_table_with_a_telling_name_says_what_its_rows_are(tmp_path: Path) -> None:
    linker = Linker(Index(index(tmp_path, "hurricanes")))
    assert linker.link("Which storm had the lowest wind?").of_rows is None


def test_every_other_word_stays_where_it_was(linker: Linker) -> None:
    links: Links = linker.link("Which hurricane killed more people than Hurricane Hugo?")
    assert [links.read[one.start : one.end] for one in links.mentions] == ["Hugo"]


def test_rows_are_asked_about_by_any_name_and_quoted_by_their_own(qa: ArcaneQA) -> None:
    answer = qa.ask("What was the deadliest hurricane?")
    assert [item.label for item in answer.items] == ["Katrina"]
    assert answer.paraphrase == "rows with the largest deaths"
    assert answer.question == "What was the deadliest hurricane?"
    declined = qa.ask("Which hurricanes hit Cuba?")
    assert declined.reason is not None
    assert "row" not in declined.reason
