"""The predicate of an endpoint's facts that says what things are, where it is none that a profile knows."""

from __future__ import annotations

from collections.abc import Callable, Collection

from arcaneqa.kb.endpoint.patterns import either, unlike
from arcaneqa.kb.endpoint.queries import Question, only_number, whole_number
from arcaneqa.kb.endpoint.schema_facts import DEADLINE, SchemaFacts
from arcaneqa.kb.predicate_names import gives_types, lack_types, may_say_types
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.sparql.terms import iri


def find_type_predicate(
    facts: SchemaFacts,
    profile: Profile,
    links: Collection[str],
    hidden: Collection[str],
    words_of: Callable[[str], str],
) -> str | None:
    """Of the predicates that lead to things only (`links`), the visible one that says what most of the things
    without a type are, if there is one. Nothing is counted where no words speak for it."""
    candidates = [
        name for name in sorted(links) if name not in hidden and may_say_types(words_of(name).lower())
    ]
    if not candidates:
        return None
    things = f"?x ?p ?o . {unlike('?p', tuple(sorted(hidden)))}"
    if described := facts.known(profile.describes):
        things += f" FILTER NOT EXISTS {{ ?x {either(described)} ?d }}"
    typed = facts.known(profile.type)
    untyped = f"FILTER NOT EXISTS {{ ?x {either(typed)} ?t }}" if typed else ""
    all_things, lacking = (
        only_number(rows)
        for rows in facts.queries.all([_counted(things), _counted(f"{things} {untyped}")], DEADLINE)
    )
    if not lack_types(lacking, all_things):
        return None
    best, most = None, 0
    for name in candidates:
        fact = f"?x {iri(name)} ?o ."
        both = Question(
            ("?n", "?d"),
            f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(DISTINCT ?o) AS ?d) WHERE {{ {fact} }} }}",
        )
        [(subjects, types)] = facts.ask([both])
        [(number,)] = facts.ask([_counted(f"{fact} {untyped}")])
        gives = whole_number(number)
        if gives >= most and gives_types(gives, lacking, whole_number(subjects), whole_number(types)):
            best, most = name, gives
    return best


def _counted(where: str) -> Question:
    return Question(("?n",), f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {where} }} }}")
