"""What the predicates of a knowledge base mean: the only place that knows one vocabulary from another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """`rdf` and `freebase` are built in; any other is a JSON file with these fields.

    `base` lets names under it be written without a prefix. `closed_classes` says whether the
    subclass closure is applied at build. `hide` and `only` are glob patterns over short names of
    schema items. `now` is an ISO date, or None for today.
    """

    name: str
    type: tuple[str, ...]
    label: tuple[str, ...]
    alias: tuple[str, ...]
    subclass: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    language: str = "en"
    closed_classes: bool = True
    hide: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    now: str | None = None
    time_pairs: tuple[tuple[str, str], ...] = ()
