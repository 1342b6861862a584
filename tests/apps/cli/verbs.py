"""Verbs as people run them, in this process: what they print and how they end."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from arcaneqa.apps.cli.main import main


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class Verbs:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object) -> Ended:
        self._monkeypatch.setattr(sys, "argv", ["arcaneqa", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        said = self._capsys.readouterr()
        code = stop.value.code
        return Ended(code if isinstance(code, int) else 0, said.out, said.err)
