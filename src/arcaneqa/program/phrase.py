"""A program in one English phrase, from the labels of its knowledge base."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from arcaneqa.kb import schema as kb_schema
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.words import label_from_iri, tail, words
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.kb.values import kind_of
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    Direction,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
)

_PREPOSITION = re.compile(r".+ (in|by|of|at|from|to|for|with|on|under|near|into|as|about|through|within)")
_VERB = re.compile(r"(is|are|was|has|have|\w+(ed|own|orn|ung|itten|iven)) .*")
_NUMBERS = {
    Comparison.LT: "less than",
    Comparison.LE: "at most",
    Comparison.GT: "more than",
    Comparison.GE: "at least",
}
_TIMES = {
    Comparison.LT: "before",
    Comparison.LE: "no later than",
    Comparison.GT: "after",
    Comparison.GE: "no earlier than",
}
_IRREGULAR = {"person": "people", "man": "men", "woman": "women", "child": "children", "series": "series"}


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun with what is said of it. `is_class`: the noun is a kind of thing, so others may join it."""

    noun: str
    said: tuple[str, ...] = ()
    is_class: bool = False

    def __str__(self) -> str:
        return " ".join((self.noun, *_linked(self.said)))

    def also(self, *more: str) -> _Phrase:
        return _Phrase(self.noun, self.said + more, self.is_class)


def paraphrase(program: Expression, kb: KnowledgeBase) -> str:
    """For example "cities located in France with the largest population"."""
    return str(_Speaker(kb).phrase(program))


class _Speaker:
    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb

    def phrase(self, node: Expression) -> _Phrase:
        match node:
            case Entity(term):
                return _Phrase(self.entity(term))
            case Value(literal):
                return _Phrase(literal.lexical or "nothing")
            case Class(iri):
                return _Phrase(_plural(self.class_words(iri)), is_class=True)
            case Join(relation, argument):
                if not relation.inverse:
                    return self.kind(relation).also(self.has(relation, str(self.phrase(argument))))
                return self.objects(relation, str(self.phrase(argument)))
            case And(left, right):
                return _merged(self.phrase(left), self.phrase(right))
            case Extreme(direction, argument, path):
                return self.phrase(argument).also(self.superlative(direction, path))
            case Compare(comparison, relation, value):
                return self.kind(relation).also(self.comparison(comparison, relation, value))
            case Count(argument):
                return _Phrase(f"the number of {self.phrase(argument)}")
            case Cons(argument, relation, constant):
                thing = str(self.phrase(constant))
                if relation.inverse:
                    return self.phrase(argument).also(f"that are {self.objects(relation, thing)}")
                return self.phrase(argument).also(self.has(relation, thing))
            case During(argument, _, when):
                time = "now" if isinstance(when, Now) else f"in {when.literal.lexical}"
                return self.phrase(argument).also(f"valid {time}")

    # Parts -----------------------------------------------------------------------------------

    def entity(self, term: Iri | Blank) -> str:
        node = self.kb.node(term)
        label = None if node is None else self.kb.labels(np.array([node], dtype=np.int64))[0]
        if label:
            return label
        if isinstance(term, Blank):
            return "something"
        # What needs no prefix is an id, not a word.
        name = Names(self.kb.profile).short(term.value)
        return label_from_iri(term.value) if ":" in name else name

    def known(self, relation: Relation) -> kb_schema.Relation | None:
        id = self.kb.schema.relation_ids.get(relation.iri)
        return None if id is None else self.kb.schema.relations[id]

    def relation_words(self, relation: Relation) -> str:
        known = self.known(relation)
        return _words(relation.iri, known.label if known else None)

    def class_words(self, iri: str) -> str:
        id = self.kb.schema.class_ids.get(iri)
        return _words(iri, None if id is None else self.kb.schema.classes[id].label)

    def kind(self, relation: Relation) -> _Phrase:
        """What has this relation, as far as the schema knows."""
        known = self.known(relation)
        domain = None if known is None or known.domain is None else self.kb.schema.classes[known.domain]
        if domain is None or domain.hidden:
            return _Phrase("things", is_class=True)
        return _Phrase(_plural(self.class_words(domain.iri)), is_class=True)

    def has(self, relation: Relation, thing: str) -> str:
        name = self.relation_words(relation)
        if _is_plural(name):
            return f"whose {name} include {thing}"
        if not _PREPOSITION.fullmatch(name):
            return f"whose {name} is {thing}"
        if not _VERB.fullmatch(name):
            return f"that are {name} {thing}"
        first, _, rest = name.partition(" ")
        verb = {"is": "that are", "was": "that were", "are": "that are", "has": "that have"}.get(first, first)
        return f"{verb} {rest} {thing}"

    def objects(self, relation: Relation, thing: str) -> _Phrase:
        name = self.relation_words(relation)
        if not _PREPOSITION.fullmatch(name):
            return _Phrase(f"the {name} of {thing}")
        if not _VERB.fullmatch(name):
            return _Phrase(f"the {name} {thing}")
        linked = name if re.match(r"(is|are|was|has|have) ", name) else f"is {name}"
        return _Phrase(f"what {thing} {linked}")

    def superlative(self, direction: Direction, path: tuple[Relation, ...]) -> str:
        *steps, last = path
        known = self.known(last)
        times = known is not None and ValueKind.TIME in known.kinds and ValueKind.NUMBER not in known.kinds
        if direction is Direction.LARGEST:
            word = "latest" if times else "largest"
        else:
            word = "earliest" if times else "smallest"
        said = f"with the {word} {self.relation_words(last)}"
        for step in reversed(steps):
            name = self.relation_words(step)
            said += f" of something whose {name} they are" if step.inverse else f" of their {name}"
        return said

    def comparison(self, comparison: Comparison, relation: Relation, value: Value) -> str:
        table = _TIMES if kind_of(value.literal) is ValueKind.TIME else _NUMBERS
        return f"whose {self.relation_words(relation)} is {table[comparison]} {value.literal.lexical}"


def _merged(left: _Phrase, right: _Phrase) -> _Phrase:
    """One noun for both: that of a class, which is more telling than "things"."""
    if right.is_class and (not left.is_class or left.noun == "things"):
        left, right = right, left
    if right.is_class:
        extra = () if right.noun in ("things", left.noun) else (f"that are {right.noun}",)
        return left.also(*extra, *right.said)
    return left.also(f"that are {right}")


def _linked(said: tuple[str, ...]) -> list[str]:
    follows = ("whose", "that")
    return [f"and {part}" if n and part.startswith(follows) else part for n, part in enumerate(said)]


def _words(iri: str, label: str | None) -> str:
    """The label; for a dotted name without one, its last part only, since the rest says the class."""
    if label and label != label_from_iri(iri):
        return label
    return words(tail(iri).rsplit(".", 1)[-1]) or label or iri


def _is_plural(name: str) -> bool:
    """Whether a relation's name speaks of several things: "versions", "games with this mode"."""
    head = re.split(r" (?:in|by|of|at|from|to|for|with|on|within)\b", name, maxsplit=1)[0]
    return re.search(r"[^sui]s$", head) is not None and not _VERB.fullmatch(name)


def _plural(noun: str) -> str:
    if " of " in noun:
        kind, _, rest = noun.partition(" of ")
        return f"{_plural(kind)} of {rest}"
    head, space, last = noun.rpartition(" ")
    lowered = last.lower()
    if lowered in _IRREGULAR:
        plural = _IRREGULAR[lowered]
    elif re.fullmatch(r".*[^aeiou]y", lowered):
        plural = last[:-1] + "ies"
    elif lowered.endswith(("s", "x", "ch", "sh")):
        plural = last if lowered.endswith("s") and not lowered.endswith("ss") else last + "es"
    else:
        plural = last + "s"
    return head + space + plural
