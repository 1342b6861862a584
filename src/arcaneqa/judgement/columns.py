"""Numbers that the data has already: "the most faculties" asks for no count where "faculty" is a number."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from arcaneqa.judgement.asked import Sign
from arcaneqa.judgement.small_words import MEASURING, SMALL
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program.forms import Form

_COUNTED = frozenset((Form.BY_COUNT, Form.COUNT_COMPARED))
_SUMMED = {
    Form.AVERAGE: frozenset(map(stem, ("average", "mean", "avg"))),
    Form.TOTAL: frozenset(map(stem, ("total", "tot", "sum"))),
}
"""Words in the name of a number that was summed up before."""
_MEASURING = SMALL | MEASURING | _SUMMED[Form.TOTAL]
_NUMBERS: WeakKeyDictionary[KnowledgeBase, tuple[frozenset[str], ...]] = WeakKeyDictionary()


def is_column(question: str, sign: Sign, kb: KnowledgeBase) -> bool:
    """Whether the words ask for a number that is a fact: "the most votes", "average humidity"."""
    if sign.form in _COUNTED:
        counted = {stem(word) for word in split(question[sign.start : sign.end])} - _MEASURING
        return bool(counted) and any(name - _MEASURING == counted for name in _numbers(kb))
    if sign.form in _SUMMED:
        following = {stem(word) for word in split(question[sign.end :])[:1]}
        words = _SUMMED[sign.form]
        return bool(following) and any(name & words and following <= name for name in _numbers(kb))
    return False


def _numbers(kb: KnowledgeBase) -> tuple[frozenset[str], ...]:
    """The words of every relation that gives numbers; read once a knowledge base."""
    found = _NUMBERS.get(kb)
    if found is None:
        relations = (r for r in kb.schema.relations if not r.hidden and ValueKind.NUMBER in r.kinds)
        found = _NUMBERS[kb] = tuple(frozenset(map(stem, split(r.label))) for r in relations)
    return found
