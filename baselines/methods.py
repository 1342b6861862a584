"""What is compared: on which sets each method is trained, with which choices, and how it searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.found import SearchOutcome
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.search import SHORTLIST, Search
from arcaneqa.induction.topics import Topics
from baselines.decoding import DecodingSearch
from baselines.enumerated import Enumerator
from baselines.ranking import RankingSearch, Searching
from baselines.staged import StagedSearch
from baselines.training import METHODS, Trained
from baselines.typed import Typed
from baselines.vocabulary import Suggested, WholeVocabulary

Made = Callable[[ArcaneQA, ArcaneQA | None], Search | Searching]
"""A search from a loaded model, and from a second one where a method needs two."""


@dataclass(frozen=True)
class Method:
    trained: Trained
    search: Made
    second: str | None = None


def _own(qa: ArcaneQA, _: ArcaneQA | None) -> Search:
    return qa.search


def _without_last(qa: ArcaneQA, _: ArcaneQA | None) -> Search:
    limit = None if qa.settings.exact else SHORTLIST
    return Search(qa.induction, qa.scorer, qa.settings.beam, limit, qa.settings.ranker)


def _typed(qa: ArcaneQA, _: ArcaneQA | None) -> DecodingSearch:
    return DecodingSearch(qa.kb, Typed(_plain(qa)), qa.scorer)


def _whole(qa: ArcaneQA, _: ArcaneQA | None) -> DecodingSearch:
    return DecodingSearch(qa.kb, WholeVocabulary(_plain(qa)), qa.scorer)


def _ranking(qa: ArcaneQA, _: ArcaneQA | None) -> RankingSearch:
    return RankingSearch(Enumerator(_plain(qa)), qa.scorer)


def _staged(qa: ArcaneQA, _: ArcaneQA | None) -> StagedSearch:
    return StagedSearch(_plain(qa), qa.scorer)


def _suggested(qa: ArcaneQA, second: ArcaneQA | None) -> Searching:
    assert second is not None, "rank and generate needs the ranker's model as well"
    return RankThenGenerate(qa, second)


def _plain(qa: ArcaneQA) -> Induction:
    return Induction(qa.kb, has_forms=False)


class RankThenGenerate(Searching):
    """RnG: programs are generated with the best ranked ones in view; where none executes, those count."""

    def __init__(self, generator: ArcaneQA, ranker: ArcaneQA) -> None:
        self._ranking = _ranking(ranker, None)
        constraint = Suggested(WholeVocabulary(_plain(generator)), self._best)
        self._decoding = DecodingSearch(generator.kb, constraint, generator.scorer)
        self._ranked = SearchOutcome((), True)

    @property
    def fate(self) -> str:
        return self._decoding.fate

    def run(self, question: str, hypotheses: Sequence[Topics], seconds: float | None = None) -> SearchOutcome:
        (topics,) = hypotheses
        self._ranked = self._ranking.run(question, [topics])
        generated = self._decoding.run(question, hypotheses, seconds)
        return generated if generated.found else self._ranked

    def _best(self, question: str, topics: Topics) -> list[str]:  # noqa: ARG002 - ranked just before
        steps = [one.trace.steps[0] for one in self._ranked.found]
        return [step.candidates[step.choice].text for step in steps]


SEARCHES: dict[str, tuple[Made, str | None]] = {
    "ours": (_own, None),
    "paper": (_own, None),
    "paperstatic": (_own, None),
    "papertypes": (_own, None),
    "anonymous": (_own, None),
    "static": (_own, None),
    "nocontext": (_own, None),
    "nolast": (_without_last, None),
    "typed": (_typed, None),
    "whole": (_whole, None),
    "ranking": (_ranking, None),
    "suggested": (_suggested, "ranking"),
    "staged": (_staged, None),
}
ALL = {name: Method(METHODS[name], *SEARCHES[name]) for name in METHODS}
