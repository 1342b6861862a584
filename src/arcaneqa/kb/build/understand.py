"""What follows from the sorted facts: the profile they need, names, classes, and the schema in words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from urllib.parse import unquote

import numpy as np

from arcaneqa.kb.build.batches import Batches
from arcaneqa.kb.build.chains import Found, Steps, append_chains, find_chains
from arcaneqa.kb.build.classes import (
    Classes,
    classes_of_texts,
    find_classes,
    find_type_relation,
    read_pairs,
    write_classes,
)
from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.labels import Labels, language_tiers
from arcaneqa.kb.build.name_attributes import NAMING, Attributes, NameRule, find_name_rules
from arcaneqa.kb.build.schema import SchemaInputs, describe, read_declared
from arcaneqa.kb.build.sorted_facts import SortedFacts, write_lists
from arcaneqa.kb.diagnosis import Diagnosis, NamedThings
from arcaneqa.kb.index.lookup import open_terms
from arcaneqa.kb.index.store import Array, IndexDraft
from arcaneqa.kb.names.called import schema_label
from arcaneqa.kb.names.words import label_from_iri, tail
from arcaneqa.kb.ontology import Declarations
from arcaneqa.kb.profile import RDFS, SKOS, Profile
from arcaneqa.kb.schema import Schema, Selection, ValueKind, is_about_classes
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.terms import is_writable, written
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.support.terminal import Progress

Fame = Callable[[list[str]], Sequence[int]]
"""How many facts mention each of some IRIs."""
_WORD = re.compile(r"[^\W\d_][^\W\d_A-Z]{2,}")
"""Capitals alone are a code: `QUICK`, `PROJ-MGR`."""
_DEFINE = (RDFS + "comment", SKOS + "definition")
_SAMPLE = 50
"""Entities whose IRIs tell whether those of a class are codes."""
_ROW = "urn:row:"
_BLANK = "_:"
"""What the IRIs of rows of tables begin with (`tables/triples.py`)."""


@dataclass(frozen=True)
class Understood:
    """The schema, the profile with what was found out, and what there is to tell of it."""

    schema: Schema
    profile: Profile
    diagnosis: Diagnosis


class Understanding:
    """Works out everything from the facts of one build, step by step."""

    def __init__(
        self,
        batches: Batches,
        dictionary: Dictionary,
        facts: SortedFacts,
        profile: Profile,
        draft: IndexDraft,
        fame: Fame | None = None,
    ) -> None:
        self._fame = fame
        self._facts, self._dictionary, self._profile, self._draft = facts, dictionary, profile, draft
        self._iris, self._types = list(batches.predicates), batches.types
        self._ids = {iri: number for number, iri in enumerate(self._iris)}
        self._selection = Selection(profile)
        self._terms = terms = open_terms(draft.load, self._types, {})
        self._node_of = cache(lambda iri: terms.find(Iri(iri)))  # of schema items, each asked for often
        self._labels = Labels(facts, dictionary, language_tiers(self._types, profile.language), draft)
        self._called = dict(profile.called)
        self._texts_of_classes: dict[int, tuple[str, str]] = {}
        """Texts that are types, by node: the IRI that their class gets, and the text."""
        self._chains: list[Found] = []

    def derive(self, told: Declarations, why: str, progress: Progress) -> Understood:
        """`why` is what spoke for the profile."""
        profile = self._profile
        names = tuple(iri for iri in profile.names if iri not in profile.alias)
        labels = self._known((*profile.label, *names))
        self._labels.read(labels, self._known(profile.alias), self._known(_DEFINE))
        hidden = self._hidden_relations()
        if (kind := self._type_relation(hidden)) is not None:
            profile = dataclasses.replace(profile, type=(*profile.type, self._iris[kind]))
            self._profile = profile
            self._texts_of_classes = self._told_types(kind)
            hidden[kind] = not self._texts_of_classes  # a text may still be asked for
        if not (profile.base or profile.statements):  # there the model knows the steps
            hidden = self._with_chains(hidden)
        write_lists(self._facts, self._dictionary, hidden, self._draft, progress)
        self._write_degrees()
        progress("describing the schema", 0, None)
        labelled = self._labels.are_given
        declared = read_declared(self._facts, self._ids, profile, self._name_of, told)
        classes = self._classes(declared)
        hidden_classes = np.array(
            [self._selection.hides(iri) or self._is_code(iri) for iri in classes.iris], bool
        )
        entities, nodes = self._dictionary.entities, self._dictionary.nodes
        write_classes(classes, hidden_classes, entities, nodes, self._draft)
        rules = self._name(classes, hidden, hidden_classes)
        inputs = SchemaInputs(
            self._facts,
            self._dictionary,
            self._iris,
            hidden,
            classes,
            hidden_classes,
            declared,
            profile,
            self._label_of,
            {each.iri: each.chain for each in self._chains},
        )
        schema = self._with_texts(describe(inputs, self._draft))
        return Understood(schema, profile, self._diagnosis(schema, classes, labelled, rules, why))

    def _known(self, iris: tuple[str, ...]) -> list[int]:
        return [self._ids[iri] for iri in dict.fromkeys(iris) if iri in self._ids]

    # Chains ----------------------------------------------------------------------------------

    def _with_chains(self, hidden: Array) -> Array:
        """Add relations that lead through nodes which only join things; which relations are hidden then."""
        first = self._dictionary.entities + self._dictionary.numbers + self._dictionary.times
        shown = np.flatnonzero(~hidden).tolist()
        is_named = self._labels.are_given
        for relation in shown:
            if self._words(self._iris[relation]).split()[-1] in NAMING:
                is_named[self._facts.rows("out", relation).keys] = True
        steps = Steps(
            self._facts,
            self._iris,
            shown,
            self._known(self._profile.type),
            is_named,
            self._dictionary.entities,
            (first, first + self._dictionary.booleans),
            lambda relation: self._words(self._iris[relation]),
            self._said,
            self._written,
            self._says,
        )
        self._chains = find_chains(steps)
        if not self._chains:
            return hidden
        self._facts = append_chains(self._facts, self._chains, self._dictionary.nodes, self._draft)
        self._labels.facts = self._facts
        for each in self._chains:
            self._called[each.iri] = each.label
            self._ids[each.iri] = len(self._iris)
            self._iris.append(each.iri)
            if each.hides is not None:
                hidden[each.hides] = True
        return np.append(hidden, np.zeros(len(self._chains), bool))

    def _said(self, node: int) -> str | None:
        """What people say for a node before it has a name: its label, else the words of its IRI, else a text
        that it has."""
        if node >= self._dictionary.entities:
            return self._terms.literals[node - self._dictionary.entities]
        literal = int(self._labels.literals[node])
        if literal < self._dictionary.nodes:
            return self._terms.literals[literal - self._dictionary.entities]
        name = self._terms.entities[node]
        if not name.startswith((_BLANK, _ROW)) and _WORD.search(tail(name)):
            return label_from_iri(name)
        first_text = self._dictionary.nodes - self._dictionary.text
        for _, rows in self._facts.every("out"):
            place = int(np.searchsorted(rows.keys, rows.keys.dtype.type(node)))
            if place < len(rows.keys) and rows.keys[place] == node:
                value = int(rows.values[rows.offsets[place]])
                text = self._terms.literals[value - self._dictionary.entities] if value >= first_text else ""
                if _WORD.search(text):
                    return text
        return None

    def _written(self, node: int) -> str | None:
        term = self._terms[node]
        return written(term) if isinstance(term, Iri | Literal) and is_writable(term) else None

    # Names -----------------------------------------------------------------------------------

    def _name(self, classes: Classes, hidden: Array, hidden_classes: Array) -> list[tuple[NameRule, int]]:
        """Name what has no name yet by its attributes."""
        is_schema = self._schema_nodes(classes)
        # What something is also called may be asked for, and does not name it.
        hidden = hidden.copy()
        hidden[self._known(self._profile.alias)] = True
        given = Attributes(
            self._facts,
            classes,
            hidden_classes,
            hidden,
            self._dictionary.nodes - self._dictionary.text,
            self._dictionary.entities,
            [self._words(iri) for iri in classes.iris],
            lambda relation: self._words(self._iris[relation]),
            lambda literals: self._terms.literals.many(literals.astype(np.int64) - self._dictionary.entities),
            self._are_codes,
            self._are_keys,
        )
        rules = find_name_rules(given, self._labels.are_given, is_schema)
        counts = self._labels.name_by(rules, classes, is_schema)
        self._labels.save()
        return [(rule, count) for rule, count in zip(rules, counts, strict=True) if count]

    def _are_codes(self, nodes: Array) -> bool:
        """Whether their IRIs say nothing. Things without one have no code either: what a build calls them is
        chance."""
        names = [name for name in self._some_names(nodes) if not name.startswith(_BLANK)]
        # The name of a table says nothing of its rows.
        said = (name.rpartition(".")[2] if name.startswith(_ROW) else tail(name) for name in names)
        return 2 * sum(bool(_WORD.search(one)) for one in said) < len(names)

    def _some_names(self, nodes: Array) -> list[str]:
        sample = nodes[:: max(1, len(nodes) // _SAMPLE)][:_SAMPLE].astype(np.int64)
        return self._terms.entities.many(sample)

    def _are_keys(self, nodes: Array, texts: Sequence[str]) -> bool:
        names = self._terms.entities.many(nodes.astype(np.int64))
        return all(
            name.startswith(_ROW) and unquote(name).endswith(f".{text.strip()}")
            for name, text in zip(names, texts, strict=True)
        )

    def _schema_nodes(self, classes: Classes) -> Array:
        """Entities that are relations, classes, or describe relations."""
        found = np.zeros(self._dictionary.entities, bool)
        for iri in (*self._iris, *classes.iris):
            node = self._node_of(iri)
            if node is not None:
                found[node] = True
        found[self._describing[0]] = True
        return found

    @cached_property
    def _describing(self) -> tuple[Array, Array]:
        """Entities that describe relations, and the nodes of these."""
        return read_pairs(self._facts, self._known(self._profile.describes))

    def _words(self, iri: str) -> str:
        return " ".join((self._label_of(iri) or label_from_iri(iri)).lower().split())

    def _label_of(self, iri: str) -> str | None:
        node = self._node_of(iri)
        if node is not None:
            describing = self._describing[0][self._describing[1] == node]
            for each in (node, *describing.tolist()):
                literal = int(self._labels.literals[each])
                if literal < self._dictionary.nodes:
                    label = " ".join(self._terms.literals[literal - self._dictionary.entities].split())
                    if (said := schema_label(iri, label, self._labels.tier(literal))) is not None:
                        return said
        return self._called.get(iri)

    def _diagnosis(
        self, schema: Schema, classes: Classes, labelled: Array, rules: list[tuple[NameRule, int]], why: str
    ) -> Diagnosis:
        profile, names = self._profile, Names(self._profile)
        is_thing, typed = np.zeros((2, self._dictionary.entities), bool)
        shown = [relation for relation in schema.relations if not relation.hidden]
        for relation in shown:
            is_thing[self._facts.rows("out", relation.id).keys] = True
        typed[classes.nodes] = True
        is_thing &= ~self._schema_nodes(classes)
        is_unnamed = is_thing & ~self._labels.are_given
        unnamed = np.flatnonzero(is_unnamed)
        spoken = (
            [r for r in shown if ValueKind.TEXT in r.kinds and not r.is_identifier] if len(unnamed) else []
        )
        spoken.sort(key=lambda r: -int(is_unnamed[self._facts.rows("out", r.id).keys].sum()))
        by_iri = len(unnamed) if self._says(unnamed) else 0
        return Diagnosis(
            profile.name,
            why,
            int(is_thing.sum()),
            int((is_thing & labelled).sum()),
            [names.short(self._iris[each]) for each in self._known((*profile.label, *profile.names))],
            [
                NamedThings(
                    None if rule.klass is None else self._words(classes.iris[rule.klass]),
                    [self._words(self._iris[each]) for each in rule.relations],
                    count,
                    None if rule.klass is None else classes.iris[rule.klass],
                    [self._iris[each] for each in rule.relations],
                )
                for rule, count in rules
            ],
            by_iri,
            int((is_thing & typed).sum()),
            [names.short(self._iris[each]) for each in self._known(profile.type)],
            len(schema.relations) - len(shown),
            [relation.label for relation in shown if relation.is_identifier and relation.comparable],
            spoken=[names.short(relation.iri) for relation in spoken[:3]],
            joined=[each.label for each in self._chains],
            nameless=[] if by_iri else self._nameless(schema, classes),
        )

    def _nameless(self, schema: Schema, classes: Classes) -> list[str]:
        """Classes most of whose members have no name, the largest first."""
        unnamed = np.bincount(
            classes.classes, ~self._labels.are_given[classes.nodes], minlength=len(schema.classes)
        )
        shown = [klass for klass in schema.classes if klass.members and not klass.hidden]
        found = [klass for klass in shown if 2 * unnamed[klass.id] > klass.members]
        return [klass.label for klass in sorted(found, key=lambda klass: -klass.members)]

    # Classes and relations -------------------------------------------------------------------

    def _type_relation(self, hidden: Array) -> int | None:
        is_typed, is_schema = np.zeros((2, self._dictionary.entities), bool)
        is_typed[read_pairs(self._facts, self._known(self._profile.type))[0]] = True
        is_schema[self._describing[0]] = True
        first_text = self._dictionary.nodes - self._dictionary.text
        return find_type_relation(
            self._facts,
            hidden,
            is_typed,
            is_schema,
            first_text,
            lambda relation: self._words(self._iris[relation]),
        )

    def _told_types(self, relation: int) -> dict[int, tuple[str, str]]:
        nodes = np.unique(self._facts.rows("out", relation).values).astype(np.int64)
        nodes = nodes[nodes >= self._dictionary.entities]
        texts = self._terms.literals.many(nodes - self._dictionary.entities)
        iris = classes_of_texts(self._iris[relation], texts)
        return {
            node: (iri, text)
            for node, iri, text in zip(nodes.tolist(), iris, texts, strict=True)
            if iri is not None and self._node_of(iri) is None
        }

    def _with_texts(self, schema: Schema) -> Schema:
        texts = dict(self._texts_of_classes.values())
        if not texts:
            return schema
        classes = [dataclasses.replace(klass, text=texts.get(klass.iri)) for klass in schema.classes]
        return dataclasses.replace(schema, classes=classes)

    def _classes(self, declared: Declarations) -> Classes:
        iris, profile = self._iris, self._profile
        nodes, kinds = read_pairs(self._facts, self._known(profile.type))
        kept = (kinds < self._dictionary.entities) | np.isin(kinds, list(self._texts_of_classes))
        if len(self._describing[0]):
            kept &= ~np.isin(nodes, self._describing[0])
        nodes, kinds = nodes[kept], kinds[kept]
        things = np.unique(kinds[kinds < self._dictionary.entities])
        names = {node: self._terms.entities[node] for node in things.tolist()}
        names |= {node: iri for node, (iri, _) in self._texts_of_classes.items()}
        names = {node: name for node, name in names.items() if not name.startswith("_:")}
        mentioned = [
            iri
            for iri in {*(declared.domains.get(r) for r in iris), *(declared.ranges.get(r) for r in iris)}
            if iri is not None and not iri.startswith("_:") and not self._selection.hides(iri)
        ]
        return find_classes((nodes, kinds), names, declared.parents, mentioned, profile.closed_classes)

    def _hidden_relations(self) -> Array:
        hidden = np.array(
            [self._selection.hides(iri, self._label_of(iri)) or self._is_code(iri) for iri in self._iris],
            bool,
        )
        hidden[self._plain_statements()] = True
        if self._is_about_classes():
            hidden[self._known(self._profile.subclass)] = False
        things, described = self._describing
        for predicate, kind in self._profile.hide_described:
            node = self._terms.find(Iri(kind))
            if node is None or predicate not in self._ids:
                continue
            subjects, objects = read_pairs(self._facts, [self._ids[predicate]])
            for relation in described[np.isin(things, subjects[objects == node])].tolist():
                if (number := self._ids.get(self._terms.entities[relation])) is not None:
                    hidden[number] = True
        return hidden

    def _is_about_classes(self) -> bool:
        subclasses = sum(len(self._facts.rows("out", r).values) for r in self._known(self._profile.subclass))
        rows = (self._facts.rows("in", relation) for relation in self._known(self._profile.type))
        counted = (zip(each.keys.tolist(), each.counts.tolist(), strict=True) for each in rows)
        members = (
            count
            for kinds in counted
            for kind, count in kinds
            if not self._selection.hides(self._name_of(kind))
        )
        return is_about_classes(subclasses, members)

    def _plain_statements(self) -> list[int]:
        """Relations to and from statements that nothing qualifies: the direct fact says the same."""
        if not self._profile.statements:
            return []
        to, value, qualifies, direct = self._profile.statements
        is_qualified = np.zeros(self._dictionary.nodes, bool)
        for iri, number in self._ids.items():
            if iri.startswith(qualifies):
                is_qualified[self._facts.rows("out", number).keys] = True
        found = []
        for iri in self._iris:
            name = iri.removeprefix(direct)
            if name == iri or (claim := self._ids.get(to + name)) is None:
                continue
            if not is_qualified[self._facts.rows("in", claim).keys].any():
                found += [claim, *self._known((value + name,))]
        return found

    def _is_code(self, iri: str) -> bool:
        """Whether its IRI says nothing, and nothing else does: `P31` without a label."""
        return self._profile.coded and self._label_of(iri) is None and not _WORD.search(tail(iri))

    def _name_of(self, node: int) -> str:
        return self._terms.entities[node] if node < self._dictionary.entities else "_:literal"

    def _says(self, nodes: Array) -> bool:
        """Whether the IRIs of these tell what they are: neither blank nodes nor codes."""
        are_blank = all(name.startswith(_BLANK) for name in self._some_names(nodes))
        return not are_blank and not self._are_codes(nodes)

    def _write_degrees(self) -> None:
        degrees: Array = np.zeros(self._dictionary.nodes, np.int64)
        for way in ("out", "in"):
            for _, rows in self._facts.every(way):
                degrees[rows.keys] += rows.counts
        if self._fame is not None:
            entities = np.arange(self._dictionary.entities)
            degrees[entities] = self._fame(self._terms.entities.many(entities))
        self._draft.save(
            "degrees", degrees.astype(np.uint32 if degrees.max(initial=0) < 1 << 32 else np.int64)
        )
