"""Short names of IRIs and back: `m.0abc`, `prefix:name`, `<http://…>`, `_:blank`."""

from __future__ import annotations

import re
from functools import lru_cache

from arcaneqa.kb.profile import WELL_KNOWN, Profile
from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.support.errors import InputError

# A base name has a dot, so that it can be neither a keyword nor a number. A name that ends in `_inv`
# would read as an inverse, and an IRI's other characters could break a program's syntax: both stay in <…>.
_BASE_NAME = re.compile(r"[^\W\d][\w-]*(\.[\w-]+)+")
_LOCAL_NAME = re.compile(r"[\w-]+(\.[\w-]+)*")
_PREFIX = re.compile(r"[^\W\d][\w.-]*|")


@lru_cache(64)
def _tables(prefixes: tuple[tuple[str, str], ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Namespaces by prefix, and prefixes by namespace: read once a profile, whose names are asked for many
    times a question."""
    namespaces: dict[str, str] = {}
    for prefix, namespace in (*prefixes, *WELL_KNOWN):
        if namespace and _PREFIX.fullmatch(prefix):
            namespaces.setdefault(prefix, namespace)
    by_namespace: dict[str, str] = {}
    for prefix, namespace in namespaces.items():
        by_namespace.setdefault(namespace, prefix)
    return namespaces, by_namespace


class Names:
    """The names of one profile. `expand(short(iri)) == iri` for every IRI."""

    def __init__(self, profile: Profile) -> None:
        self._base = profile.base
        self._namespaces, self._prefixes = _tables(profile.prefixes)
        self._lengths = sorted(set(map(len, self._prefixes)), reverse=True)

    def short(self, iri: str) -> str:
        if self._base and iri.startswith(self._base):
            name = iri[len(self._base) :]
            if _BASE_NAME.fullmatch(name) and not name.endswith("_inv"):
                return name
        for length in self._lengths:
            prefix = self._prefixes.get(iri[:length])
            if prefix is not None:
                name = iri[length:]
                if _LOCAL_NAME.fullmatch(name) and not name.endswith("_inv"):
                    return f"{prefix}:{name}"
        return f"<{iri}>"

    def expand(self, name: str) -> str:
        if name.startswith("<") and name.endswith(">"):
            return name[1:-1]
        prefix, colon, local = name.partition(":")
        if not colon:
            if self._base and name:
                return self._base + name
            raise InputError(
                f"The name “{name}” has no prefix; write prefix:name or <http://…> with this knowledge base."
            )
        if prefix in self._namespaces:
            return self._namespaces[prefix] + local
        if local.startswith("//"):
            return name
        known = ", ".join(sorted(self._namespaces))
        raise InputError(
            f"The prefix of “{name}” is not known; write the whole IRI as <http://…>, or use one of {known}."
        )

    def write(self, term: Iri | Blank) -> str:
        return f"_:{term.label}" if isinstance(term, Blank) else self.short(term.value)

    def read(self, name: str) -> Iri | Blank:
        return Blank(name[2:]) if name.startswith("_:") else Iri(self.expand(name))
