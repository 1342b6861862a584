"""What a program says in a question: phrases as in `program.phrase`, in varied words, every name marked."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace
from datetime import date
from random import Random

import numpy as np

from arcaneqa.induction.vocabulary import class_words, relation_words
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.called import said_name
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.lab.synthesis.facts import is_name
from arcaneqa.lab.synthesis.words import Attribute, any_attribute, attribute, idiom
from arcaneqa.language import expression as ex
from arcaneqa.language.english import (
    NounForms,
    Phrase,
    Predicate,
    SaidAs,
    ordinal,
    plural,
    shape,
    singular,
    with_article,
)
from arcaneqa.language.phrase import Measures, Speaker
from arcaneqa.language.spoken import Spoken

FIRST_MARK = 0xE000
"""Names and values stand as private characters until the text is done: no change of letters hurts them."""
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
_SUFFIX = re.compile(r"(?<=\w) (?:ids?|codes?|name|key)$")
_THIRD = {"have": "has", "go": "goes"}
_NOBODY: Set[int] = frozenset()


class UnspeakableError(Exception):
    """Something has no name by which a question could call it."""


class Words(Spoken):
    """Names as people write them in a question: aliases, round numbers, and no brackets that tell apart."""

    def __init__(self, kb: KnowledgeBase, rng: Random) -> None:
        super().__init__(kb)
        self.rng = rng
        self.marks: list[tuple[ex.Entity | ex.Value, str]] = []
        self.implied: Set[ex.Entity | ex.Value] = frozenset()
        """Constants that the question says without naming an entity: they get no mark."""

    def begin(self, implied: Set[ex.Entity | ex.Value]) -> None:
        self.marks, self.implied = [], implied

    def _marked(self, term: ex.Entity | ex.Value, text: str) -> str:
        if term in self.implied:
            return text
        self.marks.append((term, text))
        return chr(FIRST_MARK + len(self.marks) - 1)

    def entity(self, term: Iri | Blank) -> str:
        """The mark of its name or, now and then, of an alias."""
        node = self._kb.node(term)
        name = None if node is None else said_name(self._kb, node)
        if node is None or name is None or not is_name(name):
            raise UnspeakableError
        if self.rng.random() < 0.2:
            aliases = self._kb.aliases(np.array([node], np.int64))[0]
            name = self.rng.choice([alias for alias in aliases if is_name(alias)] or [name])
        return self._marked(ex.Entity(term), name)

    def value(self, literal: Literal, relation: str | None = None) -> str:  # noqa: ARG002
        return self.written(literal)

    def written(self, literal: Literal) -> str:
        return self._marked(ex.Value(literal), _as_people_write(literal, self.rng))

    def label(self, iri: str) -> str:
        """A relation in running text, without the "id" of what it leads to."""
        known = self._kb.schema.relations[self._kb.schema.relation_ids[iri]]
        text = _plain(relation_words(known))
        return _SUFFIX.sub("", text) if self.range(iri) is not None else text

    def relation(self, iri: str, owners: Set[int] = _NOBODY) -> Predicate:  # noqa: ARG002
        return shape(self.label(iri))

    def noun(self, iri: str) -> str:
        """What a relation leads to: its label, or a class where that is no noun."""
        noun = self.label(iri) if self.relation(iri).kind is SaidAs.NOUN else self.range(iri)
        if noun is None:
            raise UnspeakableError
        return noun

    def owned(self, iri: str) -> Predicate:
        return self.relation(iri)

    def klass(self, iri: str) -> str:
        return self._class_words(self._kb.schema.class_ids[iri]) or "thing"

    def domain(self, iri: str) -> str | None:
        return self._class_words(self._kb.schema.relations[self._kb.schema.relation_ids[iri]].domain)

    def range(self, iri: str) -> str | None:
        """What a relation to entities leads to."""
        known = self._kb.schema.relations[self._kb.schema.relation_ids[iri]]
        return self._class_words(known.range) if ValueKind.ENTITY in known.kinds else None

    def attribute(self, iri: str) -> tuple[Attribute, Attribute] | None:
        """How people speak of a quantity or date, and what can be said of any; None for other relations."""
        known = self._kb.schema.relations[self._kb.schema.relation_ids[iri]]
        if ValueKind.ENTITY in known.kinds or not known.kinds & {ValueKind.NUMBER, ValueKind.TIME}:
            return None
        return attribute(self.label(iri)) or Attribute(), any_attribute(self.is_time(iri))

    def _class_words(self, klass: int | None) -> str | None:
        return None if klass is None else singular(_plain(class_words(self._kb.schema.classes[klass])))


class QuestionSpeaker(Speaker):
    """Phrases in the words of `words.toml` where it has some; every choice is drawn at random."""

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self.words, self.rng = words, words.rng
        self.measures = _QuestionMeasures(words, self.phrase)

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def phrase(self, node: ex.Expression) -> Phrase:
        match node:
            case ex.Not(argument, ex.Join(relation, ex.Class() as klass)) if relation.inverse:
                return self.phrase(argument).also(
                    _same(f"without {self.pick('', 'any ')}{self._many(klass)}")
                )
            case ex.Not(argument, ex.Join(relation, (ex.Entity() | ex.Value()) as value)):
                return self.phrase(argument).also(self._not(relation, value))
            case ex.Extreme(direction, argument, (ex.Relation(iri, False),), first, last):
                words = self.words.attribute(iri)
                special = words[0] if words else Attribute()
                best = special.most if direction is ex.Direction.LARGEST else special.least
                members = self.phrase(argument)
                if members.is_cut:
                    raise UnspeakableError
                if best and members.the is None and self.chance(0.7):
                    rank = f"{ordinal(last)} " if first == last > 1 else f"{last} " if last > 1 else ""
                    return _before(f"{rank}{self.rng.choice(best)}", members)
        return super().phrase(node)

    def both(self, conditions: list[ex.Expression]) -> Phrase:
        """With the class that a relation comes from, where the program names none."""
        found = super().both(conditions)
        noun = next(filter(None, map(self._home, conditions)), None) if found.bare else None
        return replace(found, noun=NounForms(plural(noun), with_article(noun)), bare=False) if noun else found

    def _home(self, node: ex.Expression) -> str | None:
        match node:
            case (
                ex.Join(ex.Relation(iri, False)) | ex.Has(ex.Relation(iri, False)) | ex.Like(ex.Relation(iri))
            ):
                return self.words.domain(iri)
            case ex.Compare(_, ex.Relation(iri)):
                return self.words.domain(iri)
        return None

    def part(self, node: ex.Expression, owners: Set[int]) -> NounForms:
        match node:
            case ex.Compare(key=ex.Counted(), value=ex.Value(literal)) if literal.lexical == "1":
                found = super().part(node, owners)
                return replace(found, inner=singular(found.inner))
            case ex.Compare(sign, ex.Relation(iri), value):
                return self._compared(sign, iri, value) or super().part(node, owners)
            case ex.Join(relation, ex.Join(back, ex.Entity() as other)) if back == ex.Relation(
                relation.iri, inverse=True
            ):
                return _same(f"with the same {self.words.label(relation.iri)} as {self.phrase(other).one}")
            case ex.Join(relation, ex.Class() as klass) if relation.inverse:
                with_ = self.pick("with", "with", "that have", "that have some")
                return NounForms(f"{with_} {self._many(klass)}", f"with {self._many(klass)}")
            case ex.During(_, _, when):
                now = self.pick("now", "today", "at the moment")
                return _same(now if isinstance(when, ex.Now) else f"in {self.words.written(when.literal)}")
        return super().part(node, owners)

    def has(self, relation: str, thing: Phrase, owners: Set[int] = _NOBODY) -> NounForms:
        found, label, y = self.words.relation(relation), self.words.label(relation), thing.one
        saying = idiom(label)
        if self.chance(0.5) and (saying.holders or saying.verbs):
            options = [_same(text.format(y=y, r=label)) for text in saying.holders]
            for verb, rest in saying.verbs:
                said = rest.format(y=y)
                options.append(
                    NounForms(f"that {verb} {said}", f"that {_THIRD.get(verb) or plural(verb)} {said}")
                )
            return self.rng.choice(options)
        if found.kind is SaidAs.NOUN and self.chance(0.6):
            return self.rng.choice(
                (
                    _same(f"with {y} as {found.many}"),
                    _same(f"with {found.many} {y}"),
                    NounForms(f"that have {y} as their {found.many}", f"that has {y} as its {found.many}"),
                    NounForms(f"that have the {found.many} {y}", f"that has the {found.many} {y}"),
                )
            )
        return super().has(relation, thing, owners)

    def objects(self, relation: str, thing: Phrase) -> Phrase:
        found = self.words.relation(relation)
        if found.kind is SaidAs.NOUN and thing.is_name and self.chance(0.3):
            x, name = thing.alone, found.many
            return Phrase(NounForms(f"{x}'s {plural(name)}", f"{x}'s {singular(name)}"), the=f"{x}'s {name}")
        kind = self.words.range(relation)
        if found.kind is not SaidAs.NOUN and kind is not None:
            does = f"that {self._does(found, thing)}"
            return Phrase(NounForms(f"{plural(kind)} {does}", f"{kind} {does}"))
        return super().objects(relation, thing)

    def _many(self, klass: ex.Class) -> str:
        return plural(self.words.klass(klass.iri))

    def _not(self, relation: ex.Relation, value: ex.Entity | ex.Value) -> NounForms:
        """ "that are not located in France", "whose colour is not red"."""
        found, y = self.words.relation(relation.iri), self.phrase(value).one
        match found.kind:
            case SaidAs.STATE:
                return NounForms(f"that are not {found.many} {y}", f"that is not {found.one} {y}")
            case SaidAs.VERB:
                return NounForms(f"that do not {found.many} {y}", f"that does not {found.many} {y}")
        noun = found.many
        return self.rng.choice(
            (
                _same(f"whose {noun} is not {y}"),
                _same(f"with {with_article(noun)} other than {y}"),
                NounForms(f"that do not have {y} as {noun}", f"that does not have {y} as {noun}"),
            )
        )

    def _compared(self, sign: Comparison, iri: str, value: ex.Expression) -> NounForms | None:
        """ "taller than 5", "with a price of at most 3", "with an above-average age"; or None."""
        words = self.words.attribute(iri)
        if words is None or sign is Comparison.EQ:
            return None
        special, common = words
        label, over = self.words.label(iri), sign in (Comparison.GT, Comparison.GE)
        if isinstance(value, ex.Aggregate):
            side = "above" if over else "below"
            text = self.pick(f"{with_article(label)} {side} the average", f"{side}-average {label}")
            return _same(f"with {text}")
        said = value.argument if isinstance(value, ex.Join) else value
        if not isinstance(said, ex.Entity | ex.Value) or self.chance(0.2):
            return None
        plain = special.over if over else special.under
        if sign in (Comparison.GE, Comparison.LE):
            if self.words.is_time(iri):
                return None
            v = self.phrase(said).one
            bound = self.pick(f"at least {v}", f"no less than {v}", f"{v} or more")
            if not over:
                bound = self.pick(f"at most {v}", f"no more than {v}", f"up to {v}", f"{v} or less")
            return _same(f"with {with_article(label)} of {bound}")
        if isinstance(said, ex.Entity):
            plain = tuple(text for text in plain if " than " in text and not text.startswith(("that", "who")))
        if plain and self.chance(0.7):
            return _same(_filled(self.rng.choice(plain), label, self.phrase(said).one))
        if isinstance(said, ex.Entity):
            more = (
                self.pick("a higher", "a larger", "a greater") if over else self.pick("a lower", "a smaller")
            )
            if self.words.is_time(iri):
                more = "a later" if over else "an earlier"
            return _same(f"with {more} {label} than {self.phrase(said).one}")
        having = (special.over_with if over else special.under_with) or (
            common.over_with if over else common.under_with
        )
        return _same(f"with {_filled(self.rng.choice(having), label, self.phrase(said).one)}")


class _QuestionMeasures(Measures):
    """What is counted by its class: "products" rather than "products whose supplier they are"."""

    _spoken: Words

    def superlative(self, node: ex.Extreme, owners: Set[int]) -> str:
        largest, rng = node.direction is ex.Direction.LARGEST, self._spoken.rng
        match node.key:
            case (ex.Relation(iri, False),) if node.last == 1 and rng.random() < 0.7:
                words = self._spoken.attribute(iri)
                if words is not None:
                    special, common = ((one.most_with if largest else one.least_with) for one in words)
                    said = special if special and rng.random() < 0.7 else common
                    return f"with {rng.choice(said).format(r=self._spoken.label(iri))}"
        return super().superlative(node, owners)

    def counted(self, key: ex.Counted, owners: Set[int]) -> str:
        if len(key.path) != 1 or key.within is not None:
            return super().counted(key, owners) if key.within is None else self._phrase(key.within).many
        (step,) = key.path
        return plural(
            (self._spoken.domain(step.iri) or "thing") if step.inverse else self._spoken.noun(step.iri)
        )

    def path(self, path: ex.Path, owners: Set[int]) -> str:
        return self._spoken.noun(path[0].iri) if len(path) == 1 else super().path(path, owners)

    def _step(self, step: ex.Relation, start: str, owners: Set[int]) -> str:
        noun = self._spoken.domain(step.iri) if step.inverse and not start else None
        return f"their {plural(noun)}" if noun is not None else super()._step(step, start, owners)


def _filled(template: str, label: str, value: str) -> str:
    return template.replace("a {r}", with_article(label)).format(r=label, v=value)


def _same(words: str) -> NounForms:
    return NounForms(words, words)


def _before(adjective: str, members: Phrase) -> Phrase:
    one = re.sub(r"^an? ", "", members.noun.one)
    noun = replace(members.noun, many=f"{adjective} {members.noun.many}", one=f"{adjective} {one}")
    return replace(members, noun=noun, is_cut=True, bare=False)


def _plain(label: str) -> str:
    """A label as running text: no brackets, no capitals but those of acronyms."""
    text = re.sub(r"\s*[(\[].*?[)\]]", "", label).replace("_", " ").strip() or label
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in text.split())


def _as_people_write(literal: Literal, rng: Random) -> str:
    """A literal as people write it: 5,000,000 or 5 million; 3 May 1999."""
    kind, text = literal.datatype.removeprefix(XSD), literal.lexical
    if kind in ("date", "dateTime") and (found := re.match(r"(\d{4})-(\d\d)-(\d\d)", text)):
        day = date(int(found[1]), int(found[2]), int(found[3]))
        shapes = (f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%B} {day.year}", f"{day:%Y-%m-%d}")
        return rng.choice(shapes)
    if kind == "gYear":
        return text.lstrip("0") or text
    try:
        number = float(text)
    except ValueError:
        return text
    if number != int(number) or abs(number) >= 10**15:
        return f"{number:.10g}"
    for scale, name in _SCALES:
        short = number / scale
        if abs(short) >= 1 and round(short, 1) == short and rng.random() < 0.5:
            return f"{short:g} {name}"
    return f"{int(number):,}" if abs(number) >= 1000 and rng.random() < 0.4 else str(int(number))
