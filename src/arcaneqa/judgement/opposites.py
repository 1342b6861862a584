"""Names of which the question says the opposite: who asks for first names wants no last names."""

from __future__ import annotations

from functools import lru_cache

from arcaneqa.judgement.asked import REMEMBERED
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.program import expression as ex

_PAIRS = (
    ("first", "last"),
    ("start", "end"),
    ("begin", "end"),
    ("open", "close"),
    ("opening", "closing"),
    ("arrival", "departure"),
    ("arrive", "depart"),
    ("birth", "death"),
    ("home", "away"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("low", "high"),
    ("lowest", "highest"),
    ("upper", "lower"),
    ("gross", "net"),
    ("source", "target"),
    ("origin", "destination"),
    ("winning", "losing"),
    ("north", "south"),
    ("east", "west"),
    ("left", "right"),
    ("male", "female"),
    ("domestic", "international"),
)
"""Words before a noun of which only one can be meant."""
_OPPOSITES: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITES.setdefault(root_of(_one), set()).add(root_of(_other))
    _OPPOSITES.setdefault(root_of(_other), set()).add(root_of(_one))


def says_opposite(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a relation of the program is what the question says but for one word, and for that word the
    question has the opposite; what the question says both of ("first and last names") may be either."""
    said = _roots(question)
    if _OPPOSITES.keys().isdisjoint(said):
        return False
    iris = {relation.iri for node in ex.post_order(program) for relation in ex.relations(node)}
    known = [
        kb.schema.relations[kb.schema.relation_ids[iri]] for iri in iris if iri in kb.schema.relation_ids
    ]
    return any(_is_turned_round(_roots(relation.label), said) for relation in known)


def _is_turned_round(name: tuple[str, ...], said: tuple[str, ...]) -> bool:
    for place, word in enumerate(name):
        if len(name) > 1 and word not in said:
            for other in _OPPOSITES.get(word, ()):
                turned = (*name[:place], other, *name[place + 1 :])
                if any(said[start : start + len(turned)] == turned for start in range(len(said))):
                    return True
    return False


@lru_cache(REMEMBERED)
def _roots(text: str) -> tuple[str, ...]:
    return tuple(root_of(word) for word in split(text))
