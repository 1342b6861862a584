"""From an address to an opened endpoint: settings, capabilities, and a discovery made or remembered.

Settings are read from the environment, so that `--kb URL` is all a command needs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from arcaneqa.kb.endpoint.client import Client, Limits, ResultCache
from arcaneqa.kb.endpoint.discovery import Memory, discover, given
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.queries import Queries, probe
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import load_profile
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import cache_folder

_PREFIX = "ARCANEQA_ENDPOINT_"
_DAY = 86400.0
"""Seconds."""


@dataclass(frozen=True)
class EndpointSettings:
    """`cache_bytes` 0 means no cache of results; `age` is how many seconds what was learnt is trusted;
    `schema` is a file that says what would otherwise be looked for in all facts."""

    authorization: str | None = field(default=None, repr=False)
    certificates: Path | None = None
    profile: str | None = None
    schema: Path | None = None
    limits: Limits = field(default_factory=Limits)
    cache_bytes: int = 0
    age: float = 7 * _DAY
    folder: Path = field(default_factory=lambda: _kept())

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> EndpointSettings:
        def get(name: str) -> str | None:
            return environment.get(_PREFIX + name) or None

        def number(name: str, default: float) -> float:
            text = get(name)
            try:
                value = default if text is None else float(text)
            except ValueError:
                value = -1.0
            if not 0 <= value < float("inf"):
                raise InputError(f"{_PREFIX}{name} must be a number, not “{text}”.")
            return value

        certificates, schema = get("CERTIFICATES"), get("SCHEMA")
        return cls(
            authorization=_authorization(get("AUTHORIZATION"), get("AUTHORIZATION_FILE")),
            certificates=Path(certificates) if certificates else None,
            profile=get("PROFILE"),
            schema=Path(schema) if schema else None,
            limits=Limits(deadline=number("DEADLINE", Limits().deadline)),
            cache_bytes=int(number("CACHE_MIB", 0) * 2**20),
            age=number("AGE_DAYS", 7) * _DAY,
        )


def _kept() -> Path:
    """Without a cache nothing is remembered."""
    with suppress(OSError):
        return cache_folder("endpoints")
    return Path(os.devnull) / "endpoints"


def _authorization(value: str | None, file: str | None) -> str | None:
    if value is None and file is not None:
        try:
            value = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{_PREFIX}AUTHORIZATION_FILE names {file}, which cannot be read.") from error
    if value is not None and (not value.isprintable() or not value.isascii()):
        raise InputError("The authorization for the endpoint must be one line of plain text.")
    return value


def opened(url: str, profile: Profile | None, settings: EndpointSettings | None) -> Endpoint:
    settings = settings or EndpointSettings.from_environment()
    if profile is None and settings.profile is not None:
        profile = load_profile(settings.profile)
    cache = None
    if settings.cache_bytes:
        cache = ResultCache(settings.folder / "results.db", settings.cache_bytes, settings.age)
    client = Client(
        url,
        authorization=settings.authorization,
        certificates=settings.certificates,
        limits=settings.limits,
        cache=cache,
    )
    try:
        memory = Memory(
            settings.folder, f"{client.identity}\n{profile!r}{_told(settings.schema)}", settings.age
        )
        discovery = memory.load()
        if discovery is None:
            queries = Queries(client, probe(client))
            if settings.schema is None:
                discovery = discover(queries, profile)
            else:
                discovery = given(queries, settings.schema, profile)
            memory.save(discovery)
        return Endpoint(client, discovery, settings.folder)
    except BaseException:
        client.close()
        raise


def _told(schema: Path | None) -> str:
    """What a schema that is handed in says, for knowing when it has changed."""
    if schema is None:
        return ""
    try:
        return "\n" + hashlib.sha256(schema.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"The schema {schema} cannot be read: {error.strerror}.") from None
