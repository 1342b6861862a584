"""The tokens of one knowledge base: what may stand in programs, as tokens and as words, made once.

Hidden relations and classes are no tokens. Relations with a small closed range (gender, status, basic
roles) give the constants of CONS; they are found from the facts, and the profile and training programs may
name more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction import wording
from arcaneqa.induction.learned import Learned, has_constants
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.tokens import Token
from arcaneqa.kb.interface import Ids, KnowledgeBase, NodeSet, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.program.expression import Class, Relation


@dataclass(frozen=True, slots=True)
class Options:
    """Admissible tokens in a stable order, and the same as a scorer sees them; `left_out` is how many more
    there are where this is a shortlist."""

    tokens: list[Token]
    candidates: list[Candidate]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: Options) -> Options:
        return Options(self.tokens + other.tokens, self.candidates + other.candidates)


NOTHING = Options([], [])


class Vocabulary:
    """What the profile hides, limits or adds is applied here, once a knowledge base."""

    def __init__(self, kb: KnowledgeBase, learned: Learned | None = None, has_forms: bool = True) -> None:
        self.kb = kb
        self.has_forms = has_forms
        """Whether there are functions beyond the paper's."""
        self.learned = learned or Learned()
        self.most_hops = kb.profile.path_hops
        self._twins = kb.profile.both_ways
        schema = kb.schema
        self.visible: NDArray[np.bool_] = np.array([not r.hidden for r in schema.relations], bool)
        self.visible_classes: NDArray[np.bool_] = np.array([not c.hidden for c in schema.classes], bool)
        self.hides_comparable = any(relation.hidden and relation.comparable for relation in schema.relations)
        taught = {schema.relation_ids[iri]: None for iri in self.learned.times if iri in schema.relation_ids}
        self.dated = {
            start: end
            for start, end in sorted((taught | schema.time_pairs).items())
            if not schema.relations[start].hidden and ValueKind.TIME in schema.relations[start].kinds
        }
        """Relations of TC, and their partners."""
        shown = [relation for relation in schema.relations if not relation.hidden]
        added_up = [r for r in shown if ValueKind.NUMBER in r.kinds and not r.is_identifier]
        self.comparable = _ids(relation.id for relation in shown if relation.comparable)
        self.numeric = _ids(r.id for r in added_up if ValueKind.TIME not in r.kinds)
        """Relations to numbers that can be added up."""
        self.mixed = _ids(r.id for r in added_up if ValueKind.TIME in r.kinds)
        """The same of relations to numbers and times: some members may have only times."""
        labels = (schema.relation_ids.get(iri) for iri in kb.profile.label)
        self.naming = frozenset(relation for relation in labels if relation is not None)
        """Relations that give labels."""
        self.closed = frozenset(r.id for r in shown if has_constants(r.id, kb))
        self.taught = self._taught_constants()
        """Constants of relations with an open range that training programs have."""
        size = len(schema.relations)
        self._forward: list[Candidate | None] = [None] * size
        self._backward: list[Candidate | None] = [None] * size
        self._plain = [Relation(relation.iri) for relation in schema.relations]
        self._inverse = [Relation(relation.iri, True) for relation in schema.relations]
        self._walks = [[Step(relation, inverse) for relation in range(size)] for inverse in (False, True)]
        self._classes = [Class(klass.iri) for klass in schema.classes]
        self._class_words = [wording.class_candidate(klass) for klass in schema.classes]

    def _taught_constants(self) -> dict[int, NodeSet]:
        found: dict[int, list[Ids]] = {}
        for iri, term in sorted(self.learned.constants, key=repr):
            relation = self.kb.schema.relation_ids.get(iri)
            if relation is None or relation in self.closed or not self.visible[relation]:
                continue
            if isinstance(term, Literal):
                found.setdefault(relation, []).append(self.kb.equal(term).ids)
            elif (node := self.kb.node(term)) is not None:
                found.setdefault(relation, []).append(np.array([node], np.int64))
        return {
            relation: self.kb.nodes(np.unique(np.concatenate(nodes))) for relation, nodes in found.items()
        }

    def shown(self, relations: Ids) -> Ids:
        return relations[self.visible[relations]]

    def forward(self, relation: int) -> Candidate:
        found = self._forward[relation]
        if found is None:
            known = self.kb.schema.relations[relation]
            is_name = relation in self.naming
            found = wording.NAME if is_name else wording.forward_candidate(known, self.kb.schema)
            self._forward[relation] = found
        return found

    def backward(self, relation: int) -> Candidate:
        found = self._backward[relation]
        if found is None:
            found = wording.backward_candidate(self.kb.schema.relations[relation], self.kb.schema)
            self._backward[relation] = found
        return found

    def step_candidate(self, relation: Relation) -> Candidate:
        """A relation of a path in words."""
        number = self.kb.schema.relation_ids[relation.iri]
        return self.backward(number) if relation.inverse else self.forward(number)

    def steps(self, forward: Ids, backward: Ids) -> list[Step]:
        """Walks along relations from subjects, and from objects."""
        ahead, back = self._walks
        return [*map(ahead.__getitem__, forward.tolist()), *map(back.__getitem__, backward.tolist())]

    def _steps(self, forward: Ids, backward: Ids) -> tuple[list[int], list[int]]:
        ahead, back = forward.tolist(), backward.tolist()
        if self._twins:
            return ahead, back
        offered, relations = set(ahead), self.kb.schema.relations
        return ahead, [relation for relation in back if relations[relation].inverse not in offered]

    def joins(self, forward: Ids, backward: Ids) -> Options:
        """JOIN's relations: `r_inv` leads from subjects to objects, `r` back."""
        ahead, back = self._steps(forward, backward)
        tokens: list[Token] = [self._inverse[r] for r in ahead]
        tokens += [self._plain[r] for r in back]
        return Options(tokens, [*map(self.forward, ahead), *map(self.backward, back)])

    def joins_along(self, steps: Sequence[Step]) -> Options:
        """The JOINs that are these steps."""
        ahead = [step.relation for step in steps if not step.inverse]
        back = [step.relation for step in steps if step.inverse]
        return self.joins(np.array(ahead, np.int64), np.array(back, np.int64))

    def paths(self, forward: Ids, backward: Ids) -> Options:
        """Relations of an ARG path, where a plain one leads from subjects to objects."""
        ahead, back = self._steps(forward, backward)
        tokens: list[Token] = [self._plain[r] for r in ahead]
        tokens += [self._inverse[r] for r in back]
        return Options(tokens, [*map(self.forward, ahead), *map(self.backward, back)])

    def attributes(self, relations: Ids) -> Options:
        """Relations of comparatives, CONS and TC: always from subjects to objects."""
        return self.paths(relations, relations[:0])

    def classes(self, classes: Ids) -> Options:
        ids = classes.tolist()
        return Options([self._classes[c] for c in ids], [self._class_words[c] for c in ids])

    @cached_property
    def every(self) -> Options:
        """All relations, from subjects and from objects: what HAS can ask for."""
        shown = np.flatnonzero(self.visible)
        return self.paths(shown, shown)

    @cached_property
    def texts(self) -> Ids:
        """Relations that hold texts, labels first: they are hidden elsewhere, since every name is one."""
        relations = self.kb.schema.relations
        named = [r.id for r in relations if r.id in self.naming]
        return np.array(
            named + [r.id for r in relations if not r.hidden and ValueKind.TEXT in r.kinds], np.int64
        )

    @cached_property
    def countable(self) -> Options:
        """Classes with members: starts of COUNT."""
        found = [klass.id for klass in self.kb.schema.classes if klass.members and not klass.hidden]
        return self.classes(np.array(found, np.int64))


def _ids(relations: Iterable[int]) -> Ids:
    return np.fromiter(relations, np.int64)
