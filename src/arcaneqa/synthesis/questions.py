"""Programs as questions, commands and bare noun phrases."""

from __future__ import annotations

from arcaneqa.program.expression import Count, Entity, Expression, Extreme, Join
from arcaneqa.synthesis.idioms import idiom
from arcaneqa.synthesis.inflection import participle, past, plural, singular, third_person, with_article
from arcaneqa.synthesis.lexicon import Words
from arcaneqa.synthesis.noun_phrases import Speaker
from arcaneqa.synthesis.phrases import Phrase
from arcaneqa.synthesis.relations import Shape, is_person, is_place
from arcaneqa.synthesis.word_tables import TABLES

_COMMANDS: tuple[str, ...] = tuple(TABLES["openings"]["commands"])
_POLITE: tuple[str, ...] = tuple(TABLES["openings"]["polite"])
_COUNTING: tuple[str, ...] = tuple(TABLES["openings"]["counting"])


def ask(speaker: Speaker, program: Expression, answers: int) -> str:
    """The program in words; `answers` is the size of its result, which decides on singular and plural."""
    return " ".join([_say(speaker, program, answers), *speaker.moments])


def _say(speaker: Speaker, program: Expression, answers: int) -> str:
    match program:
        case Count(argument):
            return _count(speaker, argument)
        case Join(relation, _) if relation.inverse:
            return _reached(speaker, program, answers > 1)
        case Extreme():
            return _superlative(speaker, speaker.phrase(program, many=False))
        case Join(relation, Entity() as topic):
            saying = idiom(speaker.lexicon.relation(relation).label)
            if saying is not None and saying.held and speaker.chance(0.3):
                return speaker.rng.choice(saying.held).format(y=speaker.mark(topic))
    many = answers > 1 or speaker.chance(0.3)
    return _set(speaker, speaker.phrase(program, many), many)


# What a relation leads to ------------------------------------------------------------------------


def _reached(speaker: Speaker, join: Join, many: bool) -> str:
    words, argument = speaker.chain(join)
    target = speaker.phrase(argument, many=False)
    if words.attribute is not None and words.attribute.asks and (words.is_event or speaker.chance(0.6)):
        return _attribute(speaker, words, target)
    if words.is_event:
        was = "were" if target.takes_plural_verb else "was"
        return f"{speaker.pick('when', 'what year', 'in which year')} {was} {target.say()} {words.event}"
    x = target.say()
    saying = idiom(words.label)
    if saying is not None and saying.asks and not words.is_value and speaker.chance(0.45):
        return _agreeing(speaker.rng.choice(saying.asks), words, target)
    if words.wording.shape is Shape.NOUN:
        return _noun(speaker, words, target, x, many)
    return _other(speaker, words, target, x, many)


def _attribute(speaker: Speaker, words: Words, target: Phrase) -> str:
    assert words.attribute is not None
    template = speaker.rng.choice(words.attribute.asks)
    if not words.is_time and template.startswith(("when", "what year", "in which year", "since when")):
        template = "what is the {r} of {x}"
    return _agreeing(template, words, target)


def _agreeing(template: str, words: Words, target: Phrase) -> str:
    """A template filled so that its verbs agree with what is asked about."""
    if "{x}'s" in template and target.name is None:
        template = "what is the {r} of {x}"
    verbs = ("are", "do", "were") if target.takes_plural_verb else ("is", "does", "was")
    is_, does, was = verbs
    kinds = {"n": plural(words.range or "thing"), "d": words.domain or "thing", "r": words.label}
    return template.format(x=target.say(), does=does, was=was, **{"is": is_}, **kinds)


def _noun(speaker: Speaker, words: Words, target: Phrase, x: str, many: bool) -> str:
    label = words.wording.words
    noun = plural(label) if many and not words.is_value else label
    is_, who = ("are" if noun != label else "is"), _who(words)
    has = "do" if target.takes_plural_verb else "does"
    options = [
        f"{who} {is_} the {noun} of {x}",
        f"{who} {is_} the {noun} of {x}",
        f"what {noun} {has} {x} have",
        f"{speaker.rng.choice(_COMMANDS)} the {noun} of {x}",
        f"{noun} of {x}",
        f"the {noun} of {x}",
        f"{x} has {'which' if words.range else 'what'} {noun}",
        f"which {noun} {has} {x} have",
    ]
    if target.name is not None:
        options += [
            f"{who} {is_} {x}'s {noun}",
            f"{x}'s {noun}",
            f"{x} {noun}",
            f"{speaker.rng.choice(_COMMANDS)} {x}'s {noun}",
            f"for {x}, {who} {is_} the {noun}",
        ]
    if words.range is not None and words.range != label:
        kind = plural(words.range) if noun != label else words.range
        options += [f"which {kind} {is_} the {noun} of {x}", f"what {kind} {is_} the {noun} of {x}"]
        if speaker.chance(0.3):
            options.append(f"the {kind} that {is_} the {noun} of {x}")
    if words.is_time:
        options += [
            f"when is the {noun} of {x}",
            f"when was the {noun} of {x}",
            f"what year was the {noun} of {x}",
        ]
    text = speaker.rng.choice(options)
    return f"{speaker.rng.choice(_POLITE)} {text}" if speaker.chance(0.04) else text


def _other(speaker: Speaker, words: Words, target: Phrase, x: str, many: bool) -> str:
    wording = words.wording
    verb, tail = wording.words, wording.tail
    several = target.takes_plural_verb
    was, are, does = ("were", "are", "do") if several else ("was", "is", "does")
    kind = words.range and (plural(words.range) if many else words.range)
    match wording.shape:
        case Shape.AGENT:
            done = participle(verb)
            who = "who" if words.range is None or is_person(words.range) else "what"
            options = [
                f"{who} {past(verb)} {x}",
                f"{who} {past(verb)} {x}",
                f"{who} {was} {x} {done} by",
                f"by whom {was} {x} {done}" if who == "who" else f"by what {was} {x} {done}",
                f"{x} {was} {done} by {'whom' if who == 'who' else 'what'}",
                f"{speaker.rng.choice(_COMMANDS)} who {past(verb)} {x}",
            ]
            if kind:
                options += [
                    f"which {kind} {past(verb)} {x}",
                    f"what {kind} {past(verb)} {x}",
                    f"{kind} who {past(verb)} {x}",
                ]
        case Shape.STATE:
            state = f"{participle(verb)} {tail}"
            options = [f"what {are} {x} {state}", f"{x} {are} {state} what"]
            if kind:
                options += [
                    f"which {kind} {are} {x} {state}",
                    f"what {kind} {are} {x} {state}",
                    f"{tail} which {kind} {are} {x} {participle(verb)}",
                    f"the {kind} that {x} {are} {state}",
                ]
            if tail in ("in", "at", "on", "near") and (words.range is None or is_place(words.range)):
                options += [f"where {are} {x} {participle(verb)}", f"where {are} {x}"]
        case Shape.VERB:
            third = verb if several else third_person(verb)
            ending = f" {tail}" if tail else ""
            options = [f"what {does} {x} {verb}{ending}", f"{x} {third}{ending} what"]
            if kind:
                options += [
                    f"which {kind} {does} {x} {verb}{ending}",
                    f"what {kind} {does} {x} {verb}{ending}",
                    f"{x} {third}{ending} which {kind}",
                    f"{kind} that {x} {third}{ending}",
                    f"{speaker.rng.choice(_COMMANDS)} the {kind} that {x} {third}{ending}",
                ]
            if tail in ("in", "at") and is_place(words.range):
                options.append(f"where {does} {x} {verb}")
        case _:
            noun = with_article(singular(verb))
            options = [f"what {are} {x} {noun} of", f"{x} {are} {noun} of what"]
            if kind:
                options += [
                    f"which {kind} {are} {x} {noun} of",
                    f"what {kind} {are} {x} {noun} of",
                    f"{kind} that {x} {are} {noun} of",
                    f"of which {kind} {are} {x} {noun}",
                ]
    return speaker.rng.choice(options)


def _who(words: Words) -> str:
    if words.range is not None and is_person(words.range):
        return "who"
    return "what"


# Sets --------------------------------------------------------------------------------------------


def _set(speaker: Speaker, phrase: Phrase, many: bool) -> str:
    which = speaker.pick("which", "what")
    head = " ".join(part for part in (*phrase.before, phrase.head()) if part)
    options = [
        f"{speaker.rng.choice(_COMMANDS)} {speaker.pick('the', 'all', 'all the', '')} {phrase.bare()}",
        f"what {'are' if many else 'is'} the {phrase.bare()}",
        phrase.bare(),
    ]
    if phrase.after:
        said = _said(phrase, many)
        owner = "" if phrase.owner is None else f" of {phrase.owner}"
        if not phrase.has_owner_first:
            options += [f"{which} {head}{owner} {said}"] * 5
        if phrase.noun == "thing":
            options += [f"what {_said(phrase, many=False)}"] * 3
    else:
        options += [f"{which} {'are' if many else 'is'} the {phrase.bare()}"]
    return speaker.rng.choice(options)


def _said(phrase: Phrase, many: bool) -> str:
    """What completes "which rivers …": the first thing said of them as a verb, the others after it."""
    first, *others = phrase.after
    parts = [first.plural if many else first.single]
    for modifier in others:
        parts.append(
            f"and {modifier.plural if many else modifier.single}" if modifier.that else modifier.relative
        )
    return " ".join(parts)


def _superlative(speaker: Speaker, phrase: Phrase) -> str:
    which = speaker.pick("which", "what")
    options = [
        f"what is the {phrase.bare()}",
        f"what is the {phrase.bare()}",
        f"which is the {phrase.bare()}",
        f"{speaker.rng.choice(_COMMANDS)} the {phrase.bare()}",
        f"the {phrase.bare()}",
        phrase.bare(),
    ]
    if is_person(phrase.noun):
        options += [f"who is the {phrase.bare()}"] * 3
    if phrase.before and phrase.owner is None:
        rest = " ".join([phrase.head(), phrase.tail()]).strip()
        options += [f"{which} {rest} is the {phrase.before[0]}"] * 2
    if phrase.after and not phrase.before:
        last, others = phrase.after[-1], phrase.after[:-1]
        if last.single.startswith("has "):
            noun = " ".join(
                [
                    phrase.head(),
                    *([f"of {phrase.owner}"] if phrase.owner else []),
                    *(m.after(many=False) for m in others),
                ]
            )
            options += [f"{which} {noun} {last.single}"] * 4
    return speaker.rng.choice(options)


def _count(speaker: Speaker, argument: Expression) -> str:
    if isinstance(argument, Join) and argument.relation.inverse:
        words, inner = speaker.chain(argument)
        target = speaker.phrase(inner, many=False)
        x, does = target.say(), "do" if target.takes_plural_verb else "does"
        wording = words.wording
        if wording.shape is Shape.NOUN:
            noun = plural(wording.words)
            return speaker.pick(
                f"how many {noun} {does} {x} have",
                f"how many {noun} {does} {x} have",
                f"how many {noun} are there in {x}"
                if is_place(words.domain)
                else f"how many {noun} of {x} are there",
                f"number of {noun} of {x}",
                f"what is the number of {noun} of {x}",
                f"count the {noun} of {x}",
            )
        if wording.shape is Shape.VERB:
            noun = plural(words.range or "thing")
            return f"how many {noun} {does} {x} {wording.words} {wording.tail}".strip()
        if wording.shape is Shape.AGENT:
            noun = plural(words.range or "people")
            return f"how many {noun} {past(wording.words)} {x}"
        noun = plural(words.range or "thing")
        return f"how many {noun} {speaker.leading(words, target).plural}"
    phrase = speaker.phrase(argument, many=True)
    head = " ".join(part for part in (*phrase.before, phrase.head()) if part)
    options = [
        f"how many {phrase.bare()} are there",
        f"how many {phrase.bare()}{' are there' if speaker.careful else ''}",
        f"number of {phrase.bare()}",
        f"what is the number of {phrase.bare()}",
        f"{speaker.rng.choice(_COUNTING)} {phrase.bare()}",
    ]
    if phrase.after:
        owner = "" if phrase.owner is None else f" of {phrase.owner}"
        options += [f"how many {head}{owner} {_said(phrase, many=True)}"] * 5
    else:
        options += [f"how many {phrase.bare()} exist", f"how many {phrase.bare()} do you know"]
    return speaker.rng.choice(options)
