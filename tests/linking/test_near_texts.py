"""Categories that a question says in another form than the table has them in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.linking.linker import Linker

KINDS = ("Rodentia,herbi,Banking", "Carnivora,carni,Drinks & tobacco", "Primates,omni,Retailing")
TABLE = "name,order,vore,sector\n" + "".join(f"Beast {n},{KINDS[n % 3]}\n" for n in range(30))


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Linker]:
    folder: Path = tmp_path_factory.mktemp("beasts")
    (folder / "beasts.csv").write_text(TABLE)
    build_index([folder / "beasts.csv"], folder / "kb")
    with Index(folder / "kb") as kb:
        yield Linker(kb)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("how many rodents are there?", {"Rodentia"}),
        ("list the carnivores", {"Carnivora", "carni"}),
        ("which primates are not omnivores?", {"Primates", "omni"}),
        ("retailers", {"Retailing"}),
        ("beasts of tobacco", {"Drinks & tobacco"}),
        ("how many primtaes sleep?", {"Primates"}),
        # What begins alike may be something else, and so are words of the schema and of the question.
        ("how many roads are there?", set()),
        ("which beasts prime the pump?", set()),
        ("what is the order of the vore?", set()),
        # A name is a name, and Nature no resource.
        ("how many beasts has Rodent?", set()),
        ("what is the order of Beast 7?", set()),
    ],
)
def test_a_category_is_found_by_another_form_of_its_word(
    linker: Linker, question: str, meant: set[str]
) -> None:
    found = {one.lexical for link in linker.link(question).literals for one in link.readings}
    assert {text for text in found if not text.isdigit()} == meant


def test_what_many_texts_hold_tells_none_of_them(tmp_path: Path) -> None:
    classes = ("First Class", "Second Class", "Third Class", "Fourth Class")
    rows = "".join(f"Order {n},{classes[n % 4]}\n" for n in range(40))
    (tmp_path / "orders.csv").write_text("name,shipping\n" + rows)
    build_index([tmp_path / "orders.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        assert not Linker(kb).link("which classy ones are there?").literals
        (link,) = Linker(kb).link("how many fourth ones are there?").literals
    assert [one.lexical for one in link.readings][-1] == "Fourth Class"


def test_who_is_in_several_rows_is_in_all_of_them(tmp_path: Path) -> None:
    rows = "Lewis,1984\nLewis,1988\nBolt,2008\nLewis,1992\nBailey,1996\nJohnson,1984\nChristie,1992\n"
    (tmp_path / "wins.csv").write_text(f"name,year\n{rows}")
    build_index([tmp_path / "wins.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        links = Linker(kb).link("in which years did Lewis win?")
        assert not links.mentions
        assert [one.lexical for link in links.literals for one in link.readings] == ["Lewis"]
        assert Linker(kb).link("in which years did Bolt win?").mentions


def test_a_letter_is_a_value_of_what_is_said(tmp_path: Path) -> None:
    rows = "".join(f"Painter {n},{'ABC'[n % 3]}\n" for n in range(12))
    (tmp_path / "painters.csv").write_text(f"name,school\n{rows}")
    build_index([tmp_path / "painters.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:

        def stated(question: str) -> list[str]:
            return [one.lexical for link in Linker(kb).link(question).literals for one in link.readings]

        assert stated("painters who are not from school A") == ["A"]
        assert stated("which is a school of painters?") == []
        assert stated("A painter of Venice") == []
