from __future__ import annotations

from pathlib import Path

import pytest

from tests.rooms import Rules, rules_of

PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"


@pytest.fixture(scope="module")
def rules() -> Rules:
    return rules_of(PAGE.read_text(encoding="utf-8"))


def test_a_package_has_one_short_line() -> None:
    _, _, below = PAGE.read_text(encoding="utf-8").partition("may import |\n")
    rows = below.partition("\n\n")[0].splitlines()
    assert rows
    assert max(map(len, rows)) <= 120


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("language.text", "kb.schema", True),
        ("language.sparql", "kb.sparql.terms", True),
        ("language.sparql", "kb.endpoint.client", False),
        ("language.run", "kb.index.index", False),
        ("answer.arcaneqa", "kb.build.build", False),
        ("kb.open", "kb.build.build", True),
        ("model.scorer", "induction.scorer", True),
        ("model.scorer", "induction.search", False),
        ("model.scorer", "kb.interface", False),
        ("int8.kernels", "model.reader", False),
        ("kb.build.build", "linking.linker", False),
        ("kb.names.surfaces", "support.errors", True),
        ("induction.search", "lab.datasets.convert", False),
        ("answer.arcaneqa", "lab.training.train", False),
        ("apps.cli.ask", "apps.http.app", True),
        ("a_new_module", "support.errors", False),
    ],
)
def test_the_table_decides(rules: Rules, importer: str, imported: str, allowed: bool) -> None:
    assert rules.allows(importer, imported) is allowed
