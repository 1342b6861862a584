"""Whether there is a row of all that is named, columns of tables beside, and names that nobody has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.induction.topics import topics_from_links
from arcaneqa.judgement.another import parted_name
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.text import print_program
from arcaneqa.linking.linker import Linker
from tests.judgement.found_programs import found

NAMES = ("Michael Ono", "Bo Jordan", "Michael Ray", "Cy Lind", "Jordan Moss", "Di Lund")
RACES = "runner,medal,year,club\n" + "".join(
    f"{NAMES[n % 5]},{('gold', 'silver', 'bronze')[n % 3]},{2000 + n // 3},C{n % 5}\n" for n in range(30)
)
CLUBS = "club id,club\n" + "".join(
    f"C{n},{club}\n" for n, club in enumerate(("Elks", "Owls", "Bees", "Cats", "Rams"))
)
GROUNDS = "ground id,club id,turf depth\n" + "".join(f"{n + 40},C{n},{n * 3 + 1}\n" for n in range(5))
R = "column:races."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("races")
    people = "person id,name,born\n" + "".join(f"{n},{name},{1980 + n}\n" for n, name in enumerate(NAMES))
    for name, table in (("races", RACES), ("clubs", CLUBS), ("grounds", GROUNDS), ("people", people)):
        (folder / f"{name}.csv").write_text(table)
    build_index(sorted(folder.glob("*.csv")), folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def best(question: str, kb: Index, program: str) -> tuple[str, str | None]:
    links = Linker(kb).link(question)
    named = topics_from_links(links, kb).items
    taken = [topic for topic in named if topic.term in ex.post_order(found(program, kb).program)]
    read = replace(found(program, kb), topics=tuple(taken))
    one = weighed(question, links, Outcome((read,), is_complete=True), kb).found[0]
    value = one.result.value
    return print_program(one.program, Names(kb.profile)), None if value is None else value.lexical


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did Cy Lind win gold in 2001?", "true"),
        ("Did Cy Lind win gold in 2002?", "false"),
        ("Did Cy Lind win bronze in 2001?", "false"),
        ("Who won gold in 2001?", None),
        ("Did Cy Lind win no gold in 2001?", None),
        ("Did Cy Lind win gold after 2001?", None),
    ],
)
def test_whether_there_is_such_a_row(kb: Index, question: str, answer: str | None) -> None:
    program, value = best(question, kb, f"(JOIN {R}medal_inv (JOIN {R}year 2001))")
    assert value == answer
    assert program.startswith("(MEET") is (answer is not None)


def test_a_reading_that_asks_it_already_is_left_alone(kb: Index) -> None:
    program = f'(MEET (JOIN {R}medal_inv (JOIN {R}runner "Cy Lind")) "gold")'
    assert best("Did Cy Lind win gold?", kb, program) == (program, "true")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the turf depth of the Owls?", "4"),
        ("What is the turf depth of the Owls and the Elks?", None),
        ("What is the height of the Owls?", None),
        ("Which turf depth is from the Owls?", None),
    ],
)
def test_a_column_of_a_table_beside(kb: Index, question: str, expected: str | None) -> None:
    read = found("table:clubs", kb)
    links = Linker(kb).link(question)
    one = weighed(question, links, Outcome((read,), is_complete=True), kb).found[0]
    labels = kb.labels(one.nodes.ids)
    assert (labels == [expected]) if expected else (one.program == read.program)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was Michael Jordan born?", "Michael Jordan"),
        ("When was Michael Ray born?", None),
        ("When was Jordan born?", None),
        ("Is Michael or Jordan older?", None),
    ],
)
def test_two_names_that_nobody_has_together(kb: Index, question: str, said: str | None) -> None:
    links = Linker(kb).link(question)
    (first, *_) = (topic for topic in topics_from_links(links, kb).items if isinstance(topic.term, ex.Entity))
    read = replace(found("table:people", kb), topics=(first,))
    mistaken = parted_name(question, links, read, kb)
    assert (None if mistaken is None else mistaken.said) == said
