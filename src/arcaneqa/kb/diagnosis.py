"""What a build understood of its facts: kept in the index, and told to people in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

_FEW = 0.5
"""A share of things that is worth a word, because questions will miss the others."""


@dataclass(frozen=True)
class NamedThings:
    """So many things of a kind (None: of no class) are called by these attributes, joined: in words, and as
    the IRIs of class and relations."""

    kind: str | None
    attributes: list[str]
    things: int
    klass: str | None
    relations: list[str]


@dataclass(frozen=True)
class Diagnosis:
    """`things` are entities that facts tell of, without the schema. `labelled` of them have a name by the
    predicates in `labels`, others by attributes, others only the words of their IRIs. `mended` counts
    literals that were read by their form, by the datatype they then had. `spoken` are attributes that most
    things without a name have: perhaps the name is among them."""

    profile: str
    why: str
    things: int
    labelled: int
    labels: list[str]
    by_attributes: list[NamedThings]
    by_iri: int
    typed: int
    types: list[str]
    hidden_relations: int
    identifiers: list[str]
    mended: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    spoken: list[str] = field(default_factory=list)
    nameless: list[str] = field(default_factory=list)
    """Classes most of whose members have no name."""
    rules: int = 0
    """Statements in rules of N3."""
    odd: int = 0
    """IRIs and language tags that were not sound and were read as what comes closest."""
    some_odd: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Cells of tables that are neither numbers nor dates where all others of their columns are."""
    joined: list[str] = field(default_factory=list)
    """Relations through nodes that only join things."""
    links: list[str] = field(default_factory=list)
    """Columns that name rows of other tables, with these tables."""
    empty: list[str] = field(default_factory=list)
    """Columns without any value."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Diagnosis:
        return cls(**{**data, "by_attributes": [NamedThings(**each) for each in data["by_attributes"]]})

    @property
    def named(self) -> int:
        return self.labelled + sum(each.things for each in self.by_attributes)

    def lines(self) -> Iterator[tuple[str, str]]:
        """A word at the margin, and what is to be said."""
        yield "profile", f"{self.profile}: {self.why}"
        yield "names", f"{self._share(self.named + self.by_iri)} of {self.things:,} things have a name"
        if self.labelled:
            yield "", f"{self.labelled:,} by {_listed(self.labels)}"
        for each in sorted(self.by_attributes, key=lambda each: -each.things)[:8]:
            yield "", f"{each.things:,} {each.kind or 'without a class'} by {' + '.join(each.attributes)}"
        if self.by_iri:
            yield "", f"{self.by_iri:,} only by the words of their IRIs"
        if self.nameless:
            yield "", f"none: {_listed(self.nameless)}"
        by = f", by {_listed(self.types)}" if self.typed else ""
        yield "types", f"{self._share(self.typed)} of the things have a class{by}"
        if self.links:
            yield "links", _listed(self.links)
        if self.joined:
            yield "joined", f"{_listed(self.joined)}: each leads through what only joins two things"
        if self.empty:
            yield "no values", f"{len(self.empty):,} of the columns: {_listed(self.empty)}"
        if self.identifiers:
            yield "identifiers", f"{_listed(self.identifiers)}: nothing is the largest by these"
        if self.mended:
            total = sum(self.mended.values())
            kinds = _listed([f"{count:,} as {name}" for name, count in self.mended.items()])
            yield "values", f"{total:,} literals were read by their form: {kinds}"
        if self.hidden_relations:
            yield "not shown", f"{self.hidden_relations:,} relations that nobody asks for"

    def oddities(self) -> Iterator[str]:
        """What looks wrong, and the option that mends it."""
        if not self.things:
            yield "No thing has a fact that may be asked for; is this the schema without the data?"
            return
        unnamed = self.things - self.named - self.by_iri
        # Orders and visits have no names, and nobody misses them; customers and doctors do.
        if unnamed > _FEW * self.things and len(self.nameless) > len(self.by_attributes):
            hint = f", perhaps {_listed(self.spoken)}" if self.spoken else ""
            yield (
                f"{unnamed:,} of {self.things:,} things have no name, so that questions cannot mention them. "
                f"Give the predicate that names them with --label{hint}."
            )
        if self.typed < _FEW * self.things:
            yield (
                f"{self.things - self.typed:,} of {self.things:,} things have no class, so that questions "
                'for a kind of thing miss them. If a predicate says what they are, give it as "type" in a '
                "profile."
            )
        if self.left_out:
            yield f"{self.left_out:,} statements were left out."
        if self.unread:
            yield f"Cells that are no numbers or dates were left out: {_listed(self.unread)}."
        if self.odd:
            were = "term is" if self.odd == 1 else "terms are"
            yield (
                f"{self.odd:,} {were} no sound IRI or language tag; what comes closest was read: "
                f"{_listed(self.some_odd)}."
            )
        if self.rules:
            yield f"{self.rules:,} statements belong to rules, which are not applied: only facts are read."

    def _share(self, count: int) -> str:
        if count in (0, self.things):
            return "all" if count else "none"
        return f"{min(99, max(1, round(100 * count / max(1, self.things))))}%"


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most]) or "nothing"
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
