"""Who does it to whom, where a relation is called by a verb: "who knows Fantine?" asks for those who know
her, "whom does Fantine know?" for those whom she knows."""

from __future__ import annotations

import re

from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.program import expression as ex

_THIRD_PERSON = re.compile(r"\b([a-z]{2,}[^s\W])s\b")
_ASKED = r"(?:who|(?:which|what|how\s+many)\s+\w+(?:\s+\w+){{0,2}}?)\s+{said}\s+(?:the\s+)?$"
_DOING = re.compile(r"\b(?:do|does|did)\s+(?:the\s+)?$")


def is_turned(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether the program takes the one who is named for whom it is done to, or the other way round, though
    the question says the relation in its own words."""
    for node in ex.post_order(found.program):
        match node:
            case ex.Join(ex.Relation(iri, inverse), ex.Entity() as entity):
                number = kb.schema.relation_ids.get(iri)
                label = "" if number is None else kb.schema.relations[number].label
                if _THIRD_PERSON.search(label) is None:
                    continue
                places = {(one.words.start, one.words.end) for one in found.topics if one.term == entity}
                if any(_says(question.lower(), label, inverse, *place) for place in places):
                    return True
    return False


def _says(question: str, label: str, inverse: bool, start: int, end: int) -> bool:
    """Whether the words around a name say the other way than `inverse` does."""
    before, behind = question[:start], question[end:].strip(" ?.!")
    if inverse:
        return not behind and re.match(_ASKED.format(said=_pattern(label)), before) is not None
    base = _pattern(_THIRD_PERSON.sub(r"\1", label))
    return _DOING.search(before) is not None and re.fullmatch(base, behind) is not None


def _pattern(label: str) -> str:
    return r"\s+".join(map(re.escape, label.lower().split()))
