"""The words of one knowledge base: what its relations, classes, entities and values are called."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from random import Random

import numpy as np

from arcaneqa.induction.wording import class_words, relation_words
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import said_name
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.program.expression import Class, Join, Relation
from arcaneqa.synthesis import relations
from arcaneqa.synthesis.attributes import Attribute, attribute
from arcaneqa.synthesis.inflection import PARTICIPLES
from arcaneqa.synthesis.sampled_facts import Facts, is_name

_LEADING = re.compile(r"^(has|have|in) (?=\w)")
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
"""Words for large round numbers."""


@dataclass(frozen=True)
class Words:
    """One relation, or two across a node without a name, as people would call it."""

    label: str
    domain: str | None
    range: str | None
    is_number: bool
    is_time: bool

    @cached_property
    def wording(self) -> relations.Wording:
        return relations.wording(self.label)

    @cached_property
    def attribute(self) -> Attribute | None:
        return attribute(self.label) if self.is_number or self.is_time else None

    @cached_property
    def is_event(self) -> bool:
        """Whether a dated label is a verb ("founded", "released on", "active since") rather than a noun."""
        first, last = self.label.split()[0], self.label.split()[-1]
        return self.is_time and (first in PARTICIPLES or last in ("since", "appeared", "in", "on"))

    @property
    def event(self) -> str:
        """The verb alone: "released", "first appeared"."""
        return " ".join(word for word in self.label.split() if word not in ("in", "on", "since"))

    @property
    def is_value(self) -> bool:
        return self.is_number or self.is_time


class Lexicon:
    def __init__(self, kb: KnowledgeBase, facts: Facts) -> None:
        self._kb = kb
        self._facts = facts
        self._nameless: dict[tuple[int, bool], bool] = {}
        self._relations: dict[int, Words] = {}
        self._classes: dict[str, str] = {}

    def relation(self, relation: Relation) -> Words:
        number = self._kb.schema.relation_ids[relation.iri]
        if number not in self._relations:
            self._relations[number] = self._words(number)
        return self._relations[number]

    def _words(self, number: int) -> Words:
        relation = self._kb.schema.relations[number]
        classes = self._kb.schema.classes
        entity = ValueKind.ENTITY in relation.kinds
        return Words(
            label=_LEADING.sub("", _plain(relation_words(relation))),
            domain=None if relation.domain is None else _plain(class_words(classes[relation.domain])),
            range=None
            if relation.range is None or not entity
            else _plain(class_words(classes[relation.range])),
            is_number=ValueKind.NUMBER in relation.kinds and not entity,
            is_time=ValueKind.TIME in relation.kinds and not entity,
        )

    def klass(self, klass: Class) -> str:
        if klass.iri not in self._classes:
            found = self._kb.schema.classes[self._kb.schema.class_ids[klass.iri]]
            self._classes[klass.iri] = _plain(class_words(found))
        return self._classes[klass.iri]

    @cached_property
    def _last_words(self) -> Counter[str]:
        """How many classes end in each word."""
        shown = [klass for klass in self._kb.schema.classes if not klass.hidden]
        return Counter(_plain(class_words(klass)).rpartition(" ")[2] for klass in shown)

    def short(self, noun: str) -> str:
        """A class noun by its last word, "element" for "chemical element", where no other class is meant."""
        last = noun.rpartition(" ")[2]
        return last if len(last) > 3 and " of " not in noun and self._last_words[last] == 1 else noun

    def is_nameless(self, join: Join) -> bool:
        """Whether the relation leads to nodes that have no names, as the compound nodes of Freebase."""
        key = (self._kb.schema.relation_ids[join.relation.iri], join.relation.inverse)
        if key not in self._nameless:
            subjects, objects = self._facts.pairs(key[0])
            nodes = (objects if key[1] else subjects)[:8].tolist()
            self._nameless[key] = bool(nodes) and not any(self._facts.is_named(node) for node in nodes)
        return self._nameless[key]

    def entity(self, term: Iri | Blank, rng: Random) -> str | None:
        """Its name or, now and then, an alias; None where there is nothing to call it by."""
        name = self.name(term)
        if name is not None and rng.random() < 0.2:
            ids = np.array([self._kb.node(term)], np.int64)
            aliases = [alias for alias in self._kb.aliases(ids)[0] if is_name(alias)]
            if aliases:
                return rng.choice(aliases)
        return name

    def name(self, term: Iri | Blank) -> str | None:
        node = self._kb.node(term)
        name = None if node is None else said_name(self._kb, node)
        return name if is_name(name) else None

    def value(self, literal: Literal, rng: Random) -> str:
        """A literal as people write it: 5,000,000 or 5 million; 3 May 1999."""
        kind = literal.datatype.removeprefix(XSD)
        text = literal.lexical
        if kind in ("date", "dateTime") and (found := re.match(r"(\d{4})-(\d\d)-(\d\d)", text)):
            return _day(date(int(found[1]), int(found[2]), int(found[3])), rng)
        if kind == "gYearMonth" and (found := re.match(r"(\d{4})-(\d\d)$", text)):
            return f"{date(int(found[1]), int(found[2]), 1):%B} {int(found[1])}"
        if kind == "gYear":
            return text.lstrip("0") or text
        try:
            number = float(text)
        except ValueError:
            return text
        return _quantity(number, rng)


def _plain(label: str) -> str:
    """A label as running text: no brackets, no capitals but those of acronyms."""
    text = re.sub(r"\s*[(\[].*?[)\]]", "", label).replace("_", " ").strip() or label
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in text.split())


def _day(day: date, rng: Random) -> str:
    shapes = (
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%Y-%m-%d}",
        f"{day:%b} {day.day} {day.year}",
    )
    return rng.choice(shapes)


def _quantity(number: float, rng: Random) -> str:
    whole = number == int(number) and abs(number) < 10**15
    if not whole:
        return f"{number:.10g}"
    value = int(number)
    if abs(value) >= 1000:
        for scale, name in _SCALES:
            short = value / scale
            if abs(short) >= 1 and round(short, 1) == short and rng.random() < 0.5:
                return f"{short:g} {name}"
        if rng.random() < 0.4:
            return f"{value:,}"
    return str(value)
