"""Forms that a question asks for and that a model or a program lacks: words tell, and so may an encoder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Protocol

from arcaneqa.judgement.asked import Sign, signs
from arcaneqa.judgement.coverage import is_column
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.program.forms import NEVER, SAYABLE, Form


class FormScorer(Protocol):
    """What an encoder hears. Where words ask for a form it is believed from the chance `heeded` on, and
    without such words from `sure` on."""

    heeded: float
    sure: float

    def chances(self, question: str, signs: Mapping[str, bool]) -> Mapping[str, float]:
        """The chance of each form, by its name; `signs` are the forms that words ask for, and whether the
        data has a column for that."""
        ...


def signs_of(question: str, kb: KnowledgeBase) -> dict[str, bool]:
    """The forms that words ask for, by name, and whether the data has a column for that."""
    return {sign.form.name: is_column(question, sign, kb) for sign in signs(question)}


def lacking(
    question: str,
    unmet: Iterable[Sign],
    had: frozenset[Form],
    kb: KnowledgeBase,
    scorer: FormScorer | None,
) -> Sign | None:
    """The first form that is asked for and is not among those that are `had`, by a program or by a model.

    `unmet` is what words ask for and the nearest program does not do.
    """
    asked = [sign for sign in unmet if sign.form not in had | SAYABLE]
    others = [form.name for form in Form if form not in had | SAYABLE | NEVER]
    if scorer is None or not others:
        return asked[0] if asked else None
    told = signs_of(question, kb)
    chances = scorer.chances(question, told)
    for sign in asked:
        if chances.get(sign.form.name, 1.0) > scorer.heeded:
            return sign
    heard = {name: chances[name] for name in others if name in chances and not told.get(name)}
    if 1 - math.prod(1 - chance for chance in heard.values()) > scorer.sure:
        form = Form[max(heard, key=heard.__getitem__)]
        return Sign(form, 0, len(question), frozenset((form,)), (0, len(question)))
    return None
