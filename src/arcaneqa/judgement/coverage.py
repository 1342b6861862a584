"""Which words of a question a program takes up, and which it leaves out.

A word is taken up if it stands where something was linked that the program uses, if it is a word of a name in
the program, or if it asks for a form that the program has. It asks for no form where the data has the number
already: "the most faculties" asks for no count where "faculty" is a number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import TokenKind
from arcaneqa.induction.topics import texts_said
from arcaneqa.judgement.answer_kinds import said_years
from arcaneqa.judgement.asked import REMEMBERED, Sign, signs
from arcaneqa.judgement.columns import is_column, said_yes_or_no
from arcaneqa.judgement.counting import says_how_many
from arcaneqa.judgement.nothing import has_zero
from arcaneqa.judgement.polarity import says_measure
from arcaneqa.judgement.rules import Asked
from arcaneqa.judgement.small_words import FOLLOWING, MEASURING, SMALL, root_of, roots_of, roots_of_name
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import Word, are_of_one_origin, split, stem, words
from arcaneqa.kb.schema import ROW, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language.expression import (
    Class,
    Compare,
    Count,
    Expression,
    Extreme,
    Value,
    path_of,
    post_order,
)
from arcaneqa.language.forms import Form, forms_of
from arcaneqa.links import LIKELY, Links

_NAMES = (TokenKind.CLASS, TokenKind.RELATION, TokenKind.VARIABLE, TokenKind.CONSTANT, TokenKind.LITERAL)
_ABOUT = (TokenKind.CLASS, TokenKind.RELATION, TokenKind.CONSTANT)
_PLAINER = {Form.BY_COUNT: Form.SUPERLATIVE, Form.COUNT_COMPARED: Form.COMPARISON}
"""Where the data has a column for what is counted, the plainer form does."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """`unmet`: words that ask for a form which the program lacks. `unused`: what was linked or stated and is
    not in the program, as the question writes it. `unknown`: other words that nothing in the program says.
    `share` of all telling words is taken up. So many of the unused were surely said: `dropped`. `unsaid`:
    what programs of training named without being asked to, and is not in this question."""

    unmet: tuple[Sign, ...]
    unused: tuple[str, ...]
    unknown: tuple[str, ...]
    share: float
    dropped: int = 0
    unsaid: tuple[str, ...] = ()


def left_out_by(asked: Asked, found: Found) -> Coverage:
    """What a reading of this question leaves out, worked out once."""
    known: tuple[Found, Coverage] | None = asked.left_out.get(id(found))
    if known is None:
        known = asked.left_out[id(found)] = found, coverage(asked.question, asked.links, found, asked.kb)
    return known[1]


def coverage(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Coverage:
    spans = [(topic.words.start, topic.words.end) for topic in found.topics]
    chosen = [step.candidates[step.choice] for step in found.trace.steps]
    called = [roots_of_name(one.text) for one in chosen if one.kind in _NAMES]
    constants = [one.text for one in chosen if one.kind is TokenKind.CONSTANT]
    # Asia is said by "Asian", as linking knows.
    naming = [(one, {other.label for other in one.candidates}) for one in links.mentions]
    spans += [(one.start, one.end) for one, labels in naming if not labels.isdisjoint(constants)]
    said_constants = {label for _, labels in naming for label in labels}
    names = frozenset[str]().union(*called)
    forms = forms_of(found.program)
    met: list[Sign] = []
    unmet: list[Sign] = []
    for sign in signs(question):
        is_met = sign.met_by & forms or _counts(sign, found) or _is_truth(sign, found, kb)
        is_met = is_met or (sign.form is Form.NUMBER and says_how_many(question, found, kb))
        is_met = is_met or (sign.form is Form.NEXT and _follows(forms, names))
        is_met = is_met or (sign.form is Form.EXCEPT and has_zero(found.program))
        if not is_met:
            plainer = _PLAINER.get(sign.form)
            measures = [_measures(found.program, kb)] if plainer in forms else []
            is_met = _is_named(question, sign, called if plainer is None else measures)
            is_met = is_met or is_column(question, sign, kb) or _counts_people(question, sign, names)
        (met if is_met else unmet).append(sign)
    spans += [span for sign in met for span in _words_of_form(sign)]
    if Form.COMPARISON in forms:
        spans += [match.span() for match in _COMPARING.finditer(question)]
    spans += _run_together(question, names)
    telling = _telling_words(question)
    if kb.schema.is_of_rows:  # bananas may have been taken for rows
        telling = tuple((word, root) for word, root in telling if root != ROW)
    # Who counts customers' payments need not name them: they are what has a customer.
    counted = [sign.counted for sign in met if sign.counted is not None]
    led_from = {root_of(word) for one in chosen for word in split(one.types)} if counted else set()
    left = [
        word
        for word, root in telling
        if root not in names
        and not _overlaps(word, spans)
        and not (root in led_from and _overlaps(word, counted))
    ]
    linked = [(one.start, one.end) for one in links.mentions if one.score > LIKELY]
    linked += [(one.start, one.end) for one in links.literals]
    asking = [(sign.start, sign.end) for sign in unmet]
    linked += said_yes_or_no(left, kb)
    surely = _qualifying(question, links, found.program, kb) + _in_part(links, found)
    surely += _as_it_is(question, left) + said_years(question, found.program, kb)
    unused, dropped = (
        [span for span in said if any(_overlaps(word, [span]) for word in left)]
        for said in ([*linked, *surely], surely)
    )
    known = [*unused, *asking]
    return Coverage(
        tuple(unmet),
        tuple(dict.fromkeys(question[start:end] for start, end in _apart(unused))),
        tuple(question[word.start : word.end] for word in left if not _overlaps(word, known)),
        1 - len(left) / len(telling) if telling else 0.0,
        len(dropped),
        tuple(text for text in constants if text not in said_constants and _is_unsaid(question, text)),
    )


_COMPARING = re.compile(
    r"\b(?:above|below|over|under|after|before|since|until|between|beyond|exceed(?:s|ing|ed)?"
    r"|more|less|fewer|greater|larger|bigger|higher|lower|smaller)\b",
    re.IGNORECASE,
)
"""Words that only say on which side of a value something is."""


def _run_together(question: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Where two words are one of a name: who says "class room" means the "classroom"."""
    return [
        (one.start, two.end)
        for one, two in pairwise(words(question))
        if root_of(one.folded + two.folded) in names
    ]


def _qualifying(question: str, links: Links, program: Expression, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where names stand right before a class of the program ("solar generators", "fire moves"): even where
    the linker doubts them, they say which of the kind are meant, if a relation of that kind has them."""
    kinds = {
        stem(said[-1]): number
        for node in post_order(program)
        if isinstance(node, Class) and (number := kb.schema.class_ids.get(node.iri)) is not None
        if (said := split(kb.schema.classes[number].label))
    }
    following = {word.start: stem(word.folded) for word in words(question)} if kinds else {}
    found = []
    for mention in links.mentions:
        behind = question[mention.end :]
        kind = kinds.get(following.get(mention.end + len(behind) - len(behind.lstrip()), ""))
        if kind is None:
            continue
        said = _stems_of(mention.text)
        named = [one.node for one in mention.candidates if _stems_of(one.label) == said]
        relations = kb.in_relations(kb.nodes(np.array(named, np.int64))).tolist() if named else []
        if any(kb.schema.relations[relation].domain == kind for relation in relations):
            found.append((mention.start, mention.end))
    return found


def _stems_of(text: str) -> list[str]:
    return list(map(stem, split(text)))


def _in_part(links: Links, found: Found) -> list[tuple[int, int]]:
    """Names of which the program takes a piece for a text: "ontology" of the Cell Ontology as a keyword."""
    taken = [
        (topic.words.start, topic.words.end)
        for topic in found.topics
        if isinstance(topic.term, Value) and kind_of(topic.term.literal) is ValueKind.TEXT
    ]
    named = [(one.start, one.end) for one in links.mentions if one.score > LIKELY]
    return [
        (start, end)
        for start, end in named
        if any(start <= first and last <= end and last - first < end - start for first, last in taken)
    ]


def _as_it_is(question: str, left: Sequence[Word]) -> list[tuple[int, int]]:
    """Texts that the question gives as such, in quotation marks or behind "named", if no word of one is
    taken up."""
    places = {word.start for word in left}
    told = [word.start for word, _ in _telling_words(question)]
    inside = [
        (text, {place for place in told if text.start <= place < text.end}) for text in texts_said(question)
    ]
    return [(text.start, text.end) for text, own in inside if own and own <= places]


def _is_unsaid(question: str, name: str) -> bool:
    return {root_of(word) for word in split(question)}.isdisjoint(root_of(word) for word in split(name))


@lru_cache(REMEMBERED)
def _telling_words(question: str) -> tuple[tuple[Word, str], ...]:
    """All but small words, with their stems."""
    known = ((word, root_of(word.folded)) for word in words(question))
    return tuple((word, root) for word, root in known if root not in SMALL)


def not_used(question: str, found: Coverage) -> tuple[str, ...]:
    """What to name under an answer: linked things, values, and words that ask for a form."""
    asked = [question[sign.start : sign.end] for sign in found.unmet]
    return tuple(dict.fromkeys((*found.unused, *asked)))


def is_about(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program takes up anything of the question: a topic, a word of its schema items and constants,
    what it measures, or what those of its classes are to others: people are the players of teams."""
    if found.topics or _counts_the_only_kind(found.program, kb) or says_measure(question, found.program, kb):
        return True
    chosen = (step.candidates[step.choice] for step in found.trace.steps)
    items = [one.text for one in chosen if one.kind in _ABOUT]
    classes = {
        kb.schema.class_ids.get(node.iri) for node in post_order(found.program) if isinstance(node, Class)
    }
    items += [r.label for r in kb.schema.relations if r.range in classes and r.range_declared]
    together = {root for text in items for root in roots_of(text)}
    apart = {root_of(word.rstrip("0123456789")) for text in items for word in split(text)}
    asked = roots_of(question)
    if kb.schema.is_of_rows:
        asked -= {ROW}  # which may be anything
    return not asked.isdisjoint(together | apart) or any(
        are_of_one_origin(one, other) for one in asked - SMALL for other in apart - SMALL
    )


def _counts_the_only_kind(program: Expression, kb: KnowledgeBase) -> bool:
    """Whether it counts all there is: a table of stations may be called metro."""
    shown = [klass.iri for klass in kb.schema.classes if klass.members and not klass.hidden]
    return len(shown) == 1 and program == Count(Class(shown[0]))


def _is_named(question: str, sign: Sign, called: Iterable[Set[str]]) -> bool:
    """Whether the words are those of one name: "total credits", "the most votes" where votes are a number,
    "authors or tutors" where they are one class."""
    start, end = sign.about
    telling = {root_of(word) for word in split(question[start:end])} - SMALL - MEASURING
    joins_two = sign.about != (sign.start, sign.end)
    return len(telling) > joins_two and any(telling <= name for name in called)


def _measures(program: Expression, kb: KnowledgeBase) -> set[str]:
    """The words of what the program orders and compares by."""
    found: set[str] = set()
    for node in post_order(program):
        if isinstance(node, Extreme | Compare) and (path := path_of(node.key)):
            relation = kb.schema.relation_ids.get(path[-1].iri)
            label = "" if relation is None else kb.schema.relations[relation].label
            found |= {stem(word) for word in split(label)}
    return found


def _counts(sign: Sign, found: Found) -> bool:
    return sign.form is Form.NUMBER and found.result.value is not None


_NEXT_BY_VALUE = frozenset((Form.SUPERLATIVE, Form.COMPARED_WITH_OTHERS))


def _follows(forms: Set[Form], names: Collection[str]) -> bool:
    """Whether a program says what is next: by a relation called so, or as the first of those later."""
    return forms >= _NEXT_BY_VALUE or not FOLLOWING.isdisjoint(names)


_PEOPLE = frozenset(map(root_of, ("people", "inhabitants", "residents", "citizens")))
_POPULATION = root_of("population")


def _counts_people(question: str, sign: Sign, names: Collection[str]) -> bool:
    """How many people there are is the population."""
    following = split(question[sign.end :])[:1]
    return sign.form is Form.NUMBER and _POPULATION in names and root_of("".join(following)) in _PEOPLE


def _is_truth(sign: Sign, found: Found, kb: KnowledgeBase) -> bool:
    """Whether yes or no is asked for and is the one fact that was found: is uranium radioactive?"""
    if sign.form is not Form.TRUTH or len(found.nodes) != 1:
        return False
    (term,) = kb.terms(found.nodes.ids)
    return isinstance(term, Literal) and kind_of(term) is ValueKind.BOOLEAN


def _words_of_form(sign: Sign) -> list[tuple[int, int]]:
    """Where a sign says which form is asked for, not what is counted."""
    if sign.counted is None:
        return [(sign.start, sign.end)]
    start, end = sign.counted
    return [(sign.start, start), (end, sign.end)]


def _overlaps(word: Word, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < word.end and word.start < end for start, end in spans)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of those that overlap, in the order of the question."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= first or last <= start for first, last in kept):
            kept.append((start, end))
    return sorted(kept)
