"""Languages of texts: which names are preferred, and which of several languages was asked for."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.terms import Literal

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
