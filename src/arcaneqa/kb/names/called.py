"""What a node is called, in which language, and by the words of its IRI where nobody named it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.name_forms import is_code, name_from_iri, split
from arcaneqa.kb.terms import Iri, Literal, Term

# Languages of texts: which names are preferred, and which of several languages was asked for.


_MOST = 10_000
"""Texts; where more are found, nobody asked for one of them in a language."""
_CODES = {
    "arabic": "ar",
    "bulgarian": "bg",
    "catalan": "ca",
    "chinese": "zh",
    "croatian": "hr",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hebrew": "he",
    "hindi": "hi",
    "hungarian": "hu",
    "irish": "ga",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "latin": "la",
    "latvian": "lv",
    "lithuanian": "lt",
    "norwegian": "no",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "serbian": "sr",
    "slovak": "sk",
    "slovenian": "sl",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
    "ukrainian": "uk",
    "vietnamese": "vi",
    "welsh": "cy",
}


PREFERRED, UNTAGGED, FOREIGN = 0, 1, 2
"""How good a name is by its language; smaller is better."""


def tier_of(tag: str, language: str) -> int:
    """Of a language tag, in lower case, where names in `language` are preferred."""
    if tag in ("", "mul", "und"):  # for all languages, or nobody knows
        return UNTAGGED
    return PREFERRED if tag == language or tag.startswith(f"{language}-") else FOREIGN


def in_asked_language(kb: KnowledgeBase, question: str, ids: Ids) -> Ids:
    """Of texts in several languages, those in one that the question names, else those in the preferred one;
    all where there are none, or where what is not text is among them. What English and British English write
    alike is one text."""
    if not 1 < len(ids) <= _MOST or not kb.are_literals(ids).all():
        return ids
    terms = [term for term in kb.terms(ids) if isinstance(term, Literal)]
    tags = [term.language.lower() for term in terms]
    spoken = np.array([tag.split("-")[0] for tag in tags])
    if len(set(tags)) < 2:
        return ids
    named = [_CODES[word] for word in split(question) if word in _CODES]
    for wanted in (named, [kb.profile.language]):
        found = np.isin(spoken, wanted)
        if found.any():
            alike = {terms[place].lexical: place for place in reversed(np.flatnonzero(found).tolist())}
            return ids[sorted(alike.values())]
    return ids


# What a node is called: by its label or, where nobody gave it one, by the words of its IRI.


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
