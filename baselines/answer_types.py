"""Answer types as topics, as the paper has them for GrailQA: a classifier says what is asked for.

    python -m baselines.answer_types prepare train.jsonl --kb KB --out prepared/types
    arcaneqa train prepared/types --encoder ENCODER --out types-model
    python -m baselines.answer_types ask dev.jsonl --kb KB --model MODEL --types types-model [--most 100]

The classifier is a model of our own with one decision, which class the answers have, learned beside five
classes of the same domain and five others, as the authors do. Asked, it reads all classes; the best few are
then the only ones that AND and the starts of superlatives offer. `ask` prints F1 without and with them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.meaning import Meanings
from arcaneqa.induction.paths import Starts
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Candidate, Decision, Scorer
from arcaneqa.induction.search import Search
from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.words import tail
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.evaluation.metrics import overlap
from arcaneqa.lab.training.prepared import Builder, Decided, Example, write
from arcaneqa.language.expression import And, Class, Count, Expression, Extreme
from arcaneqa.language.text import parse
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.record import Question, read_questions
from baselines.enumerated import implied_classes

KEPT = 6
"""As many as the authors' released file has in the mean."""
_BESIDE = 5


def answer_class(program: Expression, kb: KnowledgeBase) -> Class | None:
    """The class that the answers of a gold program have."""
    match program:
        case Class():
            return program
        case And(Class() as klass, _) | And(_, Class() as klass):
            return klass
        case Count(argument) | Extreme(_, argument, _):
            return answer_class(argument, kb)
        case _:
            return next(iter(sorted(implied_classes(program, kb.schema), key=repr)), None)


class TypedInduction(Induction):
    """Induction that offers no other classes than those predicted, wherever one of them may stand."""

    def __init__(self, kb: KnowledgeBase, predicted: frozenset[Class]) -> None:
        super().__init__(kb, has_forms=False)
        self._predicted = predicted

    def machine(self) -> Machine:
        return TypedMachine(Meanings(self.vocabulary), self.starts, self._predicted)


class TypedMachine(Machine):
    def __init__(self, meanings: Meanings, starts: Starts, predicted: frozenset[Class]) -> None:
        super().__init__(meanings, starts)
        self._predicted = predicted

    def options(self, state: Partial) -> Options:
        options = super().options(state)
        kept = [
            place
            for place, token in enumerate(options.tokens)
            if not isinstance(token, Class) or token in self._predicted
        ]
        # A function that was offered can be completed, with another class if it must be.
        if len(kept) == len(options) or not kept:
            return options
        return Options([options.tokens[i] for i in kept], [options.candidates[i] for i in kept])


def classes_of(kb: KnowledgeBase) -> dict[str, Candidate]:
    """Every class with members, by its IRI, as models read it."""
    shown = [one.id for one in kb.schema.classes if not one.hidden and one.members]
    options = Vocabulary(kb).classes(np.array(shown, np.int64))
    pairs = zip(options.tokens, options.candidates, strict=True)
    return {token.iri: candidate for token, candidate in pairs if isinstance(token, Class)}


def examples(questions: Sequence[Question], kb: KnowledgeBase, seed: int = 1) -> Iterator[Example]:
    names, texts = Names(kb.profile), classes_of(kb)
    domains: dict[str, list[str]] = {}
    for iri in texts:
        domains.setdefault(_domain(iri), []).append(iri)
    for question in questions:
        if question.program is None:
            continue
        gold = answer_class(parse(question.program, names, kb.schema), kb)
        if gold is None or gold.iri not in texts:
            continue
        draw = Random(f"{seed} {question.id}")
        near = [iri for iri in domains[_domain(gold.iri)] if iri != gold.iri]
        drawn = (draw.sample(some, min(_BESIDE, len(some))) for some in (near, sorted(texts)))
        others = {iri for some in drawn for iri in some}
        iris = [gold.iri, *sorted(others - {gold.iri})]
        draw.shuffle(iris)
        step = Decided(tuple(texts[iri] for iri in iris), iris.index(gold.iri), "")
        yield Example(question.id, question.question, (), (step,))


def _domain(iri: str) -> str:
    return tail(iri).partition(".")[0]


class Predictor:
    def __init__(self, kb: KnowledgeBase, scorer: Scorer, kept: int = KEPT) -> None:
        known = classes_of(kb)
        self._classes = [Class(iri) for iri in known]
        self._candidates = list(known.values())
        self._scorer = scorer
        self._kept = kept

    def predict(self, question: str) -> frozenset[Class]:
        (scores,) = self._scorer.score([Decision(question, (), self._candidates)])
        best = (-scores.log_probs).argsort(kind="stable")[: self._kept].tolist()
        return frozenset(self._classes[place] for place in best)


def mean_f1(questions: Sequence[Question], qa: ArcaneQA, predictor: Predictor | None) -> float:
    total = 0.0
    for question in questions:
        if predictor is not None:
            induction = TypedInduction(qa.kb, predictor.predict(question.question))
            qa.search = Search(induction, qa.scorer, qa.settings.beam, ranker=qa.settings.ranker)
        answer = qa.ask(question.question, threshold=0.0)
        found = {item.id or item.value or "" for item in answer.items}
        total += overlap(set(question.answers or ()), found).f1
    return 100 * total / max(1, len(questions))


def main() -> None:
    parser = argparse.ArgumentParser(description="Answer types: prepare a classifier, or ask with one.")
    parser.add_argument("verb", choices=("prepare", "ask"))
    parser.add_argument("data", type=Path)
    parser.add_argument("--kb", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--types", type=Path)
    parser.add_argument("--most", type=int)
    given = parser.parse_args()
    questions = list(islice(read_questions(given.data), given.most))
    if given.verb == "prepare":
        builder = Builder()
        with open_kb(given.kb) as kb:
            for example in examples(questions, kb):
                builder.add(example)
        write(builder.build(), given.out, {"sources": [given.data.name]})
        return
    qa = ArcaneQA.load(given.kb, given.model)
    plain = replace(qa.settings, readings=False, none_of_these=False)
    qa = ArcaneQA(qa.kb, qa.scorer, qa.fitted, qa.linker, plain)
    without = mean_f1(questions, qa, None)
    predictor = Predictor(qa.kb, ModelScorer.load(given.types))
    print(f"F1 without answer types {without:.1f}, with {mean_f1(questions, qa, predictor):.1f}")


if __name__ == "__main__":
    main()
