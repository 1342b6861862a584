"""A program in one English phrase, which says all that the program says and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import lru_cache
from weakref import WeakKeyDictionary

from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.english import (
    SOMETHING,
    THINGS,
    NounForms,
    Phrase,
    Predicate,
    SaidAs,
    is_participle,
    is_plural,
    listed,
    named,
    ordinal,
    plural,
    singular,
    states,
    with_article,
)
from arcaneqa.language.spoken import Spoken

# What members are ordered, counted or compared by, in words: "population of their capital".


_TOTALS = {
    ex.Aggregation.SUM: "total",
    ex.Aggregation.AVG: "average",
    ex.Aggregation.MAX: "maximum",
    ex.Aggregation.MIN: "minimum",
}
_EXTREMES = {True: ("earliest", "latest"), False: ("smallest", "largest")}
_NOBODY: Set[int] = frozenset()


class Measures:
    """`phrase` says what a set is called. `owners` are the classes that members are said to have."""

    def __init__(self, spoken: Spoken, phrase: Callable[[ex.Expression], Phrase]) -> None:
        self._spoken = spoken
        self._phrase = phrase

    def key(self, key: ex.Key, owners: Set[int]) -> str:
        """ "population", "number of official languages", "average of price of their orders"."""
        match key:
            case ex.Counted(()):
                return "number"
            case ex.Counted():
                return f"number of {self.counted(key, owners)}"
            case ex.Totalled(function, path):
                return f"{self.total(function, path)} of {self.path(path, owners)}"
            case ():
                return "name"
            case _:
                return self.path(key, owners)

    def total(self, function: ex.Aggregation, path: ex.Path) -> str:
        if function in (ex.Aggregation.MAX, ex.Aggregation.MIN) and self.is_time(path):
            return _EXTREMES[True][function is ex.Aggregation.MAX]
        return _TOTALS[function]

    def superlative(self, node: ex.Extreme, owners: Set[int]) -> str:
        """ "with the largest population", "with the 3 highest numbers of products"."""
        is_largest, is_several = node.direction is ex.Direction.LARGEST, node.first == 1 < node.last
        if isinstance(node.key, ex.Counted):
            things = self.counted(node.key, owners)
            if node.last == 1:
                return f"with the {'most' if is_largest else 'fewest'} {things}"
            word, name = "highest" if is_largest else "lowest", f"number of {things}"
        else:
            is_time = isinstance(node.key, tuple) and self.is_time(node.key)
            word, name = _EXTREMES[is_time][is_largest], self.key(node.key, owners)
        return f"with the {_ranks(node.first, node.last)}{word} {plural(name) if is_several else name}"

    def first(self, key: ex.Key) -> str:
        """What comes first in falling order: "largest", "latest"."""
        return _EXTREMES[isinstance(key, tuple) and bool(key) and self.is_time(key)][True]

    def is_time(self, path: ex.Path) -> bool:
        return self._spoken.is_time(path[-1].iri)

    def counted(self, key: ex.Counted, owners: Set[int]) -> str:
        """ "official languages", "products whose supplier they are"."""
        *steps, last = key.path
        within = None if key.within is None else self._phrase(key.within)
        start = self._reached(tuple(steps), owners)
        home = _NOBODY if steps else owners
        if last.inverse:
            return f"{(within or THINGS).closed} {self._leading_here(last, start)}"
        shape = self._spoken.relation(last.iri, home)
        if shape.kind is SaidAs.NOUN:
            said = plural(shape.many) + (f" of {start}" if start else "")
        else:
            said = "things " + self._away(last, start, home).removeprefix("what ")
        return said if within is None else f"{said} among {within.closed}"

    def path(self, path: ex.Path, owners: Set[int]) -> str:
        """What a path leads to from a member: "population of their capital"."""
        *steps, last = path
        start = self._reached(tuple(steps), owners)
        home = _NOBODY if steps else owners
        shape = self._spoken.relation(last.iri, home)
        if last.inverse or shape.kind is not SaidAs.NOUN:
            return self._step(last, start, home)
        return f"{shape.many} of {start}" if start else shape.many

    def _reached(self, path: ex.Path, owners: Set[int]) -> str:
        """Where a path leads to; nothing for the member itself."""
        there = ""
        for place, step in enumerate(path):
            there = self._step(step, there, owners if place == 0 else _NOBODY)
        return there

    def _step(self, step: ex.Relation, start: str, owners: Set[int]) -> str:
        if step.inverse:
            return f"things {self._leading_here(step, start)}"
        return self._away(step, start, owners)

    def _away(self, step: ex.Relation, start: str, owners: Set[int]) -> str:
        """ "their capital", "what they are located in"."""
        shape = self._spoken.relation(step.iri, owners)
        if shape.kind is SaidAs.NOUN:
            return f"the {shape.many} of {start}" if start else f"their {shape.many}"
        if shape.kind is SaidAs.VERB:
            return f"what {start} {shape.one}" if start else f"what they {shape.many}"
        many, one = states(shape)
        return f"what {start} is {one}" if start else f"what they are {many}"

    def _leading_here(self, step: ex.Relation, start: str) -> str:
        """ "whose supplier they are", "located in them"."""
        shape = self._spoken.relation(step.iri)
        if shape.kind is SaidAs.NOUN:
            return f"whose {shape.many} is {start}" if start else f"whose {shape.many} they are"
        words = f"that {shape.many}" if shape.kind is SaidAs.VERB else states(shape)[0]
        return f"{words} {start or 'them'}"


def _ranks(first: int, last: int) -> str:
    if last == 1:
        return ""
    if first == last:
        return f"{ordinal(first)} "
    return f"{last} " if first == 1 else f"{ordinal(first)} to {ordinal(last)} "


# A program in one English phrase, which says all that the program says and nothing else.


COMPARED = {
    Comparison.LT: "less than",
    Comparison.LE: "at most",
    Comparison.GT: "more than",
    Comparison.GE: "at least",
    Comparison.EQ: "exactly",
}
_COUNTS = COMPARED | {Comparison.LT: "fewer than"}
_TIMES = {
    Comparison.LT: "before",
    Comparison.LE: "no later than",
    Comparison.GT: "after",
    Comparison.GE: "no earlier than",
    Comparison.EQ: "exactly",
}
_REMEMBERED = 512
"""Programs whose phrases are kept: those that a search found are said once more with the answer."""


def paraphrase(program: ex.Expression, kb: KnowledgeBase) -> str:
    """For example "cities located in France with the largest population"."""
    speaker = _speakers.get(kb)
    if speaker is None:
        speaker = _speakers[kb] = Speaker(Spoken(kb))
    return speaker.say(program)


class Speaker:
    """Says programs in the words of `spoken`."""

    def __init__(self, spoken: Spoken) -> None:
        self.spoken = spoken
        self.measures = Measures(spoken, self.phrase)
        self.say = lru_cache(_REMEMBERED)(self._say)

    def _say(self, node: ex.Expression) -> str:
        match node:
            case ex.Count(argument, path):
                things = self.walked(self.phrase(argument), path).many
                return f"the number of {'different ' if path else ''}{things}"
            case ex.Aggregate(function, argument, path):
                word = self.measures.total(function, path)
                return f"the {word} of {self.walked(self.phrase(argument), path).many}"
            case ex.Meet(left, right):
                one, two = self.phrase(left), self.phrase(right)
                if one.is_name:
                    return f"whether {one.alone} is {two.one}"
                return f"whether some {one.closed} are {two.many}"
            case ex.Sort(argument, key, is_falling):
                order = f", {self.measures.first(key)} first" if is_falling else ""
                return f"{self.say(argument)}, sorted by {self.measures.key(key, _NOBODY)}{order}"
            case ex.Show(argument, columns):
                said = listed([self.measures.key(column, _NOBODY) for column in columns])
                start = "" if any(isinstance(column, tuple) for column in columns) else "together, "
                return f"{start}{self.say(argument)}: {said}"
            case ex.Per(argument, path, columns):
                members = self.phrase(argument)
                said = listed([self.measures.key(column, members.classes) for column in columns])
                return f"{said} of {members.closed} for each {self.measures.path(path, members.classes)}"
            case _:
                return self.phrase(node).alone

    def phrase(self, node: ex.Expression) -> Phrase:
        """What a set, or a number beside which one is put, is called."""
        match node:
            case ex.Entity(term):
                return named(self.spoken.entity(term))
            case ex.Value(literal):
                return named(self.spoken.value(literal) or "nothing")
            case ex.And() | ex.Cons() | ex.During():
                return self.both(list(_conditions(node)))
            case ex.Or():
                return self.either(node)
            case ex.Not(argument, ex.Has(relation)):
                members = self.phrase(argument)
                return members.also(self.lacks(relation, members.classes))
            case ex.Not(argument, without):
                taken = self.phrase(without)
                return self.phrase(argument).also(
                    NounForms("except", "except", taken.those, not taken.is_name)
                )
            case ex.Extreme(argument=argument):
                members = self.phrase(argument)
                words = self.measures.superlative(node, members.classes)
                return members.cut(NounForms(words, words))
            case ex.Count() | ex.Aggregate():
                said = self.say(node)
                return Phrase(NounForms("", "", said, is_open=True), the="")
            case _:
                return self.both([node])

    # Sets ------------------------------------------------------------------------------------

    def both(self, conditions: list[ex.Expression]) -> Phrase:
        """One noun for all: what a superlative left, a class, what something is, or "things"."""
        classes = [node for node in conditions if isinstance(node, ex.Class)]
        owners = frozenset(id for node in classes if (id := self.spoken.class_id(node.iri)) is not None)
        others = [node for node in conditions if not isinstance(node, ex.Class)]
        stage = next((node for node in others if isinstance(node, ex.Extreme | ex.Not)), None)
        if stage is not None:
            others.remove(stage)
            start = self.phrase(stage)
            if not others and not classes:
                return start
            parts = [
                NounForms("that are", "that is", plural(self.spoken.klass(node.iri))) for node in classes
            ]
            parts += [self.part(node, owners | start.classes) for node in others]
            return replace(start.only_those().also(*parts), classes=owners | start.classes)
        if classes:
            first, *rest = classes
            name = self.spoken.klass(first.iri)
            start = Phrase(NounForms(plural(name), with_article(name)), classes=owners)
            parts = [
                NounForms(f"that are {plural(other)}", f"that is {with_article(other)}")
                for other in (self.spoken.klass(node.iri) for node in rest)
            ]
        else:
            head = next((node for node in others if _is_noun(node)), None)
            start, parts = THINGS, []
            if head is not None:
                others.remove(head)
                start = self.noun(head)
        return start.also(*parts, *(self.part(node, owners) for node in others))

    def noun(self, node: ex.Expression) -> Phrase:
        match node:
            case ex.Join(relation, argument):
                return self.objects(relation.iri, self.phrase(argument))
            case ex.Has(relation):
                return replace(self.objects(relation.iri, SOMETHING), the=None)
            case _:
                return self.phrase(node)

    def part(self, node: ex.Expression, owners: Set[int]) -> NounForms:
        """What a condition says of a noun."""
        match node:
            case ex.Join(relation, argument) if not relation.inverse:
                return self.has(relation.iri, self.said(relation.iri, argument), owners)
            case ex.Has(relation) if not relation.inverse:
                shape = self.spoken.relation(relation.iri, owners)
                if shape.kind is SaidAs.NOUN:
                    words = f"with {with_article(shape.many)}"
                    return NounForms(words, words)
                return self.has(relation.iri, SOMETHING, owners)
            case ex.Join(relation, argument):
                return self.is_object(relation.iri, self.phrase(argument))
            case ex.Has(relation):
                return self.is_object(relation.iri, SOMETHING)
            case ex.Compare():
                return self.comparison(node, owners)
            case ex.Like(relation, text):
                words = f"whose {self.spoken.relation(relation.iri, owners).many} contains"
                return NounForms(words, words, f'"{self.spoken.written(text.literal)}"')
            case ex.Named(text):
                return NounForms("called", "called", f'"{self.spoken.written(text.literal)}"')
            case ex.During(_, relation, when):
                time = "now" if isinstance(when, ex.Now) else f"in {self.spoken.written(when.literal)}"
                words = f"valid {time} by {self.spoken.relation(relation.iri).many}"
                return NounForms(words, words)
            case ex.Or():
                found = self.either(node)
                if found.bare:
                    return found.parts[0]
                return replace(found.noun, many="that are either", one="that is either")
            case _:
                members = self.phrase(node)
                return NounForms("that are among", "that is among", members.alone, not members.is_name)

    def either(self, node: ex.Or) -> Phrase:
        """ "either Nile or Amazon", "things either located in France or located in Spain"."""
        sides = [self.phrase(side) for side in _sides(node)]
        if all(side.bare and len(side.parts) == 1 and not side.parts[0].is_open for side in sides):
            many, one = (
                listed([side.parts[0].text(is_one, is_last=True) for side in sides], "or")
                for is_one in (False, True)
            )
            return THINGS.also(NounForms(f"either {many}", f"either {one}"))
        said = listed([side.alone if side.is_single else side.closed for side in sides], "or")
        return Phrase(NounForms("either", "either", said, is_open=True))

    # Relations -------------------------------------------------------------------------------

    def said(self, relation: str, argument: ex.Expression) -> Phrase:
        if isinstance(argument, ex.Value):
            return named(self.spoken.value(argument.literal, relation) or "nothing")
        return self.phrase(argument)

    def has(self, relation: str, thing: Phrase, owners: Set[int] = frozenset()) -> NounForms:
        """ "whose mayor is Ann", "located in France", "that plays in La Liga"."""
        shape = self.spoken.relation(relation, owners)
        one, is_open = thing.one, not thing.is_name
        match shape.kind:
            case SaidAs.NOUN:
                words = f"whose {shape.many} {'include' if is_plural(shape.many) else 'is'}"
                return NounForms(words, words, one, is_open)
            case SaidAs.STATE if is_participle(shape.many):
                return NounForms(shape.many, shape.one, one, is_open)
            case SaidAs.STATE:
                are, is_ = states(shape)
                return NounForms(f"that are {are}", f"that is {is_}", one, is_open)
            case SaidAs.VERB:
                return NounForms(f"that {shape.many}", f"that {shape.one}", one, is_open)

    def objects(self, relation: str, thing: Phrase) -> Phrase:
        """ "the mayor of Paris", "what Paris is located in", "what Ajax plays in"."""
        shape = self.shape(relation, thing)
        if shape.kind is SaidAs.NOUN:
            name = shape.many
            inner, is_open = (thing.alone, not thing.is_name) if thing.is_single else (thing.many, True)
            noun = NounForms(f"{plural(name)} of", f"{with_article(singular(name))} of", inner, is_open)
            return Phrase(noun, the=f"the {name} of" if thing.is_single else None)
        does = self._does(shape, thing)
        return Phrase(NounForms(f"things {does}", f"something {does}"), the=f"what {does}")

    def is_object(self, relation: str, thing: Phrase) -> NounForms:
        """ "that are mayors of Paris", "that Paris is located in"."""
        shape = self.shape(relation, thing)
        if shape.kind is not SaidAs.NOUN:
            does = f"that {self._does(shape, thing)}"
            return NounForms(does, does)
        noun = self.objects(relation, thing).noun
        return replace(noun, many=f"that are {noun.many}", one=f"that is {noun.one}")

    def shape(self, relation: str, thing: Phrase) -> Predicate:
        if thing is SOMETHING:
            return self.spoken.owned(relation)
        return self.spoken.relation(relation, thing.classes)

    def _does(self, shape: Predicate, thing: Phrase) -> str:
        """ "Paris is located in", "Ajax plays in"."""
        is_one = thing.is_single
        who = thing.alone if thing.is_name else f"({thing.alone})"
        if shape.kind is SaidAs.VERB:
            return f"{who} {shape.one if is_one else shape.many}"
        many, one = states(shape)
        return f"{who} is {one}" if is_one else f"{who} are {many}"

    def lacks(self, relation: ex.Relation, owners: Set[int]) -> NounForms:
        """ "without a mayor"."""
        if relation.inverse:
            part = self.is_object(relation.iri, SOMETHING)
        else:
            shape = self.spoken.relation(relation.iri, owners)
            if shape.kind is SaidAs.NOUN:
                words = f"without {with_article(shape.many)}"
                return NounForms(words, words)
            part = self.has(relation.iri, SOMETHING, owners)
        return NounForms(f"except those {part.many}", f"except one {part.one}", part.inner)

    def walked(self, start: Phrase, path: ex.Path) -> Phrase:
        """What a path leads to from all members."""
        for step in path:
            start = THINGS.also(self.has(step.iri, start)) if step.inverse else self.objects(step.iri, start)
        return start

    def comparison(self, node: ex.Compare, owners: Set[int]) -> NounForms:
        """ "whose height is more than 5", "founded before 1900", "with at least 3 official languages"."""
        key, value = node.key, node.value
        if isinstance(key, ex.Counted):
            words = f"with {_COUNTS[node.comparison]} {self.phrase(value).closed}"
            return NounForms(words, words, self.measures.counted(key, owners), key.within is not None)
        name = self.measures.key((key,) if isinstance(key, ex.Relation) else key, owners)
        is_time = self.spoken.is_time(key.iri) if isinstance(key, ex.Relation) else False
        if isinstance(value, ex.Value):
            is_time = kind_of(value.literal) is ValueKind.TIME
        word = (_TIMES if is_time else COMPARED)[node.comparison]
        words = f"whose {name} {'are' if is_plural(name) else 'is'} {word}"
        if is_time and " " not in name and is_participle(name):
            words = f"{name} {word}"
        if isinstance(value, ex.Value):
            return NounForms(words, words, self.spoken.written(value.literal))
        other = self.phrase(value)
        inner = other.alone if other.is_single else f"all of {other.many}"
        return NounForms(words, words, inner, not other.is_name)


def _is_noun(node: ex.Expression) -> bool:
    """Whether a condition says what something is, rather than what it has."""
    match node:
        case ex.Join(relation, _) | ex.Has(relation):
            return relation.inverse
        case ex.Entity() | ex.Value() | ex.Or():
            return True
        case _:
            return False


def _conditions(node: ex.Expression) -> Iterator[ex.Expression]:
    """What an AND asks of its members, CONS and TC taken apart."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case ex.And(left, right):
                waiting += (right, left)
            case ex.Cons(argument, relation, constant):
                yield ex.Join(relation, constant)
                waiting.append(argument)
            case ex.During(argument, _, _) as during:
                yield during
                waiting.append(argument)
            case part:
                yield part


def _sides(node: ex.Expression) -> list[ex.Expression]:
    return [*_sides(node.left), *_sides(node.right)] if isinstance(node, ex.Or) else [node]


_speakers: WeakKeyDictionary[KnowledgeBase, Speaker] = WeakKeyDictionary()
"""Names are worked out once for a knowledge base."""
