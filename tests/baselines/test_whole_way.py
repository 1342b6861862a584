"""The whole way with a tiny encoder: every method is prepared, trained a little, asked, and tabled."""

from __future__ import annotations

import argparse
import json
import runpy
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.lab.paper.preparing import PaperPlan, PaperPreparer
from arcaneqa.lab.training.prepare import GOLD, READINGS, Plan
from arcaneqa.lab.training.prepare import prepare as prepare_ours
from baselines import training
from baselines.asking import ask_all, read_lines
from baselines.methods import ALL
from baselines.preparing import METHODS, prepare
from tests.tiny import write_encoder

SOURCE = Path(__file__).parents[1] / "strangers" / "brewery.ttl"
B = "http://breweries.example.com/"
PROGRAMS = [
    (
        "who owns Half Moon Brewery?",
        f"(JOIN <{B}owner>_inv <{B}halvemaan>)",
        "halvemaan",
        "Half Moon Brewery",
    ),
    ("which beers are Stout?", f"(JOIN <{B}style> <{B}stout>)", "stout", "Stout"),
    ("how many beers are Stout?", f"(COUNT (JOIN <{B}style> <{B}stout>))", "stout", "Stout"),
    (
        "which styles does Half Moon Brewery brew?",
        f"(JOIN <{B}style>_inv (JOIN <{B}brewedBy> <{B}halvemaan>))",
        "halvemaan",
        "Half Moon Brewery",
    ),
]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    kb = folder / "work" / "kb" / "lcquad"
    kb.parent.mkdir(parents=True)
    build_index([SOURCE], kb)
    records = folder / "work" / "records"
    records.mkdir()
    rows = []
    for number, (question, program, name, mention) in enumerate(PROGRAMS):
        start = question.index(mention)
        entity = {"id": f"<{B}{name}>", "mention": mention, "start": start, "end": start + len(mention)}
        rows.append({"id": f"q{number}", "question": question, "program": program, "entities": [entity]})
    for part in ("train", "dev"):
        (records / f"lcquad-{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.mark.slow
def test_every_method_is_prepared_trained_asked_and_tabled(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, kb = [room / "work" / "records" / "lcquad-train.jsonl"], str(room / "work" / "kb" / "lcquad")
    prepared = room / "prepared"
    prepare_ours(data, kb, prepared / "ours-lcquad", Plan((GOLD, READINGS), holes=0.0))
    prepare_ours(data, kb, prepared / "paper-lcquad", PaperPlan(), preparer=PaperPreparer)
    for report in prepare(METHODS, data, kb, [prepared / f"{method}-lcquad" for method in METHODS]):
        assert report.examples >= len(PROGRAMS), report.left_out
    encoder = write_encoder(room / "encoder")
    given = {"prepared": prepared, "out": room / "models", "encoder": str(encoder), "only": None}
    small = {"updates": 2, "batch": 2, "together": 2, "call_tokens": 4096, "device": "cpu"}
    training.train(argparse.Namespace(**given, **small))
    monkeypatch.syspath_prepend(str(SOURCE.parents[2] / "recipes"))
    recipe = runpy.run_path(str(SOURCE.parents[2] / "recipes" / "paper_tables.py"))
    options = argparse.Namespace(
        data=room, out=room, work=room / "work", datasets=["lcquad"], entities=["gold"], endpoint=None
    )
    options.methods, options.limit, options.document = None, None, None
    options.timed, options.device = 0, "auto"
    recipe["ask"](options)
    # Names become kinds on WebQSP alone, which is not here.
    methods = {name: method for name, method in ALL.items() if not method.trained.is_anonymous}
    for name in methods:
        found = read_lines(room / "lines" / f"{name}-lcquad-gold.jsonl")
        assert [line["id"] for line in found] == ["q0", "q1", "q2", "q3"], name
        assert all(line["pieces"] > 0 or name == "nolast" for line in found if line["decisions"]), name
        if name in ("ours", "paper", "paperstatic", "papertypes", "static", "nocontext", "nolast", "ranking"):
            assert {line["fate"] for line in found} == {"fine"}, name
    recipe["tables"](options)
    text = (room / "tables.md").read_text()
    assert text.count("## Table") == 5
    assert all(method.trained.says in text for method in methods.values())
    lines = room / "lines" / "ours-lcquad-gold.jsonl"
    lines.write_text(lines.read_text() + '{"id": "cut')
    assert len(read_lines(lines)) == 4, "a line cut off is thrown away"
    asked = recipe["opened"](options, "ours", "lcquad", "gold")
    assert (
        list(ask_all(asked, recipe["dev_questions"](options, "lcquad"), "gold", room / "lines" / "x.jsonl"))[
            -1
        ]
        == 4
    )
