"""The search: order, merging, priors, time, batches and what it tells about itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from arcaneqa.induction import scorer
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import Candidate, Decision, Scores, Shortlist, TokenKind
from arcaneqa.induction.search import LEAST, Search
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.expression import And, Class, Denotation, Entity, denotes
from arcaneqa.language.text import print_program
from tests.induction.plain import EX, PlainKb
from tests.induction.randomness import RandomScorer, random_kb, random_topics

KB = PlainKb(
    [
        ("alien", "type", "Film"),
        ("brazil", "type", "Film"),
        ("alien", "director", "ridley"),
        ("alien", "actor", "sigourney"),
        ("brazil", "actor", "jonathan"),
        ("brazil", "director", "terry"),
    ]
)


def topic(name: str, group: int = 0, prior: float = 0.0) -> Topic:
    return Topic(Entity(Iri(EX + name)), scorer.TopicWords(name, group * 10, group * 10 + 5, group), prior)


class LikingScorer:
    """Gives each candidate a weight by its words."""

    def __init__(self, weight: Callable[[Candidate], float]) -> None:
        self._weight = weight
        self.batches: list[int] = []

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        self.batches.append(len(decisions))
        return [self._score(decision) for decision in decisions]

    def _score(self, decision: Decision) -> Scores:
        weights = np.array([self._weight(candidate) for candidate in decision.candidates])
        return Scores(np.log(weights / weights.sum()).astype(np.float32), None)


def liking(*words: str) -> LikingScorer:
    return LikingScorer(lambda candidate: 10.0 if candidate.text in words else 0.1)


def test_the_liked_program_comes_first() -> None:
    likes = liking("follow", "ridley", "whose director is", "end")
    outcome = Search(Induction(KB), likes).run("what did ridley direct?", [Topics((topic("ridley"),))])
    assert outcome.is_complete
    best = outcome.found[0]
    assert print_program(best.program, Names(KB.profile)) == "(JOIN ex:director ex:ridley)"
    assert KB.terms(best.nodes.ids) == [Iri(EX + "alien")]
    assert [used.words.text for used in best.topics] == ["ridley"]
    assert list(outcome.found) == sorted(outcome.found, key=lambda found: -found.score)


def test_a_prior_decides_between_readings_the_scorer_cannot_tell_apart() -> None:
    readings = (topic("ridley", prior=-3.0), topic("terry", prior=-0.1))
    likes = liking("follow", "whose director is", "end")
    best = Search(Induction(KB), likes).run("who?", [Topics(readings)]).found[0]
    assert [used.words.text for used in best.topics] == ["terry"]
    assert abs(best.score - (-0.1 + sum(s.log_probs[s.choice] for s in best.trace.steps))) < 1e-4


def test_programs_reached_in_different_orders_are_one() -> None:
    topics = Topics((topic("ridley", 0), topic("sigourney", 1)))
    likes = liking("follow", "and", "whose director is", "whose actor is", "whose director is ridley")
    outcome = Search(Induction(KB), likes, beam=30).run("which?", [topics, Topics(topics.items[::-1])])
    assert any(isinstance(found.program, And) for found in outcome.found)
    meanings = [frozenset(conjuncts(found.program)) for found in outcome.found]
    assert len(meanings) == len(set(meanings))


def conjuncts(program: object) -> list[object]:
    if isinstance(program, And):
        return [*conjuncts(program.left), *conjuncts(program.right)]
    return [program]


def test_all_live_states_are_scored_in_one_call() -> None:
    even = LikingScorer(lambda _: 1.0)
    Search(Induction(KB), even, beam=4).run("q", [Topics((topic("ridley"),)), Topics()])
    assert even.batches[:3] == [2, 2, 4], "both hypotheses, then as many functions of them as the beam holds"


def test_questions_searched_together_give_what_they_give_alone() -> None:
    for seed in range(20):
        kb = random_kb(seed)
        questions = [(f"question {i}", random_topics(seed * 10 + i)) for i in range(5)]
        likes = LikingScorer(lambda candidate: 1 + hash(candidate.text) % 97)
        search = Search(Induction(kb), likes, beam=3)
        together = list(search.run_many(questions, together=3))
        for (question, hypotheses), outcome in zip(questions, together, strict=True):
            alone = search.run(question, hypotheses)
            assert [f.program for f in alone.found] == [f.program for f in outcome.found]
            assert [f.score for f in alone.found] == [f.score for f in outcome.found]


def test_time_that_runs_out_is_said() -> None:
    outcome = Search(Induction(KB), RandomScorer(1)).run("q", [Topics((topic("ridley"),))], seconds=0.0)
    assert not outcome.is_complete
    assert outcome.found == ()


def test_nothing_to_start_from_finds_nothing() -> None:
    kb = PlainKb([("a", "r", "b")], hidden=["r"])
    outcome = Search(Induction(kb), RandomScorer(1)).run("q", [Topics((topic("unknown"),)), Topics()])
    assert outcome.is_complete
    assert outcome.found == ()


def test_the_trace_is_plain_data_and_adds_up() -> None:
    outcome = Search(Induction(KB), RandomScorer(5)).run("q", [Topics((topic("ridley"),))])
    for found in outcome.found:
        data = json.loads(json.dumps(found.trace.to_json(most=3)))
        chosen = [c for step in data["steps"] for c in step["candidates"] if c["chosen"]]
        assert len(chosen) == len(found.trace.steps)
        assert chosen[-1]["kind"] == "end"
        assert abs(sum(np.log(c["probability"]) for c in chosen) - found.score) < 1e-3
        sizes = [step["denotation"] for step in data["steps"] if step["denotation"] is not None]
        assert sizes[-1] == (len(found.nodes) if denotes(found.program) is Denotation.SET else 1)
        assert all(len(step["candidates"]) <= 4 for step in data["steps"])


def test_a_shortlist_keeps_what_is_not_a_name_and_the_order() -> None:
    names = [Candidate(TokenKind.RELATION, text) for text in ("mayor", "population", "area", "capital")]
    candidates = [Candidate(TokenKind.CLOSE, ")"), *names]

    class Backwards:
        beyond = 64

        def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
            assert question == "q"
            return list(range(len(texts)))[::-1][:limit]

    kept = Shortlist(Backwards(), 3).positions("q", candidates)
    assert [candidates[position].text for position in kept] == [")", "area", "capital"]


def test_a_step_tells_how_many_candidates_it_was_spared() -> None:
    """Confidence weighs whether more was admissible than was read."""
    limited = Search(Induction(KB), RandomScorer(5), limit=2).run("q", [Topics((topic("ridley"),))])
    spared = [step for found in limited.found for step in found.trace.steps if step.left_out]
    assert spared
    assert all(len(step.candidates) + step.left_out > 2 for step in spared)
    whole = Search(Induction(KB), RandomScorer(5), limit=None).run("q", [Topics((topic("ridley"),))])
    assert not any(step.left_out for found in whole.found for step in found.trace.steps)


def test_only_large_sets_are_shortlisted_and_whole_sets_on_request() -> None:
    kb = PlainKb([(f"n{i}", "type", f"Class{i}") for i in range(100)])
    for limit, expected in ((64, 64), (None, 100)):
        seen: list[int] = []

        class Watching(LikingScorer):
            def _score(self, decision: Decision) -> Scores:
                seen.append(len(decision.candidates))  # noqa: B023
                return super()._score(decision)

        outcome = Search(Induction(kb), Watching(lambda _: 1.0), limit=limit).run(
            "how many class7?", [Topics()]
        )
        assert max(seen) == expected
        assert outcome.found
        assert isinstance(outcome.found[0].program.argument, Class)  # type: ignore[union-attr]


def test_few_hypotheses_live_where_the_scorer_is_sure_and_more_where_it_is_not() -> None:
    def widest(weights: dict[str, float]) -> int:
        scorer = LikingScorer(lambda candidate: weights.get(candidate.text, 0.01))
        Search(Induction(KB), scorer, beam=8, enough=0.9).run(
            "who?", [Topics((topic("ridley"), topic("alien", 1)))]
        )
        return max(scorer.batches)

    sure = {"follow": 1.0, "ridley": 1.0, "whose director is": 1.0, "end": 1.0}
    assert widest(sure) <= LEAST < widest({})


def test_all_of_the_probability_keeps_the_whole_beam() -> None:
    plain, kept = liking("follow"), liking("follow")
    topics = [Topics((topic("ridley"), topic("alien", 1)))]
    Search(Induction(KB), plain, beam=8).run("who?", topics)
    Search(Induction(KB), kept, beam=8, enough=1.0).run("who?", topics)
    assert plain.batches == kept.batches
