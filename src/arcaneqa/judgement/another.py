"""Who names one thing is not told of another: ski lifts for the ski runs, the imperial system of units for
the international one, digital zoom for the optical one. A graph of thousands of names nearly always has one
that is near, and a model that finds nothing better takes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.vocabulary import class_words, relation_words
from arcaneqa.judgement.asked_kinds import (
    asked_noun,
    classes_by_name,
    is_another_kind,
    schema_words,
    whole_noun,
)
from arcaneqa.judgement.looked_up import nodes_of
from arcaneqa.judgement.small_words import SMALL, root_of, roots_in_order
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import Word, may_be_slip, split, words
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.links import Links, MentionLink

_ASKING = re.compile(r"\b(?:which|what)(?:['’]s|\s+(?:is|are|was|were)\b)?(?:\s+the)?\s+", re.IGNORECASE)
_SORTS = frozenset(map(root_of, ("type", "kind", "sort")))
"""A type of ship is a ship."""
_LONGEST_NAME = 6
"""Words of a class that a question may name."""
_COMMON = 3
"""Words of an end and names with it, together, from which on it is no name by itself."""
_PAIRS: WeakKeyDictionary[KnowledgeBase, frozenset[tuple[str, str]]] = WeakKeyDictionary()

# Kinds -----------------------------------------------------------------------------------------------------


def another_kind(question: str, found: Found, kb: KnowledgeBase) -> str | None:
    """What the question asks for, where a program surely finds other things: it names another kind, and
    neither its words nor what it finds are what the question names with two words or more. One word may be
    meant loosely, and who asks for the party of somebody gets what is told as their party, whatever it is."""
    if found.result.table is not None or found.result.value is not None:
        return None
    if not any(isinstance(one, ex.Class) for one in conjuncts(found.program)):
        return None
    noun = _named_in_full(question, kb) or asked_noun(question, kb) or _noun_at_the_end(question, kb)
    said = {root_of(word) for name in _names_in(found.program, kb) for word in split(name)}
    if len(noun) < 2 or said.issuperset(noun):
        return None
    ending = (kinds for name, kinds in classes_by_name(kb).items() if name[-len(noun) :] == noun)
    kinds = [kind for some in ending for kind in some]
    if len(kinds) != 1 or not is_another_kind(kinds[0], found, kb):
        return None
    return class_words(kb.schema.classes[kinds[0]])


def _named_in_full(question: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """The longest name of a class, of two words or more, that a question begins to ask with: "the unit of
    radioactivity" is a radioactivity unit."""
    asking = _ASKING.search(question)
    said = [] if asking is None else [root_of(word) for word in split(question[asking.end() :])]
    names = classes_by_name(kb)
    for length in range(min(len(said), _LONGEST_NAME), 1, -1):
        head, *rest = said[:length]
        turned = rest[0] == "of" and head not in _SORTS
        for noun in ((head, *rest), (*rest[1:], head) if turned else ()):
            if len(noun) > 1 and noun in names:
                return noun
    return ()


def _noun_at_the_end(question: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """What a question asks for that asks at its end: "Supreme serves what ski run?"."""
    if (asking := _ASKING.search(question)) is None:
        return ()
    said = split(question[asking.end() :])
    return whole_noun(said, kb) or tuple(map(root_of, said))


# Entities --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mistaken:
    """What the question calls something, and who are called nearly so."""

    said: str
    near: tuple[str, ...]


def another_name(question: str, links: Links, found: Found, unknown: Sequence[str]) -> Mistaken | None:
    """A name that the program takes for that of an entity whose name only ends like it: what stands right
    before the end was said to tell such things apart, and none of them has it. An end of one word must be
    that of several, for it may follow a title ("president Lincoln"). `unknown`: words that nothing in the
    program says."""
    for topic in found.topics:
        start, end = topic.words.start, topic.words.end
        mention = next((one for one in links.mentions if (one.start, one.end) == (start, end)), None)
        if mention is None or not isinstance(topic.term, ex.Entity):
            continue
        ending = roots_in_order(question[start:end])
        names = {one.label: roots_in_order(one.label) for one in mention.candidates}
        near = [label for label, own in names.items() if own[-len(ending) :] == ending != own]
        before = [word for word in words(question) if word.end <= start][-1:]
        if len(near) < len(names) or len(near) + len(ending) < _COMMON or not before:
            continue
        (word,) = before
        root = root_of(word.folded)
        said = question[word.start : word.end]
        if root not in SMALL and said in unknown and not _is_nearly_in(root, names.values()):
            return Mistaken(question[word.start : end], tuple(near))
    return None


def parted_name(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Mistaken | None:
    """Two names of one word side by side, of which the program takes one for somebody who has not the other,
    and who has both is not here: some are called Michael and some Jordan, but nobody Michael Jordan."""
    taken = {(topic.words.start, topic.words.end) for topic in found.topics}
    for one, two in pairwise(sorted(links.mentions, key=lambda mention: mention.start)):
        pair = (one, two)
        said = [{root_of(word) for word in split(mention.text)} for mention in pair]
        used = [(mention.start, mention.end) in taken for mention in pair]
        is_name = all(
            len(words) == 1 and mention.text[:1].isupper() for words, mention in zip(said, pair, strict=True)
        )
        if not is_name or used[0] == used[1] or question[one.end : two.start] != " ":
            continue
        labels = [candidate.label for mention in pair for candidate in mention.candidates]
        have_both = any(said[0] | said[1] <= set(roots_in_order(label)) for label in labels)
        if not have_both and _is_one_kind(one, two, kb):
            return Mistaken(question[one.start : two.end], tuple(dict.fromkeys(labels)))
    return None


def half_name(question: str, found: Found, unknown: Sequence[str], kb: KnowledgeBase) -> Mistaken | None:
    """A first name that the program takes for somebody whose name goes on otherwise: Paul Smith is here, and
    Paul Hollywood is asked about. Or one that is taken for a slip, with another name before it: Mary Berry is
    not Terry. `unknown`: words that nothing in the program says."""
    said = words(question)
    if sum(question[word.start].isupper() for word in said) * 2 > len(said):
        return None  # who writes all words so tells nothing
    for topic in found.topics:
        start, end = topic.words.start, topic.words.end
        beside = [word for word in said if word.start == end + 1 or word.end == start - 1]
        names = [word for word in beside if _is_name(word, question, unknown, kb)]
        if not names or not question[start].isupper():
            continue
        own, called = roots_in_order(question[start:end]), _names_of(topic.term, kb)
        rooted = {name: roots_in_order(name) for name in called}
        longer = [name for name, roots in rooted.items() if roots[: len(own)] == own != roots]
        is_slip = not any({*own} & {*roots} for roots in rooted.values())
        for word in names:
            known = longer if word.start > end else [name for name in called[:1] if is_slip and len(own) == 1]
            if known and not _is_nearly_in(root_of(word.folded), rooted.values()):
                name = question[min(start, word.start) : max(end, word.end)]
                return Mistaken(name, tuple(dict.fromkeys(known)))
    return None


def _is_name(word: Word, question: str, unknown: Sequence[str], kb: KnowledgeBase) -> bool:
    """Whether it is written as a name, and nothing here is called so."""
    written, root = question[word.start : word.end], root_of(word.folded)
    is_known = written not in unknown or root in SMALL or root in schema_words(kb)
    return word.start > 0 and written[0].isupper() and len(written) >= _SHORTEST_SURNAME and not is_known


_SHORTEST_SURNAME = 3
"""Letters: Charles II may be any Charles."""
_BEARERS = 5
"""Of a name that are looked at."""


def _names_of(term: ex.Entity | ex.Value, kb: KnowledgeBase) -> list[str]:
    """What somebody is called, or who has that text: labels, and texts that are said of them."""
    bearers = nodes_of(term, kb)
    if isinstance(term, ex.Value):
        bearers = kb.nodes(kb.difference(kb.neighbours(bearers), bearers).ids[:_BEARERS])
    around = kb.neighbours(bearers).ids
    texts_of = kb.terms(around[kb.are_literals(around)][:_MOST_TEXTS])
    labels = [label for label in kb.labels(bearers.ids) if label is not None]
    return [*labels, *(one.lexical for one in texts_of if isinstance(one, Literal))]


_MOST_TEXTS = 200
"""Values around a bearer of a name that are looked at."""


def _is_one_kind(one: MentionLink, two: MentionLink, kb: KnowledgeBase) -> bool:
    """Whether both are first of all names of one kind of thing: an airport may stand behind its city."""
    kinds = [
        set(kb.classes(kb.nodes(np.array([mention.candidates[0].node]))).tolist()) for mention in (one, two)
    ]
    return bool(kinds[0] & kinds[1])


def _is_nearly_in(word: str, names: Iterable[Sequence[str]]) -> bool:
    """Whether a word may be one of theirs with a slip: Rand for Randy."""
    return any(may_be_slip(word, own) for name in names for own in name)


# Classes and relations -------------------------------------------------------------------------------------


def is_misnamed(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a program goes by a name where the question says another one's: "digital zoom" for the optical
    zoom, where something here is called so. Nothing that comes before the last word of its name is said, and
    what the question says there the program has nowhere."""
    said = roots_in_order(question)
    names = [roots_in_order(name) for name in _names_in(program, kb)]
    known = {word for name in names for word in name}
    return any(
        (before, last) in _pairs(kb) and before not in known and before not in SMALL
        for *telling, head in names
        if telling and head not in SMALL and not {*telling} & {*said}
        for before, last in pairwise(said)
        if last == head
    )


def _names_in(program: ex.Expression, kb: KnowledgeBase) -> Iterator[str]:
    schema = kb.schema
    for node in ex.post_order(program):
        if isinstance(node, ex.Class) and node.iri in schema.class_ids:
            yield class_words(schema.classes[schema.class_ids[node.iri]])
        for relation in ex.relations(node):
            if relation.iri in schema.relation_ids:
                yield relation_words(schema.relations[schema.relation_ids[relation.iri]])


def _pairs(kb: KnowledgeBase) -> frozenset[tuple[str, str]]:
    """Words that follow each other in the name of a class or relation; read once a knowledge base."""
    if (found := _PAIRS.get(kb)) is None:
        names = [class_words(one) for one in kb.schema.classes if not one.hidden]
        names += [relation_words(one) for one in kb.schema.relations if not one.hidden]
        found = _PAIRS[kb] = frozenset(pair for name in names for pair in pairwise(roots_in_order(name)))
    return found
