"""What a program finds in a knowledge base, within a budget of time and set size."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from arcaneqa.errors import BudgetExceeded, InputError
from arcaneqa.kb.interface import KnowledgeBase, NodeSet, Step, Window
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.kb.values import value_of
from arcaneqa.program.check import check
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    Direction,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
    mentioned,
)


@dataclass(frozen=True, slots=True)
class Budget:
    """`rows` is the most members any set on the way may have; None for as many as there are.

    Counting a set may cost an endpoint a query, so without a limit none is counted.
    """

    seconds: float = 60.0
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The nodes a program denotes; for COUNT those it counts, and how many they are."""

    nodes: NodeSet
    count: int | None = None


DEFAULT_BUDGET = Budget()


def execute(
    program: Expression,
    kb: KnowledgeBase,
    budget: Budget = DEFAULT_BUDGET,
    exclude_mentioned: bool = False,
) -> Result:
    """Run a program; raises ProgramError if it is ill typed here, BudgetExceeded if it is too much.

    With `exclude_mentioned` the variable asked for never stands for an entity the program names,
    so a superlative or a count at the top does not see those entities either.
    """
    check(program, Names(kb.profile), kb.schema)
    run = _Run(kb, budget, mentioned(program) if exclude_mentioned else [])
    asked = program.argument if isinstance(program, Count) else program
    nodes = run.nodes(asked, asked_for=True)
    return Result(nodes, len(nodes) if isinstance(program, Count) else None)


def now_window(profile: Profile) -> Window:
    """The day a profile calls NOW, or today where it names none."""
    day = profile.now or datetime.now(UTC).date().isoformat()
    window = value_of(Literal(day, XSD + "date"))
    if not isinstance(window, Window):
        raise InputError(f"The profile {profile.name} has “{day}” as NOW; give a date such as 2015-08-10.")
    return window


class _Run:
    def __init__(self, kb: KnowledgeBase, budget: Budget, excluded: list[Entity]) -> None:
        self.kb = kb
        self.budget = budget
        self.deadline = time.monotonic() + budget.seconds
        self.known: dict[tuple[Expression, bool], NodeSet] = {}
        self.excluded = self.entities(*(entity.term for entity in excluded)) if excluded else None

    def nodes(self, node: Expression, asked_for: bool = False) -> NodeSet:
        """The denotation of a node, computed once; `asked_for` where it stands for the answers."""
        key = (node, asked_for and self.excluded is not None)
        if key not in self.known:
            result = self.compute(node, *key[1:])
            self.known[key] = result
            if time.monotonic() > self.deadline:
                raise BudgetExceeded(f"The program took more than {self.budget.seconds:g} seconds.")
            allowed = self.budget.rows
            if allowed is not None and (size := len(result)) > allowed:
                raise BudgetExceeded(f"The program meets a set of {size:,} nodes; {allowed:,} are allowed.")
        return self.known[key]

    def compute(self, node: Expression, excluding: bool) -> NodeSet:
        kb = self.kb
        match node:
            case And(left, right):
                return kb.intersection(self.nodes(left, excluding), self.nodes(right, excluding))
            case Extreme(direction, argument, path):
                steps = [Step(self.id(relation), relation.inverse) for relation in path]
                return kb.extreme(self.nodes(argument, excluding), steps, direction is Direction.LARGEST)
            case Cons(argument, relation, constant):
                return kb.intersection(self.nodes(argument, excluding), self.join(relation, constant))
            case During(argument, relation, when):
                start = self.id(relation)
                window = now_window(kb.profile) if isinstance(when, Now) else value_of(when.literal)
                assert isinstance(window, Window), "checked before"
                end = kb.schema.time_pairs.get(start)
                return kb.valid_during(self.nodes(argument, excluding), start, end, window)
            case Join(relation, argument):
                found = self.join(relation, argument)
            case Compare(comparison, relation, value):
                found = kb.compare(comparison, self.id(relation), value.literal)
            case Class(iri):
                found = kb.members(kb.schema.class_ids[iri])
            case Entity(term):
                found = self.entities(term)
            case Value(literal):
                found = kb.equal(literal)
            case Count():
                raise AssertionError("checked before")
        return kb.difference(found, self.excluded) if excluding and self.excluded is not None else found

    def join(self, relation: Relation, argument: Expression) -> NodeSet:
        # (JOIN r u) are the subjects of facts with their object in u, so a plain relation walks backwards.
        return self.kb.walk(Step(self.id(relation), not relation.inverse), self.nodes(argument))

    def id(self, relation: Relation) -> int:
        return self.kb.schema.relation_ids[relation.iri]

    def entities(self, *terms: Iri | Blank) -> NodeSet:
        found = [node for term in terms if (node := self.kb.node(term)) is not None]
        return self.kb.nodes(np.array(found, dtype=np.int64))
