"""What to say where there is no answer: what was understood, what is missing, and what there is instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from arcaneqa.induction.found import Found, SearchOutcome
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split, stem, words
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.language.english import SaidAs, is_had, listed, plural, singular, with_article
from arcaneqa.language.expression import Entity, Join, Value, post_order
from arcaneqa.language.forms import NEVER
from arcaneqa.language.spoken import Spoken
from arcaneqa.links import Links
from arcaneqa.verdict.evidence import Weighed
from arcaneqa.verdict.frame import Sign, frame_of
from arcaneqa.verdict.gaps import gap
from arcaneqa.verdict.words import SMALL, pattern

ASKS_FOR = "This asks for"
MOST_NAMED = 4
"""Relations that a refusal proposes."""
MOST_NEAR = 3
"""Words that are named as not understood."""
_UNLIKELY = "No reading that was found is likely to be what is meant."
_POSSESSIVE = pattern("possessive")
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
        return f"{ASKS_FOR} {sign.form.value}{_quoted(question, sign)}; {why}."

    def _has_none(self, name: str, own: NodeSet, relations: Sequence[Relation]) -> str:
        """Others of its kind may have it; else the kind that has."""
        said, kind = self._spoken.words_of, self._kind_having(relations[0], own)
        nouns = [singular(said(one.iri)) for one in relations if is_had(self._spoken.relation(one.iri))]
        if nouns:
            others = "though others have" if kind is None else f"but {kind} have"
            return f"{name} has no {listed(nouns, 'or')} here, {others}."
        if (shape := self._spoken.relation(relations[0].iri)).kind is SaidAs.VERB:
            return (
                f"{name} {shape.one} nothing here, {'though others' if kind is None else f'but {kind}'} do."
            )
        others = "though it is said of others" if kind is None else f"but of {kind} it is said"
        return f"Of {name} nothing here says “{said(relations[0].iri)}”, {others}."

    def _kind_having(self, relation: Relation, own: NodeSet) -> str | None:
        """The kind that has what nothing of this kind has; None where others of it do, or nobody knows."""
        classes = self._kb.schema.classes
        kinds = {kind for kind in self._kb.classes(own).tolist() if not classes[kind].hidden}
        domain = relation.domain
        if not kinds or domain is None or not kinds.isdisjoint((domain, *relation.other_domains)):
            return None
        if not kinds.isdisjoint(self._kb.classes_having(np.array([relation.id], np.int64)).tolist()):
            return None
        return None if classes[domain].hidden else plural(self._spoken.klass(classes[domain].iri))

    def nothing_found(self, question: str, links: Links, outcome: SearchOutcome) -> str:
        if not outcome.is_complete:
            return (
                "The search ran out of time before it found a program; ask more simply or allow more seconds."
            )
        unknown = dict(self._unknown_names(question, links)).values()
        if not links.mentions and not links.literals:
            start = "Nothing in the question names an entity or a value of this knowledge base."
        else:
            start = "No program over the linked entities has an answer in this knowledge base."
        return " ".join([start, *unknown])

    def missing(self, question: str, links: Links, best: Weighed) -> str:
        """What is not there, or was not understood, as far as the nearest reading tells."""
        names = dict(self._unknown_names(question, links))
        left = [question[one.word.start : one.word.end] for one in best.alignment.unused]
        unknown = [word for word in left if not any(word in name for name in names)]
        node = self._anchor(best.found)
        lacked = gap(links.read, best.found, self._kb)
        asked = self._asked(question, best)
        said = (
            self._nothing_called(unknown) if node is None else self._lacks(node, unknown, links.read, lacked)
        )
        return " ".join([*asked, *names.values(), *said]) or _UNLIKELY

    def doubt(self, question: str, links: Links, best: Weighed, others: Sequence[object]) -> str:
        """Why it is asked back: what the likeliest reading leaves out, or that there are several."""
        names = dict(self._unknown_names(question, links))
        words = [f"“{word}”" for word in best.alignment.words(question)[:MOST_NEAR]]
        why = " ".join([*names.values(), *([f"{listed(words)} was not understood."] if words else [])])
        return f"{why} {'Which of these is meant?' if others else 'Is this meant?'}".strip()

    def _asked(self, question: str, best: Weighed) -> Iterator[str]:
        """A form that is asked for and that the nearest reading has not."""
        for sign in best.alignment.unmet[:1]:
            yield f"{ASKS_FOR} {sign.form.value}{_quoted(question, sign)}, which no reading found here does."

    def _anchor(self, found: Found) -> int | None:
        """The one entity that was understood: a linked one, or the only one with a value that was stated."""
        for node in post_order(found.program):
            match node:
                case Entity(term):
                    return self._kb.node(term)
                case Join(relation, Value(literal)) if not relation.inverse:
                    known = self._kb.schema.relation_ids.get(relation.iri)
                    if known is not None:
                        whose = self._kb.subjects(known, self._kb.equal(literal))
                        if len(whose) == 1:
                            return int(whose.ids[0])
        return None

    def _unknown_names(self, question: str, links: Links) -> Iterator[tuple[str, str]]:
        """Names that were written and are nobody's here, and what to say of them."""
        linked = [(one.start, one.end) for one in links.mentions]
        linked += [(one.start, one.end) for one in links.literals]
        for start, stop in frame_of(question).names:
            name = _POSSESSIVE.sub("", question[start:stop])
            end = start + len(name)
            if any(first <= start and end <= last for first, last in linked) or _is_small(name):
                continue
            near = list(dict.fromkeys([*self._suggest(name, 3), *self._suggest(name.split()[0], 3)]))[:3]
            yield name, f"No entity is called {name}{f'; near: {listed(near)}' if near else ''}."

    def _lacks(
        self, node: int, unknown: Sequence[str], question: str, lacked: Relation | None
    ) -> Iterator[str]:
        """A gap in the facts is one that others do not have; one in the schema is everybody's."""
        own = self._kb.nodes(np.array([node], np.int64))
        (term,) = self._kb.terms(own.ids)
        name = self._spoken.value(term) if isinstance(term, Literal) else self._spoken.entity(term)
        relations = [relation for relation in self._kb.schema.relations if not relation.hidden]
        out = self._kb.out_relations(own).tolist()
        has = {*out, *self._kb.in_relations(own).tolist()}
        asked = {stem(word) for word in split(question)}
        kinds = [None, *self._kb.classes(own).tolist()]
        gaps = [] if lacked is None else [lacked]
        if gaps and self._stems[gaps[0].id].isdisjoint(asked) and self._kind_having(gaps[0], own) is not None:
            gaps = []  # the program tells it, and nobody asked for it
        gaps += [r for r in relations if r.domain in kinds and self._stems[r.id] <= asked and r.id not in out]
        for word in unknown:
            called = [r for r in relations if stem(word.lower()) in self._stems[r.id]]
            gaps += [r for r in called if r.id not in has and not has & {one.id for one in called}][:1]
        if gaps:
            yield self._has_none(name, own, list(dict.fromkeys(gaps))[:2])
        elif unknown:
            yield from self._nothing_called(unknown, f" of {name}")
        known = [self._kb.schema.relations[number] for number in out]
        shapes = [
            self._spoken.relation(r.iri) for r in known if not r.hidden and r.kinds != {ValueKind.BOOLEAN}
        ]
        if nouns := [with_article(one.many) for one in shapes if is_had(one)]:
            few = nouns[:MOST_NAMED]
            more = [f"{len(nouns) - len(few)} more"] if len(nouns) > len(few) else []
            yield f"{'It' if gaps or unknown else name} has {listed([*few, *more])}."

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        """Of what each relation is called: there may be thousands, and a refusal looks at all of them."""
        names = (self._spoken.words_of(relation.iri) for relation in self._kb.schema.relations)
        return [frozenset(map(stem, split(name))) for name in names]

    def _nothing_called(self, unknown: Sequence[str], of: str = "") -> Iterator[str]:
        if unknown:
            words = [f"“{word}”" for word in dict.fromkeys(unknown)]
            yield f"Nothing found here says {listed(words[:3], 'or')}{of}."


def _quoted(question: str, sign: Sign) -> str:
    """The words that ask for it; nothing where it is the question as a whole."""
    words = question[sign.start : sign.end]
    return "" if words == question else f" (“{words}”)"


def _is_small(name: str) -> bool:
    return all(stem(word.folded) in SMALL for word in words(name))
