"""From an address to an opened endpoint: settings, capabilities, and a discovery made or remembered."""

from __future__ import annotations

import hashlib
from pathlib import Path

from arcaneqa.errors import InputError
from arcaneqa.kb.endpoint.cache import ResultCache
from arcaneqa.kb.endpoint.client import Client
from arcaneqa.kb.endpoint.discovery import discover
from arcaneqa.kb.endpoint.endpoint import Endpoint
from arcaneqa.kb.endpoint.given_schema import given
from arcaneqa.kb.endpoint.kept_discovery import Memory
from arcaneqa.kb.endpoint.queries import Queries, probe
from arcaneqa.kb.endpoint.settings import Settings
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import load_profile


def opened(url: str, profile: Profile | None, settings: Settings | None) -> Endpoint:
    settings = settings or Settings.from_environment()
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
        memory = Memory(settings.folder, f"{client.name}\n{profile!r}{_told(settings.schema)}", settings.age)
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
