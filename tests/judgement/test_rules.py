"""Every rule has a name of its own, and docs/trust.md tells of it."""

from __future__ import annotations

import re
from pathlib import Path

from arcaneqa.judgement.corrected import CORRECTIONS
from arcaneqa.judgement.rules import Rule
from arcaneqa.judgement.weighing import COMPARISONS, FAULTS, SAYINGS

RULES: tuple[Rule, ...] = (*CORRECTIONS, *SAYINGS, *COMPARISONS, *FAULTS)
PAGE = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")


def test_names_tell_rules_apart() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_the_page_has_a_row_for_each_rule_and_none_for_others() -> None:
    headings = r"\| (?:comparison|correction|said outright|fault) \|.*\n\|[-|]+\n((?:\|.*\n)+)"
    rows = [row for table in re.findall(headings, PAGE) for row in table.splitlines()]
    assert sorted(row.split(" | ")[0].lstrip("| ") for row in rows) == sorted(rule.name for rule in RULES)


def test_the_page_says_which_faults_are_declined() -> None:
    declined = {row.split(" | ")[0].lstrip("| ") for row in PAGE.splitlines() if row.endswith("| yes |")}
    assert declined == {fault.name for fault in FAULTS if fault.why is not None}
