"""What relations, classes, entities and values are called in a phrase: no two things by one name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from functools import cached_property, lru_cache
from weakref import proxy

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase, ordered
from arcaneqa.kb.names.name_forms import name_from_iri
from arcaneqa.kb.names.words import label_from_iri, tail, words
from arcaneqa.kb.schema import Class, Relation, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, Blank, Iri, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language.english import Predicate, shape, singular

_TIMES = {XSD + "gYear": "year", XSD + "gYearMonth": "month", XSD + "date": "date"}
_CODE = re.compile(r"\W*\w?\W*|[\d\W]+")
_REMEMBERED = 20_000
"""Entities whose words are kept."""
_MOST_NAMESAKES = 100
"""Among more, no fact is looked for."""
_SHORT = 40
"""Characters of a fact that stands in brackets."""


class Spoken:
    """Names are the labels of a knowledge base. Where two things share one, what tells them apart follows in
    brackets, except where the class beside a relation already tells which is meant."""

    def __init__(self, kb: KnowledgeBase) -> None:
        # What is kept for a knowledge base must not keep the knowledge base.
        self._kb: KnowledgeBase = proxy(kb)
        self._names = Names(kb.profile)
        self._known_entity = lru_cache(_REMEMBERED)(self._entity)

    def known(self, iri: str) -> Relation | None:
        id = self._kb.schema.relation_ids.get(iri)
        return None if id is None else self._kb.schema.relations[id]

    def class_id(self, iri: str) -> int | None:
        return self._kb.schema.class_ids.get(iri)

    def words_of(self, iri: str) -> str:
        """What a relation is called by itself, whatever others are called."""
        known = self.known(iri)
        return _own_words(iri, known.label if known else None)

    def relation(self, iri: str, owners: Set[int] = frozenset()) -> Predicate:
        """How a relation is said of members of the classes `owners`."""
        known = self.known(iri)
        name = self.words_of(iri)
        alike = self._alike.get(_key(name), ())
        if len(alike) > 1 and not _told_by(owners, known, alike):
            found = shape(name)
            # The label itself is said in a LIKE, though it is hidden and so not among those told apart.
            apart = self._apart.get(iri) or tail(iri)
            return Predicate(found.kind, f"{found.many} ({apart})", f"{found.one} ({apart})")
        return shape(name)

    def owned(self, iri: str) -> Predicate:
        """With what its own name says it is a relation of, where no thing beside it tells: "members (round)
        of something". The class that most of its subjects are in would be a guess."""
        found, owner = self.relation(iri), _owner(iri)
        if not owner or found.many.endswith(")"):
            return found
        return Predicate(found.kind, f"{found.many} ({owner})", f"{found.one} ({owner})")

    def klass(self, iri: str) -> str:
        """One member of the class: "city"."""
        return self._classes.get(iri) or label_from_iri(iri)

    def is_time(self, iri: str) -> bool:
        known = self.known(iri)
        return known is not None and ValueKind.TIME in known.kinds and ValueKind.NUMBER not in known.kinds

    def value(self, literal: Literal, relation: str | None = None) -> str:
        """Text in quotes; of a relation with numbers and times, a time says which it is."""
        kind = kind_of(literal)
        if kind is ValueKind.TEXT:
            foreign = literal.language and not literal.language.lower().startswith("en")
            return f'"{literal.lexical}"' + (f" ({literal.language})" if foreign else "")
        known = None if relation is None else self.known(relation)
        if kind is ValueKind.TIME and known is not None and ValueKind.NUMBER in known.kinds:
            return f"{literal.lexical} ({_TIMES.get(literal.datatype, 'time')})"
        return literal.lexical

    def written(self, literal: Literal) -> str:
        """A literal beside words that tell what it is: "more than 5", "valid in 1999"."""
        return literal.lexical

    # Entities --------------------------------------------------------------------------------

    def entity(self, term: Iri | Blank) -> str:
        return self._known_entity(term)

    def _entity(self, term: Iri | Blank) -> str:
        node = self._kb.node(term)
        label = None if node is None else self._kb.labels(np.array([node], np.int64))[0]
        if node is not None and label:
            apart = self._unlike_namesakes(node, label)
            return label if apart is None else f"{label} ({apart})"
        if isinstance(term, Blank):
            return f"the unnamed {term.label}"
        # What needs no prefix is an id, not a word.
        if ":" not in (name := self._names.short(term.value)):
            return name
        name = name_from_iri(term.value)
        name = name.replace("-", " ") if name.islower() else name
        # "order 10248": a number alone could be anything.
        return f"{_namespace(term.value)} {name}" if _CODE.fullmatch(name) else name

    def _unlike_namesakes(self, node: int, label: str) -> str | None:
        """What this entity has and no other of its name does: "Springfield (Illinois)"."""
        others = self._namesakes(node, label)
        if not len(others):
            return None
        if len(others) <= _MOST_NAMESAKES:
            own, rest = self._kb.nodes(np.array([node], np.int64)), self._kb.nodes(others)
            relations = self._kb.schema.relations
            shown = [r for r in self._kb.out_relations(own).tolist() if not relations[r].hidden]
            # A thing tells more than a number does.
            for relation in sorted(shown, key=lambda r: ValueKind.ENTITY not in relations[r].kinds):
                found = self._kb.objects(relation, own)
                name = self._kb.labels(found.ids)[0] if len(found) == 1 else None
                if not name or name == label or len(name) > _SHORT:
                    continue
                if not self._kb.intersects(found, self._kb.objects(relation, rest)):
                    return name
        (term,) = self._kb.terms(np.array([node], np.int64))
        return self._names.short(term.value) if isinstance(term, Iri) else str(term)

    def _namesakes(self, node: int, label: str) -> Ids:
        """Other entities with exactly this label."""
        spellings = [Literal(label), Literal(label, RDF_LANG_STRING, self._kb.profile.language)]
        literals = [id for spelling in spellings if (id := self._kb.node(spelling)) is not None]
        spelt = self._kb.nodes(np.array(literals, np.int64))
        relations = [self._kb.schema.relation_ids.get(iri) for iri in self._kb.profile.label]
        found = [self._kb.subjects(relation, spelt).ids for relation in relations if relation is not None]
        if not literals or not found:
            return np.empty(0, np.int64)
        others: Ids = ordered(np.concatenate(found))
        others = others[others != node]
        alike: Ids = others[np.array([name == label for name in self._kb.labels(others)], bool)]
        return alike

    # Schema ----------------------------------------------------------------------------------

    @cached_property
    def _alike(self) -> dict[str, list[Relation]]:
        """Visible relations by what they would be called."""
        found: dict[str, list[Relation]] = defaultdict(list)
        for relation in self._kb.schema.relations:
            if not relation.hidden:
                found[_key(_own_words(relation.iri, relation.label))].append(relation)
        return found

    @cached_property
    def _apart(self) -> dict[str, str]:
        told: dict[str, str] = {}
        for alike in self._alike.values():
            if len(alike) > 1:
                told |= self._told_apart([relation.iri for relation in alike])
        return told

    @cached_property
    def _classes(self) -> dict[str, str]:
        alike: dict[str, list[Class]] = defaultdict(list)
        for klass in self._kb.schema.classes:
            alike[singular(_own_words(klass.iri, klass.label)).lower()].append(klass)
        names = {}
        for group in alike.values():
            apart = self._told_apart([klass.iri for klass in group]) if len(group) > 1 else {}
            for klass in group:
                name = singular(_own_words(klass.iri, klass.label))
                names[klass.iri] = f"{name} ({apart[klass.iri]})" if apart else name
        return names

    def _told_apart(self, iris: Sequence[str]) -> dict[str, str]:
        """A few words of each IRI that none of the others has."""
        for part in (_owner, _owners, _local, _namespace):
            found = [part(iri) for iri in iris]
            if all(found) and len(set(found)) == len(iris):
                return dict(zip(iris, found, strict=True))
        return {iri: self._names.short(iri) for iri in iris}


def _told_by(owners: Set[int], meant: Relation | None, alike: Iterable[Relation]) -> bool:
    """Whether this is the one relation of its name that is at home in one of the classes."""
    return meant is not None and [one.id for one in alike if one.domain in owners] == [meant.id]


def _key(name: str) -> str:
    found = shape(name)
    return f"{found.kind.name} {singular(found.many).lower()}"


def _own_words(iri: str, label: str | None) -> str:
    """The label; for a dotted name without one, its last part only, since the rest says the class."""
    if label and label != label_from_iri(iri):
        return label
    return words(tail(iri).rpartition(".")[2]) or label or iri


def _owner(iri: str) -> str:
    """`people.person.name` → person."""
    return words(tail(iri).rpartition(".")[0].rpartition(".")[2])


def _owners(iri: str) -> str:
    """`people.person.name` → people person."""
    return words(tail(iri).rpartition(".")[0])


def _local(iri: str) -> str:
    return words(tail(iri).rpartition(".")[2])


def _namespace(iri: str) -> str:
    """`http://dbpedia.org/ontology/capital` → ontology; the version of `…/foaf/0.1/name` says nothing."""
    above = iri[: -len(tail(iri))]
    name = tail(above)
    while name != above and not any(map(str.isalpha, name)):
        above = above.rstrip("/#")[: -len(name)]
        name = tail(above)
    return words(name)
