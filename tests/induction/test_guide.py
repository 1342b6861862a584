"""A search held to choices returns only programs that made them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.induction.found import Found, Readings, SearchOutcome
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.search import NEVER, GivenChoice, Guide, Search
from tests.induction.randomness import RandomScorer, random_kb, random_topics


def _run(search: Search, seed: int, choices: list[GivenChoice]) -> SearchOutcome:
    guide, scorer = Guide(choices), RandomScorer(seed)
    steps = search.steps("a question", random_topics(seed))
    try:
        asked = next(steps)
        while True:
            asked = steps.send(guide.after(asked, scorer.score(guide.before(asked))))
    except StopIteration as stop:
        outcome: SearchOutcome = stop.value
        return outcome


def _made(found: Found) -> list[GivenChoice]:
    real = [step for step in found.trace.steps if len(step.candidates) > 1]
    return [GivenChoice.of(step.candidates[step.choice]) for step in real]


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), length=st.integers(0, 4), other=st.integers(0, 20))
def test_programs_respect_the_choices(seed: int, length: int, other: int) -> None:
    kb = random_kb(seed)
    search = Search(Induction(kb), RandomScorer(seed), readings=Readings(kb))
    free = _run(search, seed, [])
    if not free.found:
        return
    example = free.found[other % len(free.found)]
    real = [step for step in example.trace.steps if len(step.candidates) > 1][: length + 1]
    choices = [GivenChoice.of(step.candidates[step.choice]) for step in real[:length]]
    if len(real) > length:
        choices.append(GivenChoice.of(real[length].candidates[other % len(real[length].candidates)]))
    kept = [found for found in _run(search, seed, choices).found if found.score > NEVER / 2]
    for found in kept:
        assert _made(found)[: len(choices)] == choices[: len(_made(found))]


def test_an_unknown_choice_leaves_nothing() -> None:
    search = Search(Induction(random_kb(3)), RandomScorer(3))
    assert _run(search, 3, []).found
    choices = [GivenChoice(kind, "no such thing") for kind in ["relation"]]  # type: ignore[arg-type]
    assert not [found for found in _run(search, 3, choices).found if found.score > NEVER / 2]
