"""The verdict on one prediction: do the programs match, and how far do the answers agree?

Programs are compared without CONS, and with classes where text cannot tell them from entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from arcaneqa.errors import InputError, ProgramError, needs
from arcaneqa.evaluation.metrics import (
    FULL,
    NOTHING,
    Mode,
    Overlap,
    best_of_parses,
    lenient,
    overlap,
    plain,
)
from arcaneqa.kb.profile import FREEBASE_PROFILE, RDF_PROFILE, Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.program.equivalence import equivalent
from arcaneqa.program.expression import And, Class, Cons, Entity, Expression, Join, post_order
from arcaneqa.program.ontology import Ontology
from arcaneqa.program.rewrite import rewrite
from arcaneqa.program.text import parse
from arcaneqa.record import AnswerItem, Prediction, Question

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
class Verdict:
    match: bool
    answers: Overlap


MISS = Verdict(False, NOTHING)


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

    def verdict(self, question: Question, prediction: Prediction) -> Verdict:
        """A program that cannot be read counts as none: no match, but the answers still speak."""
        if self.mode is Mode.GRAPHQ and question.program is None:
            return MISS
        match = self._match(question, self.read(prediction.program))
        predicted = [self.answer_key(item) for item in prediction.answers]
        return Verdict(match, self._overlap(question, predicted, match))

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
            from arcaneqa.evaluation.grailqa_match import official_match

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
