"""What the data has as a column already: "the most votes" asks for no count where votes are a number, a total
or an average may have been summed up before, and what is landlocked is a column of yes and no."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from arcaneqa.judgement.asked import Sign
from arcaneqa.judgement.small_words import MEASURING, SMALL, otherwise_said, root_of, ways_of_doing
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import Word, split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.language.forms import Form

_COUNTED = frozenset((Form.BY_COUNT, Form.COUNT_COMPARED))
_SUMMED = {
    Form.AVERAGE: frozenset(map(stem, ("average", "mean", "avg"))),
    Form.TOTAL: frozenset(map(stem, ("total", "tot", "sum"))),
}
"""Words in the name of a number that was summed up before."""
_WORKED_OUT = {
    Form.SHARE: frozenset(map(stem, ("percent", "percentage", "proportion", "fraction", "ratio", "rate"))),
    Form.SPREAD: frozenset(map(stem, ("median", "deviation", "variance", "correlation", "percentile"))),
}
"""Words in the name of a number that nobody need work out."""
_HOW_MANY = frozenset(map(stem, ("count", "num", "total", "tot", "sum")))
"""What a number is called that says how many there are of something."""
_NUMBER = stem("number")
_MEASURING = SMALL | MEASURING | _HOW_MANY
_NUMBERS: WeakKeyDictionary[KnowledgeBase, tuple[frozenset[str], ...]] = WeakKeyDictionary()
_YES_OR_NO: WeakKeyDictionary[KnowledgeBase, tuple[frozenset[str], ...]] = WeakKeyDictionary()
_NO = frozenset(("no", "n", "false", "none"))
_FEW_OBJECTS = 4
"""Values of a relation that says yes or no: "unknown" and the like beside them."""


def is_column(question: str, sign: Sign, kb: KnowledgeBase) -> bool:
    """Whether the words ask for a number that is a fact: "the most votes", "average humidity"."""
    if sign.form in _COUNTED:
        counted = _telling(question[sign.start : sign.end])
        asked = _telling(question[sign.start :])
        # "The most weeks", where there are "weeks on top", must go on with "on top".
        return bool(counted) and any(counted <= name - _MEASURING <= asked for name in _numbers(kb))
    if sign.form in _SUMMED:
        words = _SUMMED[sign.form]
        said = [stem(word) for word in split(question[sign.end :])]
        following = next((word for word in said if word not in _MEASURING), None)
        if sign.form is Form.TOTAL and said[:1] == [_NUMBER]:
            # "The total number of students" counts them, unless each has a number.
            return not any(following in name for name in _numbers(kb))
        # Columns are often called by words run together.
        joined = {f"{word}{following}" for word in words}
        return any(name & joined or (name & words and following in name) for name in _numbers(kb))
    if sign.form is Form.EXCEPT:
        asked = _telling(question[sign.end :])
        return any(name and name <= asked for name in _yes_or_no(kb))
    if sign.form in _WORKED_OUT:
        return any(name & _WORKED_OUT[sign.form] for name in _numbers(kb))
    return False


def _telling(text: str) -> set[str]:
    return {stem(word) for word in split(text) if not word.isdigit()} - _MEASURING


def _numbers(kb: KnowledgeBase) -> tuple[frozenset[str], ...]:
    """The words of every relation that gives numbers; read once a knowledge base."""
    found = _NUMBERS.get(kb)
    if found is None:
        relations = (r for r in kb.schema.relations if _is_number(r))
        found = _NUMBERS[kb] = tuple(_words_of(r, kb) for r in relations)
    return found


def _yes_or_no(kb: KnowledgeBase) -> tuple[frozenset[str], ...]:
    """The telling words of every relation that says by itself that something is not so: "fda approved: no",
    "is active: no"."""
    found = _YES_OR_NO.get(kb)
    if found is None:
        relations = [r for r in kb.schema.relations if _says_no(r, kb)]
        names = [_words_of(r, kb) for r in relations]
        names += [frozenset(map(stem, said)) for r in relations for said in otherwise_said(r.label)]
        truths = [r for r in relations if r.kinds == {ValueKind.BOOLEAN}]
        names += [frozenset(map(root_of, said)) for r in truths for said in ways_of_doing(r.label)]
        found = tuple(name - SMALL or name for name in names)
        _YES_OR_NO[kb] = found
    return found


def said_yes_or_no(said: Sequence[Word], kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where words are the name of a relation that says yes or no: whoever asks for landlocked countries wants
    those of which it is true."""
    at = {way(word.folded): (word.start, word.end) for word in said for way in (stem, root_of)}
    return [at[word] for name in _yes_or_no(kb) for word in name if name <= at.keys()]


def _says_no(relation: Relation, kb: KnowledgeBase) -> bool:
    if relation.hidden or relation.kinds == {ValueKind.BOOLEAN}:
        return not relation.hidden
    if not 0 < relation.objects <= _FEW_OBJECTS or relation.kinds & {ValueKind.NUMBER, ValueKind.TIME}:
        return False
    labels = kb.labels(kb.having(Step(relation.id, inverse=True)).ids)
    return any(label is not None and label.strip().lower() in _NO for label in labels)


def _words_of(relation: Relation, kb: KnowledgeBase) -> frozenset[str]:
    """The words of its name but those of its class, each taken away once: the "rating stars" of a rating are
    stars, the "engine number of engines" of an engine is a number of engines."""
    name = Counter(map(stem, split(relation.label)))
    if relation.domain is None:
        return frozenset(name)
    owner = Counter(map(stem, split(kb.schema.classes[relation.domain].label)))
    return frozenset(name - owner or name)


def _is_number(relation: Relation) -> bool:
    return not relation.hidden and not relation.is_identifier and ValueKind.NUMBER in relation.kinds
