"""What an endpoint's relations and classes are called, and which of them nobody asks for: by the rules of an
index, from the facts that speak of the schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from arcaneqa.kb.endpoint.naming import Naming
from arcaneqa.kb.endpoint.queries import Question, batches, iris
from arcaneqa.kb.endpoint.schema_facts import DEADLINE, SchemaFacts
from arcaneqa.kb.names.called import schema_label
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.selection import Selection, is_about_classes
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Iri


class Vocabulary:
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
                Question(("?p",), f"VALUES ?p {{ {iri(claim)} }} ?x ?p ?c . FILTER EXISTS {{ {each} }}")
                for claim in sorted(claims)
            ]
            qualified = {row[0].value for row in self._facts.ask(questions) if isinstance(row[0], Iri)}
        plain = [(claim, of_value) for claim, of_value in claims.items() if claim not in qualified]
        return {name for pair in plain for name in pair if name in self._predicates}
