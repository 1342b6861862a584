"""The questions that program induction asks of a knowledge base, whatever stores the facts.

Nodes (entities, blank nodes and literals), relations and classes are integers inside; terms at the
door. A relation read forwards leads from subjects to objects. Every answer is exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.terms import Literal, Term

if TYPE_CHECKING:
    from arcaneqa.kb.names.glossary import Glossary
    from arcaneqa.kb.names.surfaces import Surfaces

Ids = NDArray[np.int64]


def ordered(values: NDArray[Any]) -> NDArray[Any]:
    """Sorted, without repeats: np.unique takes several times as long."""
    if len(values) < 2:
        return values
    found = np.sort(values)
    fresh = np.ones(len(found), bool)
    np.not_equal(found[1:], found[:-1], out=fresh[1:])
    return found[fresh]


class NodeSet:
    """A set of nodes. `ids` is sorted and without repeats.

    A knowledge base may subclass it to keep the set where it is and fetch `ids` only when someone
    looks: `len()` and truth are then cheaper than `ids`.
    """

    __slots__ = ("_ids",)

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    @property
    def ids(self) -> Ids:
        return self._ids

    def __len__(self) -> int:
        return len(self.ids)

    def __bool__(self) -> bool:
        return len(self) > 0


class Comparison(StrEnum):
    LT = "LT"
    LE = "LE"
    GT = "GT"
    GE = "GE"
    EQ = "EQ"

    @property
    def sign(self) -> str:
        """As SPARQL and SQL write it."""
        return {"LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "="}[self.value]


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One walk along a relation: forwards (subject to object), or `inverse` (object to subject)."""

    relation: int
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """Facts of one relation as two parallel arrays, ordered by subject and then object."""

    subjects: Ids
    objects: Ids


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open stretch of time `[start, end)` in seconds since 1970-01-01T00:00:00."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Tally:
    """How many for each node, where there are any; nodes are in order."""

    nodes: Ids
    counts: Ids


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers that each node leads to, summed up; nodes are in order and have at least one.

    `units` are whole parts of ten to the power of `scale` where that is exact, as for amounts of money;
    otherwise floating-point numbers, with a scale of 0.
    """

    nodes: Ids
    units: NDArray[np.int64] | NDArray[np.float64]
    scale: int
    counts: Ids

    @property
    def sums(self) -> NDArray[np.float64]:
        """Equal for equal sums, whatever they are made of."""
        return np.asarray(self.units / 10.0**self.scale)


@dataclass(frozen=True, slots=True)
class Standings:
    """The best value that each node leads to, as a literal and as a score; nodes are in order and have one.

    Scores compare with each other and with nothing else.
    """

    nodes: Ids
    scores: NDArray[np.float64]
    values: Ids


class KnowledgeBase(ABC):
    """An opened knowledge base; safe to share between threads, closed by `close` or `with`."""

    profile: Profile
    schema: Schema
    sources: Sequence[str] = ()
    """Names of the files, or the address, that the facts are from, where that is known."""

    # Names -----------------------------------------------------------------------------------

    @abstractmethod
    def node(self, term: Term) -> int | None:
        """The node of exactly this term, or None where the facts do not mention it."""

    @abstractmethod
    def nodes(self, ids: Ids) -> NodeSet:
        """A set from ids; they need not be sorted or distinct."""

    @abstractmethod
    def terms(self, ids: Ids) -> list[Term]: ...

    @abstractmethod
    def labels(self, ids: Ids) -> list[str | None]:
        """Label in the preferred language (literals: their lexical form), None where there is none."""

    @abstractmethod
    def aliases(self, ids: Ids) -> list[list[str]]: ...

    def surfaces(self) -> Surfaces | None:
        """Names by key, word and typing error; None where names cannot be had that way."""
        return None

    def glossary(self) -> Glossary | None:
        """Other words for what is here, where a build was given some."""
        return None

    def datatypes(self) -> Mapping[str, int] | None:
        """How many numbers and times have each datatype; None where that is not known."""
        return None

    @abstractmethod
    def are_literals(self, ids: Ids) -> NDArray[np.bool_]: ...

    @abstractmethod
    def degrees(self, ids: Ids) -> Ids:
        """How many facts mention each node: a prior for how likely it is meant."""

    @abstractmethod
    def equal(self, literal: Literal) -> NodeSet:
        """Literals of this KB with the same value: 5 and 5.0; a date with and without an offset."""

    # Walking ---------------------------------------------------------------------------------

    @abstractmethod
    def objects(self, relation: int, subjects: NodeSet) -> NodeSet: ...

    @abstractmethod
    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        """Subjects whose object is in the set; a literal object matches by value."""

    @abstractmethod
    def members(self, klass: int) -> NodeSet: ...

    @abstractmethod
    def having(self, step: Step) -> NodeSet:
        """Nodes from which the step leads somewhere."""

    @abstractmethod
    def containing(self, relation: int, text: str) -> NodeSet:
        """Subjects with a literal that contains the text, upper and lower case being the same."""

    @abstractmethod
    def named(self, text: str) -> NodeSet:
        """Nodes with this label or alias, upper and lower case being the same."""

    @abstractmethod
    def values(self, relation: int, subjects: NodeSet) -> Pairs: ...

    def walk(self, step: Step, nodes: NodeSet) -> NodeSet:
        return self.subjects(step.relation, nodes) if step.inverse else self.objects(step.relation, nodes)

    def neighbours(self, nodes: NodeSet) -> NodeSet:
        """Nodes one step away along a visible relation, either way."""
        relations = self.schema.relations
        ahead = [r for r in self.out_relations(nodes).tolist() if not relations[r].hidden]
        back = [r for r in self.in_relations(nodes).tolist() if not relations[r].hidden]
        found = [self.objects(relation, nodes).ids for relation in ahead]
        found += [self.subjects(relation, nodes).ids for relation in back]
        return self.nodes(np.concatenate(found) if found else np.empty(0, np.int64))

    def relations_into(self, nodes: NodeSet, relations: Ids, target: NodeSet, inverse: bool = False) -> Ids:
        """Those of the relations that lead from some member, as its subject or if `inverse` as its object,
        to a member of the target."""
        if len(nodes) == 1:  # of its neighbours few are in the target
            target = self.intersection(self.neighbours(nodes), target)
        touching = self.out_relations(target) if inverse else self.in_relations(target)
        candidates = relations[np.isin(relations, touching)]
        leading = [
            self.intersects(self.walk(Step(relation, inverse), nodes), target)
            for relation in candidates.tolist()
        ]
        found: Ids = candidates[np.array(leading, bool)]
        return found

    def relations_telling_apart(self, nodes: NodeSet, relations: Ids, inverse: bool = False) -> Ids:
        """Those of the relations of which some members have more than others."""
        differ = []
        for relation in relations.tolist():
            counts = self.tally(nodes, (Step(relation, inverse),)).counts
            is_for_all = len(counts) == len(nodes)
            differ.append(len(counts) > 0 and not (is_for_all and counts.min() == counts.max()))
        found: Ids = relations[np.array(differ, bool)]
        return found

    # What touches a set ----------------------------------------------------------------------

    @abstractmethod
    def out_relations(self, nodes: NodeSet) -> Ids: ...

    @abstractmethod
    def in_relations(self, nodes: NodeSet) -> Ids: ...

    @abstractmethod
    def classes(self, nodes: NodeSet) -> Ids: ...

    @abstractmethod
    def comparable_relations(self, nodes: NodeSet) -> Ids:
        """Relations that give some member a number or a time."""

    @abstractmethod
    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        """Steps to some neighbour that itself has a number or a time: the inner part of an ARG path."""

    def relations_to_values(self, nodes: NodeSet, relations: Ids, values: Ids, inverse: bool = False) -> Ids:
        """Those of the relations that lead from some member, as its subject or if `inverse` as its object, to
        a node that one of the relations `values` gives a number or a time."""
        leading = [
            bool(np.isin(self.comparable_relations(self.walk(Step(relation, inverse), nodes)), values).any())
            for relation in relations.tolist()
        ]
        found: Ids = relations[np.array(leading, bool)]
        return found

    def classes_having(self, relations: Ids, inverse: bool = False) -> Ids:
        """Classes with a member that is the subject of such a fact, or the object if `inverse`."""
        found = [self.classes(self.having(Step(relation, inverse))) for relation in relations.tolist()]
        return ordered(np.concatenate(found)) if found else np.empty(0, np.int64)

    def orderable_classes(self, hops: int) -> Ids:
        """Classes that a superlative can start from: a visible path of at most so many relations leads
        from some member to a number or a time. Hidden classes are left out."""
        found = [klass.id for klass in self.schema.classes if klass.members and not klass.hidden]
        return np.array([klass for klass in found if self._is_orderable(klass, hops)], np.int64)

    def _is_orderable(self, klass: int, hops: int) -> bool:
        members = self.members(klass)
        # Where a few members show it, the others need not be looked at.
        few = self.nodes(members.ids[:32])
        return self._leads_to_values(few, hops) or (
            len(members) > len(few) and self._leads_to_values(members, hops)
        )

    def _leads_to_values(self, nodes: NodeSet, hops: int) -> bool:
        relations = self.schema.relations
        if any(not relations[relation].hidden for relation in self.comparable_relations(nodes).tolist()):
            return True
        if hops < 2:
            return False
        near = self.steps_to_values(nodes)
        if hops > 2:
            near += [Step(relation) for relation in self.out_relations(nodes).tolist()]
            near += [Step(relation, inverse=True) for relation in self.in_relations(nodes).tolist()]
        return any(
            not relations[step.relation].hidden and self._leads_to_values(self.walk(step, nodes), hops - 1)
            for step in near
        )

    # Algebra ---------------------------------------------------------------------------------

    @abstractmethod
    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet: ...

    @abstractmethod
    def intersects(self, left: NodeSet, right: NodeSet) -> bool: ...

    @abstractmethod
    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet: ...

    def includes(self, large: NodeSet, small: NodeSet) -> bool:
        """Whether everything in the small set is in the large one."""
        return not self.difference(small, large)

    @abstractmethod
    def union(self, left: NodeSet, right: NodeSet) -> NodeSet: ...

    # Order -----------------------------------------------------------------------------------

    @abstractmethod
    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        """Subjects with some value `<`, `<=`, `>`, `>=` or `=` the given one.

        Numbers compare with numbers and times with times, never across. A time is the stretch it
        names: LT means over before `value` begins, GT begun after it ended, LE over by its end,
        GE begun no earlier than it.
        """

    @abstractmethod
    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        """Relations for which `compare` is not empty."""

    @abstractmethod
    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        """Members whose value at the end of the path is the largest or smallest; ties are kept.

        Times are ordered by their start for the smallest and by their end for the largest. Where a
        path leads to both, numbers decide if there are any, otherwise times.
        """

    @abstractmethod
    def standings(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> Standings:
        """The best value of each member, as `extreme` orders them; members without one are left out."""

    @abstractmethod
    def edges(self, comparison: Comparison, nodes: NodeSet) -> list[Literal]:
        """At most one number and then one time: to compare so with all members of either kind is to compare
        with it. For EQ there is one only where all members of its kind are equal."""

    # Counting --------------------------------------------------------------------------------

    @abstractmethod
    def walks(self, nodes: NodeSet, path: Sequence[Step]) -> Pairs:
        """Every walk along the path: the member it starts from, in order, and the node it ends at."""

    @abstractmethod
    def tally(self, nodes: NodeSet, path: Sequence[Step], within: NodeSet | None = None) -> Tally:
        """How many different nodes (of `within`) the path leads to from each member."""

    @abstractmethod
    def totals(self, nodes: NodeSet, path: Sequence[Step]) -> Totals:
        """The numbers the path leads to from each member, each as often as a walk leads there."""

    # Time ------------------------------------------------------------------------------------

    @abstractmethod
    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        """Members whose stretch from `start` to `end` (relations) meets the window.

        A member without either date passes; without an end relation `start` marks a point in time.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
