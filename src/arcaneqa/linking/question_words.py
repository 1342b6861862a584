"""Words that say how something is asked rather than what is meant, and short forms everybody knows."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from arcaneqa.kb.names.name_forms import split

WORDS: dict[str, list[str]] = json.loads(
    files("arcaneqa.linking").joinpath("words.json").read_text(encoding="utf-8")
)
STOP_WORDS = frozenset(WORDS["stop"])
"""Never a mention on their own, unless quoted."""

ENDINGS = frozenset(WORDS["endings"])
"""Stop words that questions end with as themselves."""

QUESTION_WORDS = frozenset(WORDS["question"])
"""Common in questions as themselves; part of a name only where the whole name is there."""

UNITS = frozenset(WORDS["units"])


@cache
def known_short_forms() -> dict[str, tuple[str, ...]]:
    """Short form (without spaces) → full names: peoples for their countries, abbreviations, nicknames."""
    text = files("arcaneqa.linking").joinpath("short_forms.json").read_text(encoding="utf-8")
    table: dict[str, list[str]] = json.loads(text)
    return {"".join(split(short)): tuple(names) for short, names in table.items()}


@cache
def known_codes() -> dict[str, tuple[str, ...]]:
    """Name (without spaces) → what tables write for it: countries (ISO 3166), states and provinces, months,
    weekdays, ordinals, women and men. Two letters of a country that are also a state's or a province's are
    left out."""
    text = files("arcaneqa.linking").joinpath("codes.json").read_text(encoding="utf-8")
    table: dict[str, list[str]] = json.loads(text)
    return {"".join(split(name)): tuple(codes) for name, codes in table.items()}
