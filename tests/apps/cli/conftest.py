from __future__ import annotations

import pytest

from tests.apps.cli.verbs import Verbs


@pytest.fixture
def arcaneqa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Verbs:
    return Verbs(capsys, monkeypatch)
