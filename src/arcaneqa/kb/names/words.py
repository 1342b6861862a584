"""Names of schema items as words: `people.person.date_of_birth` → "people person date of birth"."""

from __future__ import annotations

import re
from urllib.parse import unquote

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAKS = re.compile(r"[\W_]+")


def tail(iri: str) -> str:
    """The local part of an IRI: what follows the last `#`, `/` or, where there is none (in a URN), `:`."""
    trimmed = iri.rstrip("/#")
    last = max(trimmed.rfind("#"), trimmed.rfind("/"))
    return trimmed[(last if last >= 0 else trimmed.rfind(":")) + 1 :] or iri


def words(name: str) -> str:
    """A name in lower case, split at dots, underscores, other punctuation and camelCase."""
    return " ".join(_BREAKS.sub(" ", CAMEL.sub(" ", name)).lower().split())


def label_from_iri(iri: str) -> str:
    """What to call a schema item that has no label of its own."""
    return words(unquote(tail(iri))) or iri
