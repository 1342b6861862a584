"""Which relations have CONS constants: objects that a question implies without naming them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.short_names import Names

MOST_CONSTANTS = 512
"""Different objects of a relation that may be constants; a longer list is of things people name."""
MOST_TEXTS = 24
"""Texts that come again and again (M and F, Y and N) are fewer: a longer list is of names or remarks."""
FACTS_PER_CONSTANT = 3
"""On average at least so many facts share an object."""


def has_closed_range(relation: Relation) -> bool:
    """Whether many facts share few objects, as with gender, status or basic roles.

    The objects of an open range (films, places) grow with its facts; those of a closed one hardly do, so
    they stay below some multiple of the root of the number of facts. True and false are always few.
    """
    if relation.kinds == {ValueKind.BOOLEAN}:
        return True
    are_texts = relation.kinds == {ValueKind.TEXT}
    return (
        (are_texts or ValueKind.ENTITY in relation.kinds)
        and 0 < relation.objects <= (MOST_TEXTS if are_texts else MOST_CONSTANTS)
        and relation.facts >= FACTS_PER_CONSTANT * relation.objects
        and relation.objects**2 <= 8 * relation.facts
    )


def has_constants(relation: int, kb: KnowledgeBase) -> bool:
    """Whether CONS may use a relation: its range is closed, or the profile lists it."""
    known = kb.schema.relations[relation]
    if known.hidden:
        return False
    if has_closed_range(known):
        return True
    name = Names(kb.profile).short(known.iri) if kb.profile.constants else ""
    return any(fnmatchcase(name, pattern) for pattern in kb.profile.constants)
