"""Answer items as they travel, with the address that a browser may open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from arcaneqa.record import AnswerItem
from arcaneqa.service.contract import Item


def items_sent(items: Sequence[AnswerItem]) -> list[Item]:
    return [Item(**asdict(item), address=_address(item.iri)) for item in items]


def _address(iri: str | None) -> str | None:
    """Only what a browser may open safely."""
    return iri if iri is not None and iri.startswith(("http://", "https://")) else None
