"""Noun phrases for the forms beyond the paper's: "suppliers with more than three products", "all but …"."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.names.name_forms import CARDINALS, ORDINALS
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import leaves
from arcaneqa.synthesis.attributes import generic
from arcaneqa.synthesis.inflection import plural, singular, with_article
from arcaneqa.synthesis.lexicon import Words
from arcaneqa.synthesis.noun_phrases import Speaker, UnspeakableError
from arcaneqa.synthesis.phrases import Modifier, Phrase

_BOUNDS = {
    Comparison.GT: ("more than {n}", "over {n}", "more than {n}"),
    Comparison.GE: ("at least {n}", "{n} or more", "no fewer than {n}"),
    Comparison.LT: ("fewer than {n}", "less than {n}", "under {n}"),
    Comparison.LE: ("at most {n}", "up to {n}", "no more than {n}"),
    Comparison.EQ: ("exactly {n}", "{n}", "just {n}"),
}
_TOTALS = {
    ex.Aggregation.SUM: ("total", "combined", "overall", "sum of"),
    ex.Aggregation.AVG: ("average", "mean", "average"),
    ex.Aggregation.MAX: ("highest", "maximum", "largest", "greatest", "top"),
    ex.Aggregation.MIN: ("lowest", "minimum", "smallest", "least"),
}
_LAST = {ex.Aggregation.MAX: ("latest", "most recent", "last"), ex.Aggregation.MIN: ("earliest", "first")}
_NUMBERS, _ORDINALS = CARDINALS[:11], ORDINALS[:6]
"""Written as words; larger numbers as digits."""
_SUFFIXES = (" id", " ids", " code", " codes", " name", " key")


def spoken(words: Words) -> str:
    """A relation as people say it: nobody asks for a "customer id" when they mean the customer."""
    for suffix in _SUFFIXES:
        if words.range is not None and words.label.endswith(suffix):
            return words.label.removesuffix(suffix)
    return words.label


class FormSpeaker(Speaker):
    def phrase(self, expression: ex.Expression, many: bool) -> Phrase:
        match expression:
            case ex.Or(ex.Entity() | ex.Value() as one, ex.Entity() | ex.Value() as two):
                said = f"{self.mark(one)} or {self.mark(two)}"
                return Phrase(name=f"either {said}" if self.chance(0.2) else said)
            case ex.Not(argument, without):
                return self.all_but(self.phrase(argument, many), without)
            case ex.Extreme(direction, argument, (ex.Counted() | ex.Totalled()) as key, first, last):
                head = self.phrase(argument, many=last > 1)
                most = self.most(key, direction is ex.Direction.LARGEST)
                if last > 1:
                    number = self.number(last)
                    return replace(head, before=(number, *head.before), after=(*head.after, most))
                return replace(head, after=(*head.after, most), unique=first == last == 1)
            case ex.Extreme(direction, argument, tuple() as path, first, last) if last > 1:
                return self.ranks(direction is ex.Direction.LARGEST, argument, path, first, last)
            case ex.Compare() | ex.Has() | ex.Like():
                raise UnspeakableError
        return super().phrase(expression, many)

    def conjunction(self, left: ex.Expression, right: ex.Expression, many: bool) -> Phrase:
        """ "between 3 and 7": two ends of one relation are said together."""
        parts = leaves(ex.And(left, right), ex.And)
        ends = [part for part in parts if isinstance(part, ex.Compare) and isinstance(part.value, ex.Value)]
        low = next((end for end in ends if end.comparison in (Comparison.GT, Comparison.GE)), None)
        high = next((end for end in ends if end.comparison in (Comparison.LT, Comparison.LE)), None)
        rest = [part for part in parts if part not in (low, high)]
        if low is None or high is None or low.key != high.key or not rest:
            return super().conjunction(left, right, many)
        whole = reduce(ex.And, rest)
        head = (
            super().conjunction(whole.left, whole.right, many)
            if isinstance(whole, ex.And)
            else self.phrase(whole, many)
        )
        return replace(head, after=(*head.after, self.between(low, high)))

    def between(self, low: ex.Compare, high: ex.Compare) -> Modifier:
        if not isinstance(low.key, ex.Relation):
            raise UnspeakableError
        words = self.lexicon.relation(low.key)
        a, b = (self.phrase(end.value, many=False).say() for end in (low, high))
        if low.comparison is Comparison.GE:
            said = self.pick(f"between {a} and {b}", f"from {a} to {b}", f"between {a} and {b}")
        elif words.is_time:
            said = self.pick(f"after {a} and before {b}", f"after {a} but before {b}")
        else:
            said = self.pick(f"over {a} and under {b}", f"above {a} and below {b}", f"over {a} but under {b}")
        if words.is_event:
            return Modifier.adverbial(f"{words.event} {said}")
        one = with_article(words.label)
        return Modifier(f"with {one} {said}", f"have {one} {said}", f"has {one} {said}")

    def number(self, number: int) -> str:
        return _NUMBERS[number] if number < len(_NUMBERS) and self.chance(0.6) else str(number)

    # What is counted -----------------------------------------------------------------------------

    def counted(self, path: ex.Path, within: ex.Expression | None = None) -> str:
        """The plural noun of what a step leads to: "products", "official languages"."""
        if within is not None and not isinstance(within, ex.Class):
            found = self.phrase(within, many=True)
            if found.name is not None or found.noun == "thing":
                raise UnspeakableError
            return found.bare()
        (relation,) = path
        words = self.lexicon.relation(relation)
        if within is not None:
            return plural(self.class_noun(within))
        noun = words.domain if relation.inverse else spoken(words)
        if not relation.inverse and words.range and self.chance(0.5):
            noun = words.range
        if noun is None:
            raise UnspeakableError
        return plural(noun)

    def most(self, key: ex.Key, largest: bool) -> Modifier:
        """ "with the most products", "with the highest total price"."""
        match key:
            case ex.Counted(path, within):
                noun = self.counted(path, within)
                texts = (
                    (
                        f"the most {noun}",
                        f"the most {noun}",
                        f"the highest number of {noun}",
                        f"the largest number of {noun}",
                    )
                    if largest
                    else (f"the fewest {noun}", f"the least {noun}", f"the lowest number of {noun}")
                )
                return Modifier.having(self.rng.choice(texts))
            case ex.Totalled(function, path):
                words = self.lexicon.relation(path[-1])
                total = self.rng.choice(_TOTALS[function]).removesuffix(" of")
                best = (
                    self.pick("highest", "largest", "greatest")
                    if largest
                    else self.pick("lowest", "smallest")
                )
                of = f" of {self.counted(path[:1])}" if len(path) == 2 and self.chance(0.6) else ""
                return Modifier.having(f"the {best} {total} {words.label}{of}")
        raise UnspeakableError

    def ranks(self, largest: bool, argument: ex.Expression, path: ex.Path, first: int, last: int) -> Phrase:
        words = self.lexicon.relation(path[-1])
        special = words.attribute
        best = (special.most if largest else special.least) if special else ()
        head = self.phrase(argument, many=first != last)
        if head.name is not None:
            raise UnspeakableError
        if first == last:
            place = (
                _ORDINALS[last]
                if self.chance(0.8)
                else f"{last}{'nd' if last == 2 else 'rd' if last == 3 else 'th'}"
            )
            if best and self.chance(0.8):
                return replace(head, before=(f"{place} {self.rng.choice(best)}", *head.before), unique=True)
            side = self.pick("highest", "largest") if largest else self.pick("lowest", "smallest")
            return replace(
                head, after=(*head.after, Modifier.having(f"the {place} {side} {words.label}")), unique=True
            )
        number = self.number(last)
        if best and self.chance(0.7):
            return replace(head, before=(f"{number} {self.rng.choice(best)}", *head.before))
        if self.chance(0.4):
            top = self.pick("top", "first") if largest else self.pick("bottom", "last")
            return replace(
                head,
                before=(f"{top} {number}", *head.before),
                after=(*head.after, Modifier.adverbial(f"by {words.label}")),
            )
        side = self.pick("highest", "largest", "greatest") if largest else self.pick("lowest", "smallest")
        return replace(
            head,
            before=(number, *head.before),
            after=(*head.after, Modifier.having(f"the {side} {words.label}")),
        )

    # What is said of members -----------------------------------------------------------------------

    def modifier(self, expression: ex.Expression) -> Modifier:
        match expression:
            case ex.Compare(comparison, ex.Counted(path, within), ex.Value() as value):
                bound = self.rng.choice(_BOUNDS[comparison]).format(n=self.mark(value))
                noun = self.counted(path, within)
                one = value.literal.lexical == "1" and bound.endswith(self.marked())
                return Modifier.having(f"{bound} {singular(noun) if one else noun}")
            case ex.Compare(comparison, ex.Relation() as relation, ex.Aggregate()):
                return self.than_average(relation, comparison is Comparison.GT)
            case ex.Compare(comparison, ex.Relation() as relation, ex.Join(_, ex.Entity() as other)):
                return self.than(relation, comparison is Comparison.GT, self.mark(other))
            case ex.Join(relation, ex.Join(back, ex.Entity() as other)) if back == ex.Relation(
                relation.iri, inverse=True
            ):
                return Modifier.having(
                    f"the same {spoken(self.lexicon.relation(relation))} as {self.mark(other)}"
                )
            case ex.Has(relation):
                return self.some(relation)
            case ex.Join(ex.Relation(_, True) as relation, ex.Class()):
                noun = self.counted((relation,))
                return self.rng.choice(
                    (
                        Modifier.having(noun),
                        Modifier.having(f"at least one {singular(noun)}"),
                        Modifier.having(f"some {noun}"),
                        Modifier.clause("that", f"have {noun}", f"has {noun}"),
                    )
                )
            case ex.Like(relation, text):
                return self.containing(relation, text)
        return super().modifier(expression)

    def marked(self) -> str:
        """The mark that was made last."""
        return chr(0xE000 + len(self.marks) - 1)

    def some(self, relation: ex.Relation) -> Modifier:
        words = self.lexicon.relation(relation)
        if relation.inverse:
            noun = plural(words.domain or "thing")
            return Modifier.having(noun)
        noun = spoken(words)
        return self.rng.choice(
            (
                Modifier.having(with_article(noun)),
                Modifier.having(f"a known {noun}"),
                Modifier.having(f"some {noun}"),
            )
        )

    def than(self, relation: ex.Relation, over: bool, x: str) -> Modifier:
        words = self.lexicon.relation(relation)
        special = words.attribute
        plain = (special.over if over else special.under) if special else ()
        if plain and self.chance(0.7):
            text = self.rng.choice(plain).format(r=words.label, v=x)
            if " than " in text and not text.startswith(("that ", "who ")):
                return Modifier.adverbial(text)
        if words.is_time:
            return Modifier.having(f"{'a later' if over else 'an earlier'} {words.label} than {x}")
        side = self.pick("a higher", "a larger", "a greater") if over else self.pick("a lower", "a smaller")
        return Modifier.having(f"{side} {words.label} than {x}")

    def than_average(self, relation: ex.Relation, over: bool) -> Modifier:
        words = self.lexicon.relation(relation)
        special = words.attribute
        plain = (special.over if over else special.under) if special else ()
        if plain and self.chance(0.4):
            text = self.rng.choice(plain).format(r=words.label, v=self.pick("the average", "average"))
            if " than " in text and not text.startswith(("that ", "who ")):
                return Modifier.adverbial(text)
        side = self.pick("above average", "above the average", "higher than the average", "above-average")
        if not over:
            side = self.pick("below average", "below the average", "lower than the average", "below-average")
        if "-" in side:
            return Modifier.having(f"{with_article(side)} {words.label}")
        return Modifier(
            f"whose {words.label} is {side}", f"have a {words.label} {side}", f"has a {words.label} {side}"
        )

    def containing(self, relation: ex.Relation, text: ex.Value) -> Modifier:
        words, mark = self.lexicon.relation(relation), self.mark(text)
        quoted = self.pick(f"'{mark}'", f'"{mark}"', mark, f"the word {mark}")
        noun = words.label
        return self.rng.choice(
            (
                Modifier(
                    f"whose {noun} contains {quoted}",
                    f"have {quoted} in their {noun}",
                    f"has {quoted} in its {noun}",
                ),
                Modifier.having(f"{quoted} in their {noun}"),
                Modifier.having(f"{with_article(noun)} containing {quoted}"),
                Modifier(
                    f"whose {noun} includes {quoted}",
                    f"mention {quoted} in the {noun}",
                    f"mentions {quoted} in the {noun}",
                ),
            )
        )

    def all_but(self, head: Phrase, without: ex.Expression) -> Phrase:
        """ "customers without orders", "countries that are not in Europe"."""
        if head.name is not None:
            raise UnspeakableError
        return replace(head, after=(*head.after, self.negated(without)))

    def negated(self, without: ex.Expression) -> Modifier:
        match without:
            case ex.Join(ex.Relation(_, True) as relation, ex.Class()):
                noun = self.counted((relation,))
                return self.rng.choice(
                    (
                        Modifier(f"without {noun}", f"have no {noun}", f"has no {noun}"),
                        Modifier(
                            f"without any {noun}", f"do not have any {noun}", f"does not have any {noun}"
                        ),
                        Modifier(f"with no {noun}", f"have no {noun}", f"has no {noun}"),
                        Modifier.clause(
                            "that",
                            f"never had {with_article(singular(noun))}",
                            f"never had {with_article(singular(noun))}",
                        ),
                    )
                )
            case ex.Has(relation):
                noun = (
                    self.counted((relation,)) if relation.inverse else spoken(self.lexicon.relation(relation))
                )
                one = noun if relation.inverse else with_article(noun)
                return Modifier(f"without {one}", f"do not have {one}", f"does not have {one}")
            case ex.Join(ex.Relation(_, False) as relation, (ex.Entity() | ex.Value()) as value):
                words, x = self.lexicon.relation(relation), self.mark(value)
                noun = spoken(words)
                return self.rng.choice(
                    (
                        Modifier(
                            f"whose {noun} is not {x}",
                            f"do not have {x} as {noun}",
                            f"does not have {x} as {noun}",
                        ),
                        Modifier(
                            f"with a {noun} other than {x}",
                            f"have a {noun} other than {x}",
                            f"has a {noun} other than {x}",
                        ),
                        Modifier.adverbial(f"not {self.pick('in', 'from', 'of')} {x}")
                        if isinstance(value, ex.Entity)
                        else Modifier.having(f"a {noun} that is not {x}"),
                        Modifier.having(f"any {noun} except {x}"),
                    )
                )
        raise UnspeakableError

    def total(self, function: ex.Aggregation, path: ex.Path) -> str:
        """ "average price", "latest date"."""
        words = self.lexicon.relation(path[-1])
        choices = _LAST[function] if words.is_time and function in _LAST else _TOTALS[function]
        word = self.rng.choice(choices)
        return f"sum of the {words.label}" if word == "sum of" else f"{word} {words.label}"

    def most_word(self, relation: ex.Relation, largest: bool) -> str | None:
        """ "longest", if the attribute has such a word."""
        words = self.lexicon.relation(relation)
        special = words.attribute or generic(words.is_time)
        choices = special.most if largest else special.least
        return self.rng.choice(choices) if choices else None
