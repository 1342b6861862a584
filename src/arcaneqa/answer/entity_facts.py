"""What is known of one entity: its classes, and its facts relation by relation, in both directions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcaneqa.answer.describe import items_of
from arcaneqa.kb.interface import Ids, KnowledgeBase, NodeSet, Step
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.language.english import SaidAs, shape
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links, MentionLink
from arcaneqa.record import AnswerItem
from arcaneqa.support.errors import ArcaneError, NotFound
from arcaneqa.verdict.frame import asked_alone

PAGE = 10
"""Values of a relation that are shown at a time: most relations have fewer, and a screen holds several."""
NEAR = 5
"""Namesakes that are listed, and near names that an error proposes."""


@dataclass(frozen=True, slots=True)
class RelationFacts:
    """One page of what a relation leads to; `inverse` where the entity is the object of these facts."""

    relation: str
    label: str
    inverse: bool
    values: tuple[AnswerItem, ...]
    total: int

    @property
    def heading(self) -> str:
        """What stands before the values: "mayor", "is capital of", "discovered by this"."""
        if not self.inverse:
            return self.label
        return f"is {self.label} of" if shape(self.label).kind is SaidAs.NOUN else f"{self.label} this"

    def to_json(self) -> dict[str, Any]:
        return {
            "relation": self.relation,
            "label": self.label,
            "inverse": self.inverse,
            "values": [item.to_json() for item in self.values],
            "total": self.total,
        }


@dataclass(frozen=True, slots=True)
class Facts:
    """An entity; `namesakes` are others of the same name."""

    entity: AnswerItem
    classes: tuple[str, ...]
    relations: tuple[RelationFacts, ...]
    namesakes: tuple[AnswerItem, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            **self.entity.to_json(),
            "classes": list(self.classes),
            "facts": [relation.to_json() for relation in self.relations],
            "namesakes": [item.to_json() for item in self.namesakes],
        }


def facts_about(
    kb: KnowledgeBase, node: int, page: int = 0, namesakes: Ids | None = None, only: Step | None = None
) -> Facts:
    """Page `page` of every relation that the entity has, or of one; those without it are left out."""
    nodes = kb.nodes(np.array([node], np.int64))
    classes = [kb.schema.classes[klass] for klass in kb.classes(nodes).tolist()]
    others = np.empty(0, np.int64) if namesakes is None else namesakes
    return Facts(
        items_of(kb, nodes.ids)[0],
        tuple(klass.label for klass in classes if not klass.hidden),
        tuple(_relations(kb, node, page * PAGE, only)),
        items_of(kb, others[:NEAR]),
    )


def _relations(kb: KnowledgeBase, node: int, start: int, only: Step | None) -> Iterator[RelationFacts]:
    names, nodes = Names(kb.profile), kb.nodes(np.array([node], np.int64))
    for step in [only] if only is not None else _steps(kb, nodes):
        known = kb.schema.relations[step.relation]
        if known.hidden:
            continue
        found = kb.walk(step, nodes).ids
        if values := items_of(kb, found[start : start + PAGE]):
            yield RelationFacts(names.short(known.iri), known.label, step.inverse, values, len(found))


def _steps(kb: KnowledgeBase, nodes: NodeSet) -> list[Step]:
    return [
        *(Step(relation, False) for relation in kb.out_relations(nodes).tolist()),
        *(Step(relation, True) for relation in kb.in_relations(nodes).tolist()),
    ]


def step_named(kb: KnowledgeBase, relation: str, inverse: bool) -> Step:
    """A relation by its short name or IRI, as `RelationFacts` names it."""
    try:
        known = kb.schema.relation_ids.get(Names(kb.profile).expand(relation))
    except ArcaneError:
        known = None
    if known is None:
        raise NotFound(f"There is no relation “{relation}” in this knowledge base.")
    return Step(known, inverse)


def asked_about(question: str, links: Links, kb: KnowledgeBase) -> tuple[Facts, float] | None:
    """The facts of the one entity that a question names and asks nothing else of ("Who is X?"), and how
    likely it is that one."""
    span = asked_alone(question)
    if span is None:
        return None
    for mention in links.mentions:
        nodes = np.array([candidate.node for candidate in mention.candidates], np.int64)
        is_literal = kb.are_literals(nodes).any()
        if (mention.start, mention.end) == span and not is_literal and _is_called(mention, kb):
            likely = math.exp(mention.score + mention.candidates[0].score)
            return facts_about(kb, int(nodes[0]), namesakes=nodes[1:]), likely
    return None


def _is_called(mention: MentionLink, kb: KnowledgeBase) -> bool:
    """Whether half of a name is said at least, where its words are said: an airport called after Napoleon
    Bonaparte is not Napoleon."""
    best = mention.candidates[0]
    said = split(mention.text)
    (aliases,) = kb.aliases(np.array([best.node], np.int64))
    names = [split(name) for name in (best.label, *aliases)]
    holding = [name for name in names if set(said) <= set(name)]
    return not holding or any(2 * len(said) >= len(name) for name in holding)


def find_entity(kb: KnowledgeBase, linker: Linker, name: str) -> tuple[int, Ids]:
    """The entity that an IRI, a short name or a name means, and others of that name, the best known first."""
    try:
        term = Names(kb.profile).read(name)
        node = kb.node(term)
    except ArcaneError:
        node = None
    if node is not None:
        return node, np.empty(0, np.int64)
    found = [node for node in linker.named(name) if not isinstance(kb.terms(np.array([node]))[0], Literal)]
    if found:
        return found[0], np.array(found[1:], np.int64)
    near = ", ".join(f"“{candidate.label}”" for candidate in linker.suggest(name, NEAR))
    raise NotFound(f"No entity is called “{name}”" + (f"; near: {near}." if near else "."))
