"""What an endpoint says of its schema, and what its relations and classes are called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.names import Naming
from arcaneqa.kb.endpoint.patterns import either, unlike
from arcaneqa.kb.endpoint.queries import Queries, SelectQuery, batches, iris, only_number, whole_number
from arcaneqa.kb.names.called import schema_label
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.predicate_names import gives_types, lack_types, may_say_types
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Selection, is_about_classes
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Blank, Iri

# Facts of an endpoint that speak of its schema: small questions with much time, asked when it is
# opened.


DEADLINE = 900.0
"""Seconds. Looking over all facts takes longer than any question later on."""


class SchemaFacts:
    """`present` are the predicates that occur at all; others are not asked for."""

    def __init__(self, queries: Queries, present: Container[str]) -> None:
        self.queries = queries
        self._present = present

    def known(self, predicates: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in dict.fromkeys(predicates) if name in self._present)

    def ask(self, questions: Sequence[SelectQuery]) -> list[Row]:
        return [row for rows in self.queries.all(questions, DEADLINE) for row in rows]

    def pairs(self, predicates: Iterable[str]) -> set[tuple[str, str]]:
        """The different IRIs that one of the predicates relates."""
        if not (asked := self.known(predicates)):
            return set()
        rows = self.ask([SelectQuery(("?a", "?b"), f"?a {either(asked)} ?b")])
        return {(a.value, b.value) for a, b in rows if isinstance(a, Iri) and isinstance(b, Iri) and a != b}

    def named_pairs(self, predicates: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
        """All that each predicate relates, blank nodes included, which are named as in one answer."""
        if not (asked := self.known(predicates)):
            return {}
        found: dict[str, list[tuple[str, str]]] = {}
        question = SelectQuery(("?a", "?p", "?b"), f"VALUES ?p {{ {iris(asked)} }} ?a ?p ?b")
        for a, p, b in self.ask([question]):
            if isinstance(a, Iri | Blank) and isinstance(b, Iri | Blank) and isinstance(p, Iri):
                found.setdefault(p.value, []).append((_name(a), _name(b)))
        return found


def _name(node: Iri | Blank) -> str:
    return node.value if isinstance(node, Iri) else f"_:{node.label}"


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
        both = SelectQuery(
            ("?n", "?d"),
            f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(DISTINCT ?o) AS ?d) WHERE {{ {fact} }} }}",
        )
        [(subjects, types)] = facts.ask([both])
        [(number,)] = facts.ask([_counted(f"{fact} {untyped}")])
        gives = whole_number(number)
        if gives >= most and gives_types(gives, lacking, whole_number(subjects), whole_number(types)):
            best, most = name, gives
    return best


def _counted(where: str) -> SelectQuery:
    return SelectQuery(("?n",), f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {where} }} }}")


# What an endpoint's relations and classes are called, and which of them nobody asks for: by the
# rules of an index, from the facts that speak of the schema.


class EndpointWords:
    def __init__(self, facts: SchemaFacts, profile: Profile, predicates: Collection[str]) -> None:
        self._facts, self._profile, self._predicates = facts, profile, predicates
        self._selection = Selection(profile)
        self._called = dict(profile.called)
        self._naming = Naming(profile, predicates)
        self._labels: dict[str, str] = {}

    def learn(self, names: Sequence[str]) -> None:
        """Fetch the labels of these relations or classes, all together."""
        wanted = [*names, *(thing for name in names for thing in self._describing.get(name, ()))]
        wanted = [name for name in dict.fromkeys(wanted) if name not in self._labels]
        questions = [
            question for batch in batches(wanted) for question in self._naming.questions(iris(batch))
        ]
        found = self._naming.sorted_out(self._facts.queries.all(questions, DEADLINE))
        self._labels |= {
            node.value: " ".join(label.split())
            for node, called in found.items()
            if isinstance(node, Iri)
            if (label := schema_label(node.value, called.label, called.tier)) is not None
        }

    def label_of(self, name: str) -> str | None:
        """Its own label, that of a thing that describes it, or the profile's word for it."""
        for each in (name, *self._describing.get(name, ())):
            if each in self._labels:
                return self._labels[each]
        return self._called.get(name)

    def words_of(self, name: str) -> str:
        return self.label_of(name) or label_from_iri(name)

    def hides_class(self, name: str) -> bool:
        return self._selection.hides(name) or (self._profile.coded and self.label_of(name) is None)

    def hidden_relations(self, counts: Mapping[str, int], members: Mapping[str, int]) -> frozenset[str]:
        """By how many facts each relation has, and how many members are asserted of each class."""
        hidden = {name for name in self._predicates if self._hides(name)}
        hidden.update(self._plain_statements())
        subclasses = self._facts.known(self._profile.subclass)
        shown = (count for name, count in members.items() if not self._selection.hides(name))
        if is_about_classes(sum(counts[name] for name in subclasses), shown):
            hidden.difference_update(subclasses)
        hidden.update(self._described_as_hidden())
        return frozenset(hidden)

    def _hides(self, name: str) -> bool:
        label = self.label_of(name)
        return self._selection.hides(name, label) or (self._profile.coded and label is None)

    @cached_property
    def _describing(self) -> dict[str, list[str]]:
        """Relations, and the things that have their labels."""
        found: dict[str, list[str]] = {}
        for thing, relation in sorted(self._facts.pairs(self._profile.describes)):
            found.setdefault(relation, []).append(thing)
        return found

    def _described_as_hidden(self) -> set[str]:
        kinds: dict[str, set[str]] = {}
        for predicate, kind in self._profile.hide_described:
            kinds.setdefault(predicate, set()).add(kind)
        things = {
            thing
            for predicate, hidden in kinds.items()
            for thing, kind in self._facts.pairs((predicate,))
            if kind in hidden
        }
        return {name for name, by in self._describing.items() if things.intersection(by)}

    def _plain_statements(self) -> set[str]:
        """Relations to and from statements that nothing qualifies: the direct fact says the same."""
        if not self._profile.statements:
            return set()
        to, value, qualifies, direct = self._profile.statements
        names = [name.removeprefix(direct) for name in self._predicates if name.startswith(direct)]
        claims = {to + name: value + name for name in names if to + name in self._predicates}
        qualified: set[str] = set()
        if qualifiers := [name for name in self._predicates if name.startswith(qualifies)]:
            each = f"VALUES ?q {{ {iris(qualifiers)} }} ?c ?q ?v"
            questions = [
                SelectQuery(("?p",), f"VALUES ?p {{ {iri(claim)} }} ?x ?p ?c . FILTER EXISTS {{ {each} }}")
                for claim in sorted(claims)
            ]
            qualified = {row[0].value for row in self._facts.ask(questions) if isinstance(row[0], Iri)}
        plain = [(claim, of_value) for claim, of_value in claims.items() if claim not in qualified]
        return {name for pair in plain for name in pair if name in self._predicates}
