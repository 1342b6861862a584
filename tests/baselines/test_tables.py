"""Tables from lines by hand."""

from __future__ import annotations

from typing import Any

from baselines.tables import TABLES, by_function, efficiency, faithfulness, overall


def line(em: bool, f1: float, seconds: float, fate: str = "fine", **cells: str) -> dict[str, Any]:
    counts = {"decisions": 4, "candidates": 40, "pieces": 400, "asked": 7, "degree": 12}
    times = {"seconds": 10 * seconds, "processor": seconds}
    return {"em": em, "f1": f1, "fate": fate, "cells": cells} | times | counts


RUNS = {
    ("ours", "grailqa", "linked"): [
        line(True, 1.0, 0.1, level="i.i.d.", function="none", relations="1"),
        line(False, 0.5, 0.3, level="zero-shot", function="count", relations="2"),
    ],
    ("ours", "webqsp", "linked"): [line(False, 0.25, 0.2)],
    ("whole", "grailqa", "linked"): [line(False, 0.0, 1.0, "empty"), line(False, 0.0, 3.0, "not executable")],
}
TIMED = {
    ("ours", "grailqa", "index"): RUNS["ours", "grailqa", "linked"],
    ("whole", "grailqa", "index"): RUNS["whole", "grailqa", "linked"],
    ("ours", "grailqa", "endpoint"): [line(True, 1.0, 5.0)],
}
SAYS = {"ours": "ours, as bundled", "whole": "unconstrained decoding"}


def test_overall_has_levels_and_intervals() -> None:
    first = overall(RUNS, SAYS).splitlines()[2]
    assert first.startswith(
        "| ours, as bundled | linked | 50.0 / 75.0 [50, 100] | 100.0 / 100.0 | – | 0.0 / 50.0 |"
    )
    assert "25.0 [25, 25] | – |" in first


def test_functions_count_their_questions() -> None:
    text = by_function(RUNS, SAYS)
    assert "none (1) | count (1) | comparative (0)" in text
    assert "| ours, as bundled | 100.0 / 100.0 | 0.0 / 50.0 | – |" in text


def test_time_is_by_degree_and_per_method() -> None:
    rows = efficiency(RUNS | TIMED, SAYS).splitlines()[2:]
    assert rows[0].startswith("| ours, as bundled | index | 0.20 | 0.29 | 4 | 40 | 400 | 7 | – | 0.20 |")
    assert rows[1].split(" | ")[2] == "2.00"
    assert [row.split(" | ")[1] for row in rows] == ["index", "index", "endpoint"]
    assert rows[2].split(" | ")[2] == "50.00", "a server's time is the clock's"
    assert efficiency(RUNS, SAYS).count("\n") == 1, "answers that were not timed alone say nothing of time"


def test_faults_are_shares_of_all_datasets() -> None:
    rows = faithfulness(RUNS, SAYS).splitlines()[2:]
    assert rows == [
        "| ours, as bundled | 3 | 100.0 | 0.0 | 0.0 | 0.0 |",
        "| unconstrained decoding | 2 | 0.0 | 50.0 | 50.0 | 0.0 |",
    ]


def test_every_table_is_made_of_nothing_at_all() -> None:
    assert all(make({}, {}).count("\n") == 1 for _, make in TABLES.values())
