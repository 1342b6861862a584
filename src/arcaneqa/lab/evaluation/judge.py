"""The verdict on one prediction, and the first thing that sets its program apart from the gold one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from arcaneqa.kb.profile import FREEBASE_PROFILE, RDF_PROFILE, Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.lab.evaluation.metrics import (
    FULL,
    NOTHING,
    Mode,
    Overlap,
    best_of_parses,
    lenient,
    overlap,
    plain,
)
from arcaneqa.language import expression as ex
from arcaneqa.language.equivalence import Ontology, equivalent, literal_key
from arcaneqa.language.expression import And, Class, Cons, Entity, Expression, Join, post_order
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.text import parse
from arcaneqa.record import AnswerItem, Prediction, Question
from arcaneqa.support.errors import InputError, ProgramError, needs

# The verdict on one prediction: do the programs match, and how far do the answers agree?


# Files say nothing of the profile they were written with, so every name that is safe to read is read.
ANY_PROFILE = Profile(
    name="any",
    type=(),
    label=(),
    alias=(),
    base=FREEBASE_PROFILE.base,
    prefixes=(*FREEBASE_PROFILE.prefixes, *RDF_PROFILE.prefixes),
)

_PLAIN = ("http://", "https://", "urn:")
"""How an IRI begins that somebody wrote without `<…>`."""


class TolerantNames(Names):
    """Names of a profile; one it does not know stands for itself, so that it still equals itself."""

    def expand(self, name: str) -> str:
        try:
            return super().expand(name)
        except InputError:
            return name


@dataclass(frozen=True, slots=True)
class Judged:
    match: bool
    answers: Overlap


MISS = Judged(False, NOTHING)


class Judge:
    """Scores predictions by the rules of one mode."""

    def __init__(self, mode: Mode, ontology: Ontology | None = None, profile: Profile = ANY_PROFILE) -> None:
        if mode is Mode.GRAILQA:
            with needs("GrailQA's own matcher", "evaluate"):
                import networkx  # noqa: F401 - said before anything is scored
        self.mode = mode
        self.names = TolerantNames(profile)
        self.ontology = ontology or Ontology()
        self.read = lru_cache(maxsize=64)(self._read)  # the same few programs are asked for again at once

    def verdict(self, question: Question, prediction: Prediction) -> Judged:
        """A program that cannot be read counts as none: no match, but the answers still speak."""
        if self.mode is Mode.GRAPHQ and question.program is None:
            return MISS
        match = self._match(question, self.read(prediction.program))
        predicted = [self.answer_key(item) for item in prediction.answers]
        return Judged(match, self._overlap(question, predicted, match))

    def _read(self, program: str | None) -> Expression | None:
        try:
            return None if program is None else parse(program, self.names)
        except ProgramError:
            return None

    def answer_key(self, item: AnswerItem) -> str:
        if item.id is not None:
            return self.term_key(item.id)
        value = str(item.value)
        return self.names.short(value) if value.startswith(_PLAIN) else value

    def term_key(self, term: str) -> str:
        """One spelling for `<http://…>`, `http://…`, `prefix:name` and a name under the base; terms do not
        say whether they are names or values, so what is not surely a name stays as it is."""
        if term.startswith(_PLAIN):
            return self.names.short(term)
        iri = self.names.expand(term) if ":" in term else term
        return term if iri == term else self.names.short(iri)

    def _match(self, question: Question, predicted: Expression | None) -> bool:
        if predicted is None:
            return False
        one_program = self.mode in (Mode.GRAILQA, Mode.WEBQSP_TOP1)
        accepted = () if one_program else question.programs
        gold = [self.read(text) for text in dict.fromkeys((question.program, *accepted))]
        if self.mode is Mode.GRAILQA:
            from arcaneqa.lab.evaluation.grailqa_match import official_match

            return any(g is not None and official_match(predicted, g, self.ontology) for g in gold)
        return any(g is not None and self._same(predicted, g) for g in gold)

    def _same(self, one: Expression, other: Expression) -> bool:
        classes = class_names(one) | class_names(other)
        return equivalent(with_classes(one, classes), with_classes(other, classes), self.ontology)

    def _overlap(self, question: Question, predicted: Sequence[str], match: bool) -> Overlap:
        if question.answers is None and not question.answer_sets:
            return FULL if match else NOTHING
        parses = [list(map(self.term_key, answers)) for answers in question.answer_sets]
        answers = self._keys(question.answers) if question.answers is not None else set(parses[0])
        match self.mode:
            case Mode.SEMANTIC:
                return plain(answers, set(predicted))
            case Mode.GRAILQA:
                return FULL if match else overlap(answers, set(predicted))
            case Mode.WEBQSP:
                return best_of_parses(parses or [list(answers)], predicted)
            case Mode.WEBQSP_TOP1 | Mode.GRAPHQ:
                first = set(parses[0]) if parses else answers
                return FULL if match else lenient(first, set(predicted))

    def _keys(self, terms: Iterable[str]) -> set[str]:
        return {self.term_key(term) for term in terms}


def without_cons(program: Expression) -> Expression:
    """CONS as AND with JOIN."""

    def change(node: Expression) -> Expression:
        if isinstance(node, Cons):
            return And(node.argument, Join(node.relation, node.constant))
        return node

    return rewrite(program, change)


def class_names(program: Expression) -> set[str]:
    return {node.iri for node in post_order(program) if isinstance(node, Class)}


def with_classes(program: Expression, classes: Set[str]) -> Expression:
    """Text alone cannot tell a class from an entity as JOIN's argument; these names are classes."""

    def change(node: Expression) -> Expression:
        if isinstance(node, Entity) and isinstance(node.term, Iri) and node.term.value in classes:
            return Class(node.term.value)
        return node

    return rewrite(program, change)


# Why a prediction missed: the first thing that sets its program apart from the gold one.


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
