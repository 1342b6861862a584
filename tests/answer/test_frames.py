"""Answers in other people's hands: data frames, notebooks, short words."""

from __future__ import annotations

import builtins
import os
import sys
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.support.errors import MissingExtra
from tests.apps.http.service_world import HOSTILE, answering, small_world


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    return answering(small_world(tmp_path_factory.mktemp("world")))[0]


def test_entities_values_and_tables_are_frames(qa: ArcaneQA) -> None:
    for make in ("to_pandas", "to_polars"):
        cities = getattr(qa.run("(JOIN ex:country ex:Norway)"), make)()
        assert list(cities.columns) == ["label", "iri"]
        assert list(cities["iri"]) == ["http://example.org/c1"]
        assert list(getattr(qa.run("(COUNT ex:City)"), make)()["value"]) == [7]
        assert list(getattr(qa.run("(MEET ex:City ex:Country)"), make)()["value"]) == [False]
        table = getattr(qa.run("(SHOW ex:Country SELF ex:capital ex:capital)"), make)()
        assert list(table.columns) == ["name", "capital", "capital 2"]
        assert len(table) == 6


def test_without_the_package_there_is_a_sentence(qa: ArcaneQA, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name in ("pandas", "polars"):
            raise ModuleNotFoundError(name=name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    answer = qa.run("(COUNT ex:City)")
    with pytest.raises(MissingExtra, match="pip install pandas"):
        answer.to_pandas()
    with pytest.raises(MissingExtra, match="pip install polars"):
        answer.to_polars()


def test_a_notebook_shows_the_program_and_no_markup_of_strangers(qa: ArcaneQA) -> None:
    answer = qa.run("(AND ex:City (JOIN ex:country ex:France))", "<i>which</i>?")
    shown = answer._repr_html_()
    assert HOSTILE not in shown
    assert "<i>which" not in shown
    assert "&lt;img src=x" in shown
    assert shown.count("display:inline-block") == 4  # and, city, country, France


def test_a_repr_is_short(qa: ArcaneQA) -> None:
    many = repr(qa.run("ex:City", "which cities?"))
    assert many.startswith("Answer('which cities?', ")
    assert "… 4 more" in many
    assert "reason='The program finds nothing.'" in repr(qa.run("(AND ex:City ex:Country)", "what?"))


def test_the_notebook_runs(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "demo" / "tour.ipynb"
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    paths = os.pathsep.join(place for place in sys.path if place)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=os.environ | {"PYTHONPATH": paths})
    said = "".join(
        str(output.get("data", {}).get("text/html", "")) + str(output.get("data", {}).get("text/plain", ""))
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    )
    assert "Paris" in said
    assert "Bolivia in place of Norway" in said
    assert "display:inline-block" in said
