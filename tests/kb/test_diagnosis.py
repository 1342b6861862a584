"""What a build says that it understood."""

from __future__ import annotations

from pathlib import Path

from arcaneqa.kb.build import build_index
from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.kb.index import Index

PREFIX = "@prefix : <http://x.example/> .\n"


def diagnosis(folder: Path, turtle: str) -> Diagnosis:
    (folder / "facts.ttl").write_text(PREFIX + turtle, encoding="utf-8")
    report = build_index([folder / "facts.ttl"], folder / "index")
    with Index(folder / "index") as kb:
        assert kb.diagnosis == report.diagnosis
    return report.diagnosis


def test_names_and_classes_are_counted_by_where_they_come_from(tmp_path: Path) -> None:
    names = ["Ada", "Emmy", "Mary", "Hedy"]
    rows = [f':{n} a :Person ; :fullName "{name}" ; :age {n} .' for n, name in enumerate(names)]
    found = diagnosis(tmp_path, "\n".join([*rows, ":9 a :Visit ; :of :1 ; :cost 3 ."]))
    assert (found.things, found.labelled, found.typed) == (5, 0, 5)
    assert [(each.kind, each.attributes, each.things) for each in found.by_attributes] == [
        ("person", ["full name"], 4)
    ]
    assert found.nameless == ["visit"]
    assert not list(found.oddities())
    said = dict(found.lines())
    assert said["names"] == "80% of 5 things have a name"


def test_what_is_odd_comes_with_the_option_that_mends_it(tmp_path: Path) -> None:
    rows = [f':{n} :zzz "{n} is {n}" ; :age {n} .' for n in range(6)]
    odd = list(diagnosis(tmp_path, "\n".join(rows)).oddities())
    assert "--label" not in " ".join(odd) or ":zzz" in " ".join(odd)
    assert any("no class" in sentence for sentence in odd)


def test_words_of_iris_are_names_too(tmp_path: Path) -> None:
    found = diagnosis(tmp_path, ":Marietta a :Winery ; :makes :Zinfandel . :Zinfandel a :Wine ; :sugar 1 .")
    assert (found.by_iri, found.named) == (2, 0)
    assert not list(found.oddities())
