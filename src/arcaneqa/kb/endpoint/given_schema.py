"""A schema that is handed in, as `arcaneqa info KB --json` prints it, so that nothing need be looked over.

It may come from this endpoint, from an index of the same facts or of a part of them, or be edited by hand:
what it leaves out is not asked about, and relations that are not in it are never offered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arcaneqa.errors import InputError
from arcaneqa.files import plain_json
from arcaneqa.kb import readable_schema
from arcaneqa.kb.endpoint.discovery import Discovery, closed_subclasses
from arcaneqa.kb.endpoint.queries import Queries
from arcaneqa.kb.endpoint.schema_facts import SchemaFacts
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import BUILT_IN


def given(queries: Queries, path: Path, profile: Profile | None) -> Discovery:
    data = _read(path)
    if profile is None:
        profile = BUILT_IN.get(data["profile"])
    if profile is None:
        raise InputError(
            f"The schema {path} was made with the profile “{data['profile']}”; name its file in "
            "ARCANEQA_ENDPOINT_PROFILE."
        )
    try:
        described = readable_schema.read(data, profile)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"The schema {path} is not what `arcaneqa info KB --json` prints: {type(error).__name__} {error}."
        ) from None
    facts = SchemaFacts(queries, described.relation_ids.keys())
    subclasses = closed_subclasses(facts, profile)
    return Discovery(profile, queries.capabilities, described, subclasses)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = plain_json(path)
    except OSError as error:
        raise InputError(f"The schema {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise InputError(f"The schema {path} is not JSON: {error}.") from None
    if not isinstance(data, dict) or not {"profile", "relations", "classes"} <= data.keys():
        raise InputError(f"The schema {path} is not what `arcaneqa info KB --json` prints.")
    return data
