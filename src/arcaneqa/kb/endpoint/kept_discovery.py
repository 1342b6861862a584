"""A discovery kept on disk, with its age, because looking over all facts takes time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arcaneqa.atomic import beside
from arcaneqa.errors import InputError
from arcaneqa.files import plain_json
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.queries import Capabilities
from arcaneqa.kb.profile import profile_from_json
from arcaneqa.kb.schema import Schema

_FORMAT = 4
"""Of the file; another one is forgotten and made again."""


class Memory:
    """One file an endpoint in `folder`; what is older than `age` seconds, damaged or foreign is forgotten."""

    def __init__(self, folder: Path, key: str, age: float) -> None:
        self._path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        self._key = key
        self._age = age

    def load(self) -> Discovery | None:
        try:
            data = plain_json(self._path)
            if data["format"] != _FORMAT or data["key"] != self._key:
                return None
            if not 0 <= time.time() - data["made"] < self._age:
                return None
            return _from_json(data)
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return None

    def save(self, discovery: Discovery) -> None:
        """A disk that cannot be written costs only the next discovery."""
        data = {"format": _FORMAT, "key": self._key, "made": time.time(), **_to_json(discovery)}
        with contextlib.suppress(OSError), beside(self._path) as draft:
            draft.write_text(json.dumps(data), encoding="utf-8")


def _to_json(discovery: Discovery) -> dict[str, Any]:
    return {
        "profile": discovery.profile.to_json(),
        "capabilities": asdict(discovery.capabilities),
        "schema": discovery.schema.to_json(),
        "subclasses": discovery.subclasses,
        "datatypes": discovery.datatypes,
        "text_search": discovery.text_search,
    }


def _from_json(data: Any) -> Discovery:
    return Discovery(
        profile_from_json(data["profile"], "the remembered profile"),
        Capabilities(**data["capabilities"]),
        Schema.from_json(data["schema"]),
        {name: tuple(below) for name, below in data["subclasses"].items()},
        data["datatypes"],
        data["text_search"],
    )
