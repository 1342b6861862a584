"""Programs as noun phrases: "the longest river that flows through Ohio", in many ways."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import leaves
from arcaneqa.synthesis.attributes import generic
from arcaneqa.synthesis.comparison_words import compared
from arcaneqa.synthesis.idioms import idiom, verb_forms
from arcaneqa.synthesis.inflection import (
    gerund,
    is_plural,
    participle,
    past,
    plural,
    singular,
    third_person,
    with_article,
)
from arcaneqa.synthesis.lexicon import Lexicon, Words
from arcaneqa.synthesis.phrases import Modifier, Phrase
from arcaneqa.synthesis.relations import Shape, is_person

FIRST_MARK = 0xE000
"""Names and values stand as private characters until the text is done: no change of letters hurts them."""


class UnspeakableError(Exception):
    """Something has no name, or there is no natural way to say it."""


class Speaker:
    """Words for one question: every choice is drawn from `rng`, every name gets a mark.

    A `careful` one says whole sentences only.
    """

    def __init__(self, lexicon: Lexicon, rng: Random, careful: bool = False) -> None:
        self.lexicon = lexicon
        self.rng = rng
        self.careful = careful
        self.marks: list[tuple[ex.Entity | ex.Value, str]] = []
        self.moments: list[str] = []
        """Times at which nodes without names are meant; they close the question."""

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # Names -----------------------------------------------------------------------------------

    def mark(self, term: ex.Entity | ex.Value) -> str:
        """The private character that stands for a name or a value of the question."""
        match term:
            case ex.Entity(Iri() | Blank() as name):
                surface = self.lexicon.entity(name, self.rng)
            case ex.Value(literal):
                surface = self.lexicon.value(literal, self.rng)
        if surface is None:
            raise UnspeakableError
        self.marks.append((term, surface))
        return chr(FIRST_MARK + len(self.marks) - 1)

    def constant(self, term: ex.Entity | ex.Value) -> str:
        """The words of a constant that the question implies rather than names: no mark."""
        surface = (
            self.lexicon.name(term.term)
            if isinstance(term, ex.Entity)
            else self.lexicon.value(term.literal, self.rng)
        )
        if surface is None:
            raise UnspeakableError
        if isinstance(term, ex.Entity) and surface.endswith(("a", "rope")) and self.chance(0.5):
            return f"{surface}{'n' if surface.endswith('a') else 'an'}"
        return surface if self.chance(0.3) else surface.lower()

    # Noun phrases ----------------------------------------------------------------------------

    def phrase(self, expression: ex.Expression, many: bool) -> Phrase:
        match expression:
            case ex.Entity() | ex.Value():
                return Phrase(name=self.mark(expression))
            case ex.Class():
                return Phrase(self.class_noun(expression), many=many)
            case ex.Join(relation, argument) if relation.inverse:
                return self.reached(expression, many)
            case ex.Join() if (named := self.kin(expression, many)) is not None:
                return named
            case ex.Join() | ex.Compare():
                return Phrase(self.subject_noun(expression), many=many, after=(self.modifier(expression),))
            case ex.And(left, right):
                return self.conjunction(left, right, many)
            case ex.Extreme(direction, argument, tuple() as path):
                return self.superlative(direction, argument, path)
            case ex.Cons(argument, relation, constant):
                return self.constrained(self.phrase(argument, many), relation, constant)
            case ex.During(argument, _, when):
                return self.dated(self.phrase(argument, many), when)
        raise UnspeakableError

    def class_noun(self, klass: ex.Class) -> str:
        """A class by its label, now and then by the last word of it: chemical element, element."""
        noun = self.lexicon.klass(klass)
        return self.lexicon.short(noun) if self.chance(0.3) else noun

    def kin(self, join: ex.Join, many: bool) -> Phrase | None:
        """ "members of NATO", "NATO members": the noun that the relation itself gives, now and then."""
        words = self.lexicon.relation(join.relation)
        if (
            words.wording.shape is not Shape.MEMBER
            or not isinstance(join.argument, ex.Entity)
            or self.chance(0.5)
        ):
            return None
        x = self.mark(join.argument)
        if self.chance(0.4):
            return Phrase(words.wording.words, before=(x,), many=many)
        return Phrase(words.wording.words, owner=x, many=many)

    def compound(self, noun: str, part: ex.Expression, many: bool) -> Phrase | None:
        """ "Republican presidents", "Texas cities": the name before the noun, now and then."""
        if not isinstance(part, ex.Join) or part.relation.inverse:
            return None
        topic, words = part.argument, self.lexicon.relation(part.relation)
        is_word = isinstance(topic, ex.Value) and topic.literal.lexical.isalpha()
        if not isinstance(topic, ex.Entity | ex.Value) or not (is_word or isinstance(topic, ex.Entity)):
            return None
        if words.wording.shape is not Shape.NOUN or not self.chance(0.2):
            return None
        return Phrase(noun, before=(self.mark(topic),), many=many)

    def subject_noun(self, expression: ex.Expression) -> str:
        """What the members of a set without a class are called."""
        match expression:
            case ex.Join(relation, _) | ex.Compare(_, ex.Relation() as relation, _):
                words = self.lexicon.relation(relation)
                noun = words.range if relation.inverse else words.domain
                return noun or "thing"
        return "thing"

    def reached(self, join: ex.Join, many: bool) -> Phrase:
        """What a relation leads to: "the capital of X", "the countries that X borders"."""
        words, argument = self.chain(join)
        wording = words.wording
        if wording.shape is Shape.NOUN:
            owner = self.phrase(argument, many=isinstance(argument, ex.And | ex.Not))
            if owner.name is not None and self.chance(0.35):
                return Phrase(wording.words, before=(f"{owner.name}'s",), many=many, unique=True)
            return Phrase(wording.words, owner=owner.say(), many=many)
        noun = words.range or ("person" if wording.shape is Shape.AGENT else "thing")
        return Phrase(noun, many=many, after=(self.modifier(join),))

    def chain(self, join: ex.Join) -> tuple[Words, ex.Expression]:
        """The relation and its argument; across a node without a name, two relations are one."""
        words = self.lexicon.relation(join.relation)
        inner = join.argument
        when = inner.when if isinstance(inner, ex.During) else None
        if isinstance(inner, ex.During):
            inner = inner.argument
        if isinstance(inner, ex.Join) and self.lexicon.is_nameless(inner):
            if when is not None:
                self.moments.append(self.moment(when))
            other = self.lexicon.relation(inner.relation)
            label = self.pick(words.label, words.label, other.label, f"{other.label} {words.label}")
            merged = replace(
                words, label=label, domain=other.domain if join.relation.inverse else words.domain
            )
            return merged, inner.argument
        return words, join.argument

    def conjunction(self, left: ex.Expression, right: ex.Expression, many: bool) -> Phrase:
        parts = leaves(ex.And(left, right), ex.And)
        classes = [part for part in parts if isinstance(part, ex.Class)]
        sets = [part for part in parts if not isinstance(part, ex.Class)]
        if (not classes and sets and isinstance(sets[0], ex.Join) and sets[0].relation.inverse) or (
            sets and isinstance(sets[0], ex.Extreme | ex.Cons | ex.During)
        ):
            head, sets = self.phrase(sets[0], many), sets[1:]
        else:
            noun = self.class_noun(classes[0]) if classes else self.subject_noun(sets[0])
            named = self.compound(noun, sets[0], many) if sets else None
            head, sets = (named, sets[1:]) if named is not None else (Phrase(noun, many=many), sets)
        if len(classes) > 1:
            head = replace(head, after=(Modifier.adverbial(self.lexicon.klass(classes[1])), *head.after))
        return replace(head, after=(*head.after, *(self.modifier(part) for part in sets)))

    def superlative(
        self, direction: ex.Direction, argument: ex.Expression, path: tuple[ex.Relation, ...]
    ) -> Phrase:
        head = self.phrase(argument, many=False)
        if head.name is not None:
            raise UnspeakableError
        words = self.lexicon.relation(path[-1])
        special, common = words.attribute, generic(words.is_time)
        largest = direction is ex.Direction.LARGEST
        if len(path) > 1:
            return replace(head, after=(*head.after, self.far_superlative(path, largest)), unique=True)
        before = (special.most if largest else special.least) if special else ()
        after = (special.most_with if largest else special.least_with) if special else ()
        if words.is_event and not (before and self.chance(0.6)):
            order = ("most recently", "last") if largest else ("first", "earliest")
            before = tuple(f"{word} {words.event}" for word in order)
        if words.is_event or (before and (not after or self.chance(0.6)) and self.chance(0.85)):
            return replace(head, before=(self.rng.choice(before), *head.before), unique=True)
        if not after or self.chance(0.25):
            after = common.most_with if largest else common.least_with
        text = self.rng.choice(after).format(r=words.label)
        return replace(head, after=(*head.after, Modifier.having(text)), unique=True)

    def far_superlative(self, path: tuple[ex.Relation, ...], largest: bool) -> Modifier:
        """ "whose capital has the most people"."""
        near, words = self.lexicon.relation(path[0]), self.lexicon.relation(path[-1])
        common = generic(words.is_time)
        special = words.attribute
        choices = (special.most_with if largest else special.least_with) if special else ()
        if not choices or self.chance(0.3):
            choices = common.most_with if largest else common.least_with
        text = self.rng.choice(choices).format(r=words.label)
        if path[0].inverse:
            noun = near.domain or "thing"
            text = f"the {noun} with {text}"
            return Modifier.having(text)
        if words.is_event:
            order = self.pick("last", "most recently") if largest else "first"
            return Modifier.having(f"the {near.range or 'thing'} {words.event} {order}")
        noun = (
            near.wording.words if near.wording.shape in (Shape.NOUN, Shape.MEMBER) else near.range or "thing"
        )
        return Modifier(
            f"whose {noun} has {text}", f"have the {noun} with {text}", f"has the {noun} with {text}"
        )

    def constrained(self, head: Phrase, relation: ex.Relation, constant: ex.Entity | ex.Value) -> Phrase:
        words, surface = self.lexicon.relation(relation), self.constant(constant)
        if self.chance(0.6) and head.name is None and not head.has_owner_first and len(surface.split()) < 3:
            return replace(head, before=(surface, *head.before))
        text = self.pick(
            f"{words.label} {surface}", f"{surface} {words.label}", f"{surface} as {words.label}"
        )
        return replace(head, after=(*head.after, Modifier.having(text)))

    def dated(self, head: Phrase, when: ex.Value | ex.Now) -> Phrase:
        if isinstance(when, ex.Now) and self.chance(0.6):
            return replace(head, before=(self.pick("current", "present"), *head.before))
        return replace(head, after=(*head.after, Modifier.adverbial(self.moment(when))))

    def moment(self, when: ex.Value | ex.Now) -> str:
        if isinstance(when, ex.Now):
            return self.pick("now", "today", "at the moment", "currently")
        mark = self.mark(when)
        if when.literal.datatype.endswith(("#date", "#dateTime")):
            return self.pick(f"on {mark}", f"as of {mark}")
        return self.pick(f"in {mark}", f"in {mark}", f"during {mark}", f"from {mark}")

    # Modifiers -------------------------------------------------------------------------------

    def modifier(self, expression: ex.Expression) -> Modifier:
        match expression:
            case ex.Compare(comparison, ex.Relation() as relation, ex.Value() as value):
                return compared(comparison, self.lexicon.relation(relation), self.mark(value), self.rng)
            case ex.Join(relation, _):
                words, argument = self.chain(expression)
                target = self.phrase(argument, many=False)
                return self.leading(words, target) if relation.inverse else self.holding(words, target)
        raise UnspeakableError

    def holding(self, words: Words, target: Phrase) -> Modifier:
        """Said of those that have the relation to the target."""
        wording, x = words.wording, target.say()
        verb, tail = wording.words, wording.tail
        that = "who" if is_person(words.domain) and self.chance(0.8) else "that"
        if words.is_event and target.name is not None:
            return Modifier.adverbial(
                f"{words.event} {self.pick('in', 'on') if words.is_time else 'with'} {x}"
            )
        if (saying := idiom(words.label)) is not None and self.chance(0.5):
            options = [Modifier.adverbial(text.format(y=x, r=words.label)) for text in saying.holders]
            forms = [verb_forms(base, rest.format(y=x)) for base, rest in saying.verbs]
            options += [Modifier.clause(that, *form) for form in forms for _ in range(2)]
            if saying.has:
                options += self.possessions(target)
            if options:
                return self.rng.choice(options)
        match wording.shape:
            case Shape.NOUN:
                their = "their" if that == "who" else "its"
                options = [
                    Modifier(f"whose {verb} is {x}", f"have {x} as {verb}", f"has {x} as {their} {verb}"),
                    Modifier(f"whose {verb} is {x}", f"have the {verb} {x}", f"has the {verb} {x}"),
                    Modifier.having(f"{verb} {x}"),
                    Modifier.having(f"{x} as {verb}"),
                    Modifier.clause(that, f"have {x} as their {verb}", f"has {x} as its {verb}"),
                ]
            case Shape.AGENT:
                done = participle(verb)
                options = [
                    Modifier.adverbial(f"{done} by {x}"),
                    Modifier(f"that {x} {past(verb)}", f"did {x} {verb}", f"did {x} {verb}"),
                    Modifier.adverbial(f"{done} by {x}"),
                ]
            case Shape.STATE:
                options = [Modifier.adverbial(f"{participle(verb)} {tail} {x}")]
                if verb in ("locate", "situate", "base", "bear"):
                    options.append(Modifier.adverbial(f"{'born ' if verb == 'bear' else ''}{tail} {x}"))
            case Shape.VERB:
                after = f"{tail} {x}".strip()
                options = [
                    Modifier.clause(that, f"{verb} {after}", f"{third_person(verb)} {after}"),
                    Modifier(f"{gerund(verb)} {after}", f"{verb} {after}", f"{third_person(verb)} {after}"),
                ]
            case Shape.MEMBER:
                one = with_article(singular(verb))
                options = [
                    Modifier.clause("that", f"are {plural(verb)} of {x}", f"is {one} of {x}"),
                    Modifier.adverbial(f"of {x}"),
                    self.possessions(target)[0],
                ]
        return self.rng.choice(options)

    def possessions(self, owner: Phrase) -> list[Modifier]:
        """ "which rivers does Texas have", said of rivers."""
        x, does = owner.say(), "do" if owner.takes_plural_verb else "does"
        has = f"{does} {x} have"
        return [Modifier(f"in {x}", has, has), Modifier(f"of {x}", f"are there in {x}", f"is there in {x}")]

    def leading(self, words: Words, source: Phrase) -> Modifier:
        """Said of those that the relation leads to from the source."""
        wording, x = words.wording, source.say()
        verb, tail = wording.words, wording.tail
        does = "do" if source.takes_plural_verb else "does"
        are, third = ("are", verb) if source.takes_plural_verb else ("is", third_person(verb))
        match wording.shape:
            case Shape.NOUN:
                one = f"is one of the {verb} of {x}" if is_plural(verb) else f"is the {verb} of {x}"
                return Modifier.clause("that", f"are {plural(verb)} of {x}", one)
            case Shape.AGENT:
                text = f"{past(verb)} {x}"
                return Modifier(f"{'who' if is_person(words.range) else 'that'} {text}", text, text)
            case Shape.STATE:
                inner = f"{are} {x} {participle(verb)} {tail}"
                return Modifier(f"that {x} {are} {participle(verb)} {tail}", inner, inner)
            case Shape.VERB:
                inner = f"{does} {x} {verb} {tail}".strip()
                return Modifier(f"that {x} {third} {tail}".strip(), inner, inner)
            case Shape.MEMBER:
                noun = with_article(singular(verb))
                inner = f"{are} {x} {noun} of"
                return Modifier(f"that {x} {are} {noun} of", inner, inner)
