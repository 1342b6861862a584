"""What to say where there is no answer: what was understood, what is missing, and what there is instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from arcaneqa.induction.found import Found, Outcome
from arcaneqa.judgement.asked import Sign
from arcaneqa.judgement.coverage import Coverage
from arcaneqa.judgement.small_words import SMALL
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.forms import split, stem, words
from arcaneqa.kb.schema import Relation
from arcaneqa.links import Links
from arcaneqa.program.english import listed, singular, with_article
from arcaneqa.program.expression import Entity
from arcaneqa.program.forms import NEVER
from arcaneqa.program.spoken import Spoken

MOST_NAMED = 4
_NAME = re.compile(
    r"[\"“‘']([^\"”’']{2,60})[\"”’']|(?<!^)\b((?:[A-Z][\w'’-]*|\d+)(?: (?:of |the |de )?[A-Z\d][\w'’-]*)*)"
)
_POSSESSIVE = re.compile(r"['’]s?$")
Suggest = Callable[[str, int], Sequence[str]]
"""Names of entities that begin like this."""


class Refusals:
    """Sentences about one knowledge base; `suggest` proposes names where one is not known."""

    def __init__(self, kb: KnowledgeBase, suggest: Suggest) -> None:
        self._kb = kb
        self._spoken = Spoken(kb)
        self._suggest = suggest

    def form(self, question: str, sign: Sign) -> str:
        """A form that no program has, or that this model has not learned."""
        why = (
            "the facts only say what is so" if sign.form in NEVER else "this model has not learned to do that"
        )
        return f"This asks for {sign.form.value} (“{question[sign.start : sign.end]}”); {why}."

    def nothing_found(self, question: str, links: Links, outcome: Outcome) -> str:
        if not outcome.is_complete:
            return (
                "The search ran out of time before it found a program; ask more simply or allow more seconds."
            )
        unknown = list(self._unknown_names(question, links))
        if not links.mentions and not links.literals:
            start = "Nothing in the question names an entity or a value of this knowledge base."
        else:
            start = "No program over the linked entities has an answer in this knowledge base."
        return " ".join([start, *unknown])

    def missing(self, question: str, links: Links, found: Found, left_out: Coverage) -> str:
        """What the nearest reading leaves open."""
        said = list(self._unknown_names(question, links))
        entity = next((topic.term for topic in found.topics if isinstance(topic.term, Entity)), None)
        node = None if entity is None else self._kb.node(entity.term)
        if entity is None or node is None:
            said += self._nothing_called(left_out.unknown)
        else:
            said += self._lacks(self._spoken.entity(entity.term), node, left_out.unknown)
        return " ".join(said)

    def _unknown_names(self, question: str, links: Links) -> Iterator[str]:
        """Names that were written and are nobody's here."""
        for match in _NAME.finditer(question):
            start = match.start(1 if match[1] else 2)
            name = _POSSESSIVE.sub("", match[1] or match[2])
            end = start + len(name)
            linked = [(one.start, one.end) for one in links.mentions]
            linked += [(one.start, one.end) for one in links.literals]
            if any(first <= start and end <= last for first, last in linked) or _is_small(name):
                continue
            near = list(dict.fromkeys([*self._suggest(name, 3), *self._suggest(name.split()[0], 3)]))[:3]
            yield f"No entity is called {name}{f'; near: {listed(near)}' if near else ''}."

    def _lacks(self, name: str, node: int, unknown: Sequence[str]) -> Iterator[str]:
        """A gap in the facts is one that others do not have; one in the schema is everybody's."""
        own = self._kb.nodes(np.array([node], np.int64))
        relations = self._kb.schema.relations
        has = {*self._kb.out_relations(own).tolist(), *self._kb.in_relations(own).tolist()}
        gaps = []
        for word in unknown:
            called = [r for r in relations if not r.hidden and stem(word.lower()) in _stems(r)]
            gaps += [r for r in called if r.id not in has and not has & {one.id for one in called}][:1]
        if gaps:
            named = listed([singular(relation.label) for relation in gaps[:2]], "or")
            yield f"{name} has no {named} here, though others have."
        elif unknown:
            yield from self._nothing_called(unknown, f" of {name}")
        shown = [relations[r] for r in self._kb.out_relations(own).tolist() if not relations[r].hidden]
        if shown:
            few = [with_article(self._spoken.relation(r.iri).many) for r in shown[:MOST_NAMED]]
            more = len(shown) - len(few)
            yield f"It has {listed(few)}{f', and {more} more' if more > 0 else ''}."

    def _nothing_called(self, unknown: Sequence[str], of: str = "") -> Iterator[str]:
        if unknown:
            yield f"Nothing found here says “{listed(list(dict.fromkeys(unknown))[:3])}”{of}."


def _stems(relation: Relation) -> set[str]:
    return {stem(word) for word in split(relation.label)}


def _is_small(name: str) -> bool:
    return all(stem(word.folded) in SMALL for word in words(name))
