"""An index replaced under a reader: the reader keeps the one it opened, and never has parts of both."""

from __future__ import annotations

import threading
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index, index, store
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.linker import Linker
from arcaneqa.support.errors import IndexFormatError

EX = "http://example.org/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def facts(folder: Path, names: list[str]) -> Path:
    """Each name, and what links it to the next: the nodes of two worlds have other numbers."""
    lines = [f'<{EX}{n}> <{LABEL}> "{n}" .\n<{EX}{n}> <{EX}near> <{EX}{names[0]}> .\n' for n in names]
    path = folder / f"{names[0]}.nt"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_index([facts(tmp_path, ["Zanzibar", "Yokohama", "Xanthi"])], tmp_path / "kb")
    return tmp_path / "kb"


def replace(folder: Path) -> None:
    build_index([facts(folder.parent, [f"Town{n}" for n in range(50)] + ["Yokohama"])], folder)


def linked(linker: Linker) -> list[str]:
    found = linker.link("what is near Yokohoma?")  # misspelt: looked up in the database of words
    return [candidate.label for mention in found.mentions for candidate in mention.candidates]


def test_a_thread_that_comes_later_sees_the_index_that_was_opened(folder: Path) -> None:
    kb = Index(folder)
    linker = Linker(kb)
    expected = linked(linker)
    assert expected == ["Yokohama"]
    replace(folder)
    found: list[list[str]] = []
    late = threading.Thread(target=lambda: found.append(linked(linker)))
    late.start()
    late.join()
    assert found == [expected]
    assert linked(Linker(kb)) == expected, "a linker made later is of the index that was opened"
    assert kb.node(Iri(f"{EX}Xanthi")) is not None
    assert Index(folder).node(Iri(f"{EX}Xanthi")) is None


@pytest.mark.parametrize(("room", "moment"), [(index, "map_array"), (index, "read_seal")])
def test_replaced_while_it_is_opened(folder: Path, room: ModuleType, moment: str) -> None:
    """Whenever it happens, what is opened is one build as a whole."""
    whole = getattr(store, moment)
    calls = 0

    def then_replaced(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 1:
            replace(folder)
        return whole(*arguments)

    with patch.object(room, moment, then_replaced):
        kb = Index(folder)
    assert kb.node(Iri(f"{EX}Town7")) is not None
    assert kb.seal == store.read_seal(folder)
    assert linked(Linker(kb)) == ["Yokohama"]
    assert kb.counts["entities"] == 51


def test_replaced_for_ever_is_said(folder: Path) -> None:
    with (
        patch.object(index, "read_seal", lambda _: "another"),
        pytest.raises(IndexFormatError, match="again and again"),
    ):
        Index(folder)


def test_all_of_it_is_open_at_once(folder: Path) -> None:
    """Nothing is opened by its name later on: the folder may be gone."""
    kb = Index(folder)
    assert isinstance(kb.surfaces(), Surfaces)
    linker = Linker(kb)
    folder.rename(folder.with_name("elsewhere"))
    assert linked(linker) == ["Yokohama"]
    assert kb.labels(kb.entities())
