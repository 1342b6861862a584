"""The tables of `words.toml`: how people speak of things that schemas name."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

TABLES: dict[str, Any] = tomllib.loads(
    (files("arcaneqa.synthesis") / "words.toml").read_text(encoding="utf-8")
)
