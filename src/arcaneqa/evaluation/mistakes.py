"""Why a prediction missed: the first thing that sets its program apart from the gold one."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from arcaneqa.kb.terms import Blank
from arcaneqa.program import expression as ex
from arcaneqa.program.equivalence import literal_key
from arcaneqa.program.ontology import Ontology


class Mistake(StrEnum):
    """In the order in which they are looked for."""

    EQUAL_ANSWERS = "equal answers"
    NO_PROGRAM = "no program"
    NO_GOLD = "no gold program"
    LINKING = "linking"
    FUNCTION = "function"
    RELATION = "relation"
    DIRECTION = "direction"
    LITERAL = "literal"
    CLASS = "class"
    STRUCTURE = "structure"


MEANING = {
    Mistake.EQUAL_ANSWERS: "another program with the same answers",
    Mistake.NO_PROGRAM: "nothing was predicted, or no readable program",
    Mistake.NO_GOLD: "the answers are wrong, and there is no gold program to compare with",
    Mistake.LINKING: "other entities than in the gold program",
    Mistake.FUNCTION: "the right entities, but other functions (counts, superlatives, comparisons, times)",
    Mistake.RELATION: "the right entities and functions, but other relations",
    Mistake.DIRECTION: "the right relations, some of them the wrong way round",
    Mistake.LITERAL: "the right relations, but another value",
    Mistake.CLASS: "all right but for a class",
    Mistake.STRUCTURE: "the right parts, put together differently",
}


def classify(
    gold: ex.Expression | None, predicted: ex.Expression | None, same_answers: bool, ontology: Ontology
) -> Mistake:
    """The kind of a miss; the caller knows that it is one."""
    if same_answers:
        return Mistake.EQUAL_ANSWERS
    if predicted is None:
        return Mistake.NO_PROGRAM
    if gold is None:
        return Mistake.NO_GOLD
    one, other = _Parts(gold, ontology), _Parts(predicted, ontology)
    for mistake, part in (
        (Mistake.LINKING, "entities"),
        (Mistake.FUNCTION, "functions"),
        (Mistake.RELATION, "relations"),
        (Mistake.DIRECTION, "directions"),
        (Mistake.LITERAL, "literals"),
        (Mistake.CLASS, "classes"),
    ):
        if getattr(one, part) != getattr(other, part):
            return mistake
    return Mistake.STRUCTURE


class _Parts:
    """What a program is made of, without how it is put together."""

    def __init__(self, program: ex.Expression, ontology: Ontology) -> None:
        self.entities: set[str] = set()
        self.classes: set[str] = set()
        self.literals: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.relations: Counter[str] = Counter()
        self.directions: Counter[str] = Counter()
        self._ontology = ontology
        for node in ex.post_order(program):
            self._add(node)

    def _add(self, node: ex.Expression) -> None:
        match node:
            case ex.Entity(term):
                name = f"_:{term.label}" if isinstance(term, Blank) else term.value
                (self.classes if name in self._ontology.classes else self.entities).add(name)
            case ex.Class(iri):
                self.classes.add(iri)
            case ex.Value(literal):
                self.literals[literal_key(literal)] += 1
            case ex.Cons(_, _, constant):
                self._add(constant)
            case ex.Compare(comparison, _, _):
                self.functions[comparison] += 1
            case ex.Extreme(direction, _, _):
                self.functions[direction] += 1
            case ex.Count():
                self.functions["COUNT"] += 1
            case ex.During():
                self.functions["TC"] += 1
            case _:
                pass
        for relation in ex.relations(node):
            self._step(relation)

    def _step(self, relation: ex.Relation) -> None:
        forwards = self._ontology.edge(relation).name
        backwards = self._ontology.edge(ex.Relation(relation.iri, not relation.inverse)).name
        self.relations[min(forwards, backwards)] += 1
        self.directions[forwards] += 1
