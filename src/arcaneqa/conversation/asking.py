"""How a follow-up is asked: as a whole question, with what was found before in its program."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from arcaneqa.answer import ArcaneQA
from arcaneqa.answered import Answer
from arcaneqa.conversation.carrying import in_place_of
from arcaneqa.conversation.references import Reference
from arcaneqa.conversation.turns import Referent
from arcaneqa.errors import BudgetExceeded, ProgramError
from arcaneqa.induction.found import Found
from arcaneqa.links import EntityCandidate, Links, MentionLink, settled
from arcaneqa.program.execute import Budget, Result, execute
from arcaneqa.program.expression import Expression
from arcaneqa.program.phrase import paraphrase

Change = Callable[[Expression], Expression]
Test = Callable[[Result], bool]


class Asking:
    """One question of a conversation, with its limits."""

    def __init__(self, qa: ArcaneQA, threshold: float | None, seconds: float) -> None:
        self.qa = qa
        self._threshold = threshold
        self._until = time.monotonic() + seconds

    @property
    def seconds(self) -> float:
        """That are left."""
        return max(0.1, self._until - time.monotonic())

    def whole(self, text: str) -> Answer:
        return self.qa.ask(text, threshold=self._threshold, seconds=self.seconds)

    def about(self, reference: Reference, referent: Referent) -> Answer:
        """With the referent's name in place of the words that refer to it."""
        text, start = reference.filled(referent.label)
        end = start + len(referent.label)
        named = EntityCandidate(referent.node, referent.label, 0.0)
        said = MentionLink(start, end, referent.label, 0.0, (named,))
        links = settled(self.qa.linker.link(text), [(start, end)], [said])
        one, all_of_them = referent.thing, referent.program
        return self.changed(text, links, lambda program: in_place_of(program, one, all_of_them))

    def changed(self, text: str, links: Links, change: Change, is_meant: Test = lambda _: True) -> Answer:
        """Every program that is found for the text is changed; those that then find nothing, or nothing that
        can be meant, are dropped."""
        started = time.perf_counter()
        outcome = self.qa.search.run(links.read, [self.qa.topics(text, links)], self.seconds)
        changed = [one for found in outcome.found if (one := self._changed(found, change)) is not None]
        changed = [one for one in changed if is_meant(one.result)]
        if outcome.found and not changed:
            said = paraphrase(outcome.found[0].program, self.qa.kb)
            return Answer(text, links=links, reason=f"None of those before is among {said}.")
        outcome = replace(outcome, found=tuple(changed))
        answer = self.qa.conclude(text, links, outcome, threshold=self._threshold)
        return replace(answer, seconds=time.perf_counter() - started)

    def _changed(self, found: Found, change: Change) -> Found | None:
        program = change(found.program)
        if program == found.program:
            return found
        try:
            result = execute(program, self.qa.kb, Budget(seconds=self.seconds))
        except (ProgramError, BudgetExceeded):
            return None
        return None if _is_empty(result) else replace(found, program=program, result=result)


def _is_empty(result: Result) -> bool:
    if result.table is not None:
        return not result.table.rows
    return result.nothing or not len(result.nodes)
