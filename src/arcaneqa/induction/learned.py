"""What training programs teach induction about a vocabulary, beside what the facts show.

Facts show which relations have a closed range: few objects, which questions imply without naming them.
Programs teach such constants of relations with an open range too ("the House" is one of hundreds of
governmental bodies), and which relations date things, though the profile does not say so.
Also which forms the programs have: what a model never saw is better named than guessed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.language.expression import Cons, During, Expression, Value, post_order
from arcaneqa.language.forms import PAPER, Form, forms_of
from arcaneqa.support.errors import ModelError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.sealed import seal_again

FILE = "constants.json"
LEAST_PROGRAMS = 2
"""What a single program has may be an entity that its question failed to name."""

Constant = tuple[str, Iri | Literal]


@dataclass(frozen=True, slots=True)
class Learned:
    """`constants` are pairs of a relation's IRI and a term; `times` the IRIs of relations that TC used;
    `forms` what programs did, at the least what the paper's do."""

    constants: frozenset[Constant] = frozenset()
    times: frozenset[str] = frozenset()
    forms: frozenset[Form] = PAPER

    @classmethod
    def of(cls, programs: Iterable[Expression]) -> Learned:
        constants: Counter[Constant] = Counter()
        times: Counter[str] = Counter()
        forms: Counter[Form] = Counter()
        for program in programs:
            constants.update(set(_constants(program)))
            forms.update(forms_of(program))
            times.update({node.relation.iri for node in post_order(program) if isinstance(node, During)})
        return cls(
            frozenset(pair for pair, count in constants.items() if count >= LEAST_PROGRAMS),
            frozenset(iri for iri, count in times.items() if count >= LEAST_PROGRAMS),
            PAPER | {form for form, count in forms.items() if count >= LEAST_PROGRAMS},
        )

    def __or__(self, other: Learned) -> Learned:
        return Learned(self.constants | other.constants, self.times | other.times, self.forms | other.forms)

    def to_json(self) -> dict[str, Any]:
        rows = [
            [relation, term.value]
            if isinstance(term, Iri)
            else [relation, term.lexical, term.datatype, term.language]
            for relation, term in self.constants
        ]
        return {
            "constants": sorted(rows),
            "times": sorted(self.times),
            "forms": sorted(form.name for form in self.forms),
        }

    @classmethod
    def from_json(cls, data: Any) -> Learned:
        """Raises ValueError where the data is not what `to_json` gives."""
        try:
            rows, times = data["constants"], data["times"]
            texts = [*times, *(part for row in rows for part in row)]
        except (KeyError, TypeError):
            raise ValueError("it needs the lists 'constants' and 'times'") from None
        if not all(isinstance(text, str) for text in texts) or not all(len(row) in (2, 4) for row in rows):
            raise ValueError("a constant is a relation and an IRI, or a relation and a literal")
        constants = (
            (row[0], Iri(row[1]) if len(row) == 2 else Literal(row[1], row[2], row[3])) for row in rows
        )
        return cls(frozenset(constants), frozenset(times), _forms(data.get("forms", ())))

    def save(self, folder: Path) -> None:
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        with replacing(folder / FILE) as file:
            file.write(text + "\n")
        seal_again(folder)

    @classmethod
    def of_model(cls, folder: Path) -> Learned:
        """What a model's training programs taught; nothing where it was not written down."""
        path = folder / FILE
        try:
            return cls.from_json(plain_json(path))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, RecursionError) as error:
            raise ModelError(f"{path} cannot be read ({error}); train again or remove it.") from error


def _forms(names: Any) -> frozenset[Form]:
    try:
        return PAPER | {Form[name] for name in names}
    except (KeyError, TypeError):
        raise ValueError("it names forms that this version does not have") from None


def _constants(program: Expression) -> Iterator[Constant]:
    for node in post_order(program):
        if isinstance(node, Cons) and not node.relation.inverse:
            term = node.constant.literal if isinstance(node.constant, Value) else node.constant.term
            if isinstance(term, Iri | Literal):
                yield node.relation.iri, term


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
