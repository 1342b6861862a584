"""Heat maps of real answers: the bundled model on a small knowledge base."""

from pathlib import Path

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.heatmap import HeatMap, heat_maps, save
from arcaneqa.kb.build import build_index
from arcaneqa.support.errors import InputError

SOURCE = Path(__file__).parents[1] / "strangers" / "brewery.ttl"


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> list[HeatMap]:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([SOURCE], folder)
    qa = ArcaneQA.load(folder)
    return heat_maps(qa, qa.ask("Who owns the Seeblick Brewery?"))


def test_the_relation_taken_is_drawn_over_every_word(maps: list[HeatMap]) -> None:
    assert maps[0].candidates[0] == "owner"
    assert maps[0].heat.words[0].lower() == "who"
    assert maps[0].heat.weights.shape == (len(maps[0].candidates), len(maps[0].heat.words))
    assert maps[0].heat.weights.sum(axis=1) == pytest.approx(1, abs=1e-3)
    assert maps[0].heat.from_words.sum(axis=0) == pytest.approx(1, abs=1e-3)
    assert maps[0].heat.from_words.argmax(axis=0)[1] == 0, "“owns” looks at “owner” most"


def test_pictures_and_pages_are_written(maps: list[HeatMap], tmp_path: Path) -> None:
    save(maps, tmp_path / "heat.png")
    assert (tmp_path / "heat.png").read_bytes().startswith(b"\x89PNG")
    hostile = [HeatMap("<script>alert(1)</script>", maps[0].candidates, maps[0].heat)]
    save(hostile, tmp_path / "heat.html")
    assert "<script>" not in (tmp_path / "heat.html").read_text()


def test_other_endings_are_refused(maps: list[HeatMap], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png or \.html"):
        save(maps, tmp_path / "heat.gif")
