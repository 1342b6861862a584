"""Random programs of every form over a knowledge base, whether or not they have an answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex

T = TypeVar("T")


class RandomPrograms:
    """Draws from few names of each kind, so that programs come close to each other."""

    def __init__(self, kb: KnowledgeBase, seed: int, names: int = 12) -> None:
        self._draw = draw = Random(seed)
        relations = [relation for relation in kb.schema.relations if not relation.hidden]
        links = [relation.iri for relation in relations if ValueKind.ENTITY in relation.kinds]
        self._links = draw.sample(links, min(names, len(links)))
        valued = [relation for relation in relations if relation.comparable]
        self._valued = [relation.iri for relation in draw.sample(valued, min(names, len(valued)))]
        self._times = {relation.iri for relation in valued if ValueKind.TIME in relation.kinds}
        texts = [relation.iri for relation in relations if ValueKind.TEXT in relation.kinds]
        self._texts = draw.sample(texts, min(4, len(texts)))
        classes = [klass for klass in kb.schema.classes if klass.members and not klass.hidden]
        chosen = draw.sample(classes, min(names, len(classes)))
        self._classes = [ex.Class(klass.iri) for klass in chosen]
        self._entities = [
            ex.Entity(term)
            for klass in chosen
            for term in kb.terms(kb.members(klass.id).ids[: 1 + names // 4])
            if not isinstance(term, Literal)
        ]

    def program(self) -> ex.Expression:
        top: list[Callable[[], ex.Expression]] = [
            lambda: ex.Count(self.set()),
            lambda: ex.Count(self.set(), self.links(1)),
            lambda: ex.Aggregate(self._one(list(ex.Aggregation)), self.set(), self.path()),
            lambda: ex.Meet(self._one(self._entities), self.set()),
            lambda: ex.Sort(self.set(), self.key(), self._draw.random() < 0.5),
            lambda: ex.Show(self.set(), tuple(self.key() for _ in range(self._draw.randint(1, 2)))),
            lambda: ex.Per(self.set(), self.links(1), (ex.Counted(()),)),
        ]
        return self._one(top)() if self._draw.random() < 0.3 else self.set()

    def set(self, depth: int = 3) -> ex.Expression:
        leaves: list[Callable[[], ex.Expression]] = [
            lambda: self._one(self._classes),
            lambda: ex.Join(self.link(), self._one(self._entities)),
            lambda: ex.Compare(self._one(list(Comparison)), *self.valued()),
            lambda: ex.Has(self.link()),
            lambda: ex.Named(ex.Value(Literal("Victoria"))),
        ]
        if self._texts:
            leaves.append(lambda: ex.Like(ex.Relation(self._one(self._texts)), ex.Value(Literal("sauce"))))
        grown: list[Callable[[], ex.Expression]] = [
            lambda: ex.Join(self.link(), self.set(depth - 1)),
            lambda: ex.And(self.set(depth - 1), self.set(depth - 1)),
            lambda: ex.And(self._one(self._classes), self.set(depth - 1)),
            lambda: ex.Or(self.set(depth - 1), self.set(depth - 1)),
            lambda: ex.Not(self.set(depth - 1), self.set(depth - 1)),
            lambda: ex.Extreme(
                self._one(list(ex.Direction)),
                self.set(depth - 1),
                self.key(),
                *self._one([(1, 1), (1, 3), (2, 2)]),
            ),
            lambda: ex.Compare(
                self._one(list(Comparison)),
                ex.Counted(self.links(1), self.within()),
                ex.Value(_number(self._draw)),
            ),
            lambda: ex.Compare(
                Comparison.GT,
                self.value_relation(),
                ex.Join(ex.Relation(self.value_relation().iri, True), self.set(depth - 1)),
            ),
            lambda: ex.Cons(self.set(depth - 1), self.link(), self._one(self._entities)),
            lambda: ex.During(self.set(depth - 1), self.value_relation(), ex.NOW),
        ]
        return self._one(leaves if depth == 0 or self._draw.random() < 0.35 else grown)()

    def link(self) -> ex.Relation:
        return ex.Relation(self._one(self._links), self._draw.random() < 0.5)

    def links(self, most: int) -> ex.Path:
        return tuple(self.link() for _ in range(self._draw.randint(1, most)))

    def value_relation(self) -> ex.Relation:
        return ex.Relation(self._one(self._valued))

    def valued(self) -> tuple[ex.Relation, ex.Value]:
        relation = self.value_relation()
        if relation.iri in self._times:
            return relation, ex.Value(Literal(str(self._draw.randint(1990, 1993)), XSD + "gYear"))
        return relation, ex.Value(_number(self._draw))

    def path(self) -> ex.Path:
        return (*(self.link() for _ in range(self._draw.randint(0, 2))), self.value_relation())

    def within(self) -> ex.Expression | None:
        return self._one([None, self._one(self._classes), ex.Join(self.link(), self._one(self._entities))])

    def key(self) -> ex.Key:
        kinds: list[Callable[[], ex.Key]] = [
            self.path,
            lambda: ex.Counted(self.links(2), self.within()),
            lambda: ex.Totalled(self._one([ex.Aggregation.SUM, ex.Aggregation.AVG]), self.path()),
        ]
        return self._one(kinds)()

    def _one(self, choices: list[T]) -> T:
        return self._draw.choice(choices)


def _number(draw: Random) -> Literal:
    return Literal(str(draw.randint(1, 4)), XSD + "integer")
