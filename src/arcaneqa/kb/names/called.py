"""What a node is called: by its label or, where nobody gave it one, by the words of its IRI."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.languages import FOREIGN
from arcaneqa.kb.names.name_forms import is_code, name_from_iri, split
from arcaneqa.kb.terms import Iri, Term


def schema_label(iri: str, label: str | None, tier: int) -> str | None:
    """The label of a relation or class, unless it is in another language than is asked in and the words of
    the IRI say it as well: `CheeseTopping` where the label is "CoberturaDeQueijo"."""
    return None if tier == FOREIGN and not is_code(split(name_from_iri(iri))) else label


def label_of(kb: KnowledgeBase, term: Term) -> str | None:
    """The label alone; None where there is none, or no such node."""
    node = kb.node(term)
    return None if node is None else kb.labels(np.array([node], np.int64))[0]


def said_name(kb: KnowledgeBase, node: int) -> str | None:
    """What people would say for a node: its label, else the words of its IRI; None where these are a code or
    a number, as those of nodes that are only passed through."""
    ids = np.array([node], np.int64)
    (label,), (term,) = kb.labels(ids), kb.terms(ids)
    if label or kb.profile.coded or not isinstance(term, Iri):
        return label
    words = name_from_iri(term.value)
    return None if any(map(str.isdigit, words)) or is_code(split(words)) else words


def names_of(
    kb: KnowledgeBase, ids: Ids, of_iri: Callable[[str], str] = name_from_iri, nameless: str = ""
) -> list[str]:
    """For each node its label, else what `of_iri` makes of its IRI; `nameless` is what has neither."""
    labels = kb.labels(ids)
    without = [place for place, label in enumerate(labels) if not label]
    terms = dict(zip(without, kb.terms(ids[without]), strict=True)) if without else {}
    return [
        label or (of_iri(term.value) if isinstance(term := terms[place], Iri) else nameless)
        for place, label in enumerate(labels)
    ]
