"""Between first and second pass: literals whose form is clear, and what an ontology says its classes have."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from pyoxigraph import NamedNode, Triple

from arcaneqa.kb.build.batches import DIGEST, ENTITY, Batch, Batches
from arcaneqa.kb.index.lookup import term_digests, term_key
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.ontology import ON_PROPERTY, SAYS_VALUES, SPEAKS_OF_CLASSES, owl_values
from arcaneqa.kb.predicate_names import names_codes
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Selection, is_about_classes
from arcaneqa.kb.terms import RDF, XSD, XSD_STRING, Literal
from arcaneqa.kb.values import BOOLEAN, NUMBERS, TIMES, value_of
from arcaneqa.support.ragged import ranges

# Between first and second pass: literals whose form is clear though their datatype is not.


_NEARLY_ALL = 0.8
"""A relation's texts are read as numbers or times if this share of them can be."""
_LONGEST = 32
"""Bytes of a number or a time."""
_FORMS = (
    (XSD + "integer", re.compile(rb"[+-]?(0|[1-9][0-9]{0,17})")),
    (XSD + "decimal", re.compile(rb"[+-]?(0|[1-9][0-9]*)?\.[0-9]+")),
    (XSD + "date", re.compile(rb"-?[0-9]{4}-[0-9]{2}-[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})?")),
    (XSD + "dateTime", re.compile(rb"-?[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}(Z|[+-][0-9]{2}:[0-9]{2})?")),
    (XSD + "gYearMonth", re.compile(rb"[0-9]{4}-[0-9]{2}")),
    (XSD + "boolean", re.compile(rb"true|false")),
)
_NUMBER, _TIME, _BOOLEAN, _YEAR = 1, 2, 3, 4
"""Codes of kinds in the arrays here; 0 is text. What may be a year is a number, unless dates stand beside
it."""
_KINDS_OF = 5
_BESIDE_DATES = 0.2
"""Where this share of a relation's texts are dates, numbers like years are years."""
_LIKE_A_YEAR = re.compile(rb"[12][0-9]{3}")
_KINDS = {XSD + "integer": _NUMBER, XSD + "decimal": _NUMBER, XSD + "boolean": _BOOLEAN}
_BEGINS = np.zeros(256, bool)
_BEGINS[np.frombuffer(b"0123456789+-.tf", np.uint8)] = True
_DIGITS = np.zeros(256, bool)
_DIGITS[np.frombuffer(b"0123456789+-", np.uint8)] = True
_TEXTS = frozenset(
    [
        *(XSD + name for name in ("string", "anyURI", "normalizedString", "token", "language", "Name")),
        *(XSD + name for name in ("NCName", "NMTOKEN", "base64Binary", "hexBinary", "duration", "time")),
        *(XSD + name for name in ("dayTimeDuration", "yearMonthDuration", "gDay", "gMonth", "gMonthDay")),
        *(RDF + name for name in ("HTML", "XMLLiteral", "JSON", "langString", "PlainLiteral")),
        "http://www.opengis.net/ont/geosparql#wktLiteral",
    ]
)
_INTEGERS = frozenset(name for name in NUMBERS if not name.endswith(("decimal", "double", "float")))
_USUAL_LENGTHS = {"date": (10, 11, 16), "gYear": (4, 5, 10), "gYearMonth": (7,), "dateTime": range(19, 36)}


def mend(batches: Batches, profile: Profile) -> dict[str, int]:
    """Give literals the datatype of their form, in the batches' files; how many got which."""
    wanted = set() if profile.typed_values else _relations_of_values(batches, profile)
    mended: Counter[str] = Counter()
    for batch in range(len(batches)):
        texts = _Texts(batches, batch)
        changed = dict(texts.forms(texts.doubtful()))
        if wanted:
            changed |= texts.objects_of(wanted)
        if changed:
            mended.update(texts.retype(changed))
    return dict(mended)


def _relations_of_values(batches: Batches, profile: Profile) -> set[tuple[int, int]]:
    """Relations with the kind of value that nearly all their plain texts look like."""
    count = len(batches.predicates)
    seen = np.zeros((count, _KINDS_OF), np.int64)
    for batch in range(len(batches)):
        texts = _Texts(batches, batch)
        kinds = texts.plain_kinds
        if kinds is None:
            continue
        of_objects = kinds[texts.objects]
        plain = of_objects >= 0
        pairs = batches.predicates_of(batch)[plain] * _KINDS_OF + of_objects[plain]
        seen += np.bincount(pairs, minlength=_KINDS_OF * count).reshape(count, _KINDS_OF)
    named = {*profile.label, *profile.names, *profile.alias}
    totals = seen.sum(1)
    are_years = seen[:, _TIME] >= np.maximum(_BESIDE_DATES * totals, 1)
    seen[:, _TIME] += np.where(are_years, seen[:, _YEAR], 0)
    seen[:, _NUMBER] += np.where(are_years, 0, seen[:, _YEAR])
    found = set()
    shares = seen[:, 1:_YEAR]
    for relation, kind in np.argwhere(shares >= _NEARLY_ALL * np.maximum(totals, 1)[:, None]).tolist():
        iri = batches.predicates[relation]
        if iri not in named and not names_codes(label_from_iri(iri)):
            found.add((relation, kind + 1))
    return found


class _Texts:
    """The literals of one batch."""

    def __init__(self, batches: Batches, batch: int) -> None:
        self._batches, self._batch = batches, batch
        self._types = batches.types_of(batch)
        self._lengths = batches.load(batch, "lengths", np.uint32).astype(np.int64)
        self._heap = batches.heap(batch)
        self._bytes = np.frombuffer(self._heap, np.uint8)
        self._starts = np.cumsum(self._lengths) - self._lengths

    @property
    def objects(self) -> Array:
        return self._batches.load(self._batch, "objects", np.uint32)

    @property
    def plain_kinds(self) -> Array | None:
        """For each term: -1 if it is not plain text, else the kind of value it looks like, 0 for none."""
        if XSD_STRING not in self._batches.types:
            return None
        plain = self._types == self._batches.types.index(XSD_STRING)
        kinds = np.where(plain, 0, -1).astype(np.int8)
        at = np.flatnonzero(plain & (self._lengths > 0) & (self._lengths <= _LONGEST))
        at = at[_BEGINS[self._bytes[self._starts[at]]]]
        for place, datatype in self.forms(at):
            is_like_a_year = _LIKE_A_YEAR.fullmatch(self._text(place)) is not None
            kinds[place] = _YEAR if is_like_a_year else _KINDS.get(datatype, _TIME)
        return kinds

    def objects_of(self, wanted: set[tuple[int, int]]) -> dict[int, str]:
        """Plain texts that some relation has as a value of the kind it is wanted for."""
        kinds = self.plain_kinds
        if kinds is None:
            return {}
        objects, relations = self.objects, self._batches.predicates_of(self._batch)
        kind_of = np.zeros((len(self._batches.predicates), _KINDS_OF), bool)
        kind_of[tuple(np.array(sorted(wanted)).T)] = True
        are_times = kind_of[:, _TIME].copy()
        kind_of[:, _YEAR] = kind_of[:, _NUMBER] | are_times
        of_objects = kinds[objects]
        chosen = (of_objects > 0) & kind_of[relations, np.maximum(of_objects, 0)]
        years = np.unique(objects[(of_objects == _YEAR) & are_times[relations]])
        return dict(self.forms(np.unique(objects[chosen]))) | dict.fromkeys(years.tolist(), XSD + "gYear")

    def doubtful(self) -> Array:
        """Literals of unknown types, and those that their type may not fit, seen from afar."""
        places = [np.empty(0, np.int64)]
        for number, name in enumerate(self._batches.types):
            if name.startswith("@") or name in _TEXTS or name == BOOLEAN:
                continue
            at = np.flatnonzero(self._types == number)
            at = at[(self._lengths[at] > 0) & (self._lengths[at] <= _LONGEST)]
            short = name.removeprefix(XSD)
            if name in _INTEGERS:
                at = at[self._others_than_digits(at) > 0]
            elif name in NUMBERS:
                at = at[:0]
            elif short in _USUAL_LENGTHS:
                usual = self._lengths[at]
                at = at[~np.isin(usual, list(_USUAL_LENGTHS[short])) | ((short == "gYear") & (usual == 10))]
            places.append(at)
        return np.concatenate(places)

    def _others_than_digits(self, at: Array) -> Array:
        if not len(at):
            return at
        lengths = self._lengths[at]
        others = ~_DIGITS[self._bytes[ranges(self._starts[at], lengths)]]
        return np.add.reduceat(others.astype(np.int64), np.cumsum(lengths) - lengths)

    def forms(self, at: Array) -> Iterable[tuple[int, str]]:
        """Of these terms, those whose form is that of another datatype than theirs, with this datatype."""
        types = self._batches.types
        for place in at.tolist():
            text = self._text(place)
            name = types[self._types[place]]
            if name in NUMBERS | TIMES and value_of(Literal(text.decode(), name)) is not None:
                continue
            for datatype, form in _FORMS:
                if form.fullmatch(text) and value_of(Literal(text.decode(), datatype)) is not None:
                    yield place, datatype
                    break

    def _text(self, place: int) -> bytes:
        start = int(self._starts[place])
        return self._heap[start : start + int(self._lengths[place])].strip()

    def retype(self, changed: dict[int, str]) -> Counter[str]:
        """Write new types, and the digests that go with them."""
        folder, summary = self._batches.folder, self._batches.summaries[self._batch]
        names = list(summary.types)
        numbers = {name: number for number, name in enumerate(names)}
        for name in changed.values():
            if name not in numbers:
                numbers[name] = len(names)
                names.append(name)
        types = self._batches.load(self._batch, "types", np.uint32)
        digests = self._batches.load(self._batch, "digests", DIGEST)
        for place, name in changed.items():
            start = int(self._starts[place])
            text = self._heap[start : start + int(self._lengths[place])]
            types[place] = numbers[name]
            digests[place] = np.frombuffer(term_digests([term_key(text, name)]), DIGEST)[0]
        assert not np.any(types[list(changed)] == ENTITY)
        (folder / f"{self._batch}.types").write_bytes(types.data)
        (folder / f"{self._batch}.digests").write_bytes(digests.tobytes())
        self._batches.summaries[self._batch] = dataclasses.replace(summary, types=names)
        return Counter(changed.values())


# Between first and second pass, of an ontology without instances: what its classes are said to
# have.


def with_restrictions(batches: Batches, profile: Profile) -> Batches:
    """The batches with one more, where there is anything to add."""
    if ON_PROPERTY not in batches.predicates or not _is_about_classes(batches, profile):
        return batches
    found = sorted(set(owl_values(_Said(batches), str)))
    if not found:
        return batches
    added = Batch("")
    added.fill(iter([Triple(*map(NamedNode, fact)) for fact in found]))
    summary = added.write(batches.folder, len(batches), {})
    return Batches(batches.folder, [*batches.summaries, summary], batches.prefixes)


def _is_about_classes(batches: Batches, profile: Profile) -> bool:
    subclasses = sum(batches.facts_of_predicates.get(iri, 0) for iri in profile.subclass)
    selection = Selection(profile)
    kinds = (kind for iri in profile.type for _, kind in _pairs(batches, iri))
    return is_about_classes(subclasses, (1 for kind in kinds if not selection.hides(kind)))


class _Said:
    """What the batches say of classes, by the names of nodes."""

    def __init__(self, batches: Batches) -> None:
        self._pairs = {
            iri: list(_pairs(batches, iri)) for iri in (*SPEAKS_OF_CLASSES, ON_PROPERTY, *SAYS_VALUES)
        }
        self._first = {iri: dict(reversed(pairs)) for iri, pairs in self._pairs.items()}

    def pairs(self, predicate: str) -> list[tuple[str, str]]:
        return self._pairs[predicate]

    def one(self, predicate: str, subject: str) -> str | None:
        return self._first[predicate].get(subject)


def _pairs(batches: Batches, predicate: str) -> Iterator[tuple[str, str]]:
    """Subject and object of each statement with this predicate that leads to no literal."""
    if predicate not in batches.predicates:
        return
    relation = batches.predicates.index(predicate)
    for batch in range(len(batches)):
        at = np.flatnonzero(batches.predicates_of(batch) == relation)
        if not len(at):
            continue
        name = _Names(batches, batch)
        subjects, objects = (batches.load(batch, column, np.uint32)[at] for column in ("subjects", "objects"))
        are_things = batches.types_of(batch)[objects] == ENTITY
        for subject, object_ in zip(subjects[are_things].tolist(), objects[are_things].tolist(), strict=True):
            yield name[subject], name[object_]


class _Names:
    def __init__(self, batches: Batches, batch: int) -> None:
        self._heap = batches.heap(batch)
        self._ends: Array = np.cumsum(batches.load(batch, "lengths", np.uint32), dtype=np.int64)

    def __getitem__(self, place: int) -> str:
        start = int(self._ends[place - 1]) if place else 0
        return self._heap[start : int(self._ends[place])].decode()
