"""Programs as questions, commands and bare noun phrases, as people type them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from arcaneqa.lab.synthesis.speaker import FIRST_MARK, QuestionSpeaker
from arcaneqa.lab.synthesis.words import COMMANDS, COUNTING, idiom, is_person
from arcaneqa.language import expression as ex
from arcaneqa.language.english import (
    NounForms,
    Phrase,
    SaidAs,
    is_participle,
    listed,
    plural,
    states,
    with_article,
)

_TOTALS = {
    "total": ("total", "combined", "overall"),
    "average": ("average", "mean", "average"),
    "maximum": ("highest", "maximum", "largest"),
    "minimum": ("lowest", "minimum", "smallest"),
}
_MARK = re.compile(f"[{chr(FIRST_MARK)}-{chr(FIRST_MARK + 99)}]")
_QUESTION = re.compile(r"(?:wh|how|in which|by wh|for each .*how|can you|do |does |did |is |are )")
_WHEN = ("when", "what year", "in which year", "since")
_WHOSE = re.compile(r"whose (.+?) (is|are|include|contains) (.+)")


def ask(speaker: QuestionSpeaker, program: ex.Expression, answers: int) -> str:
    """The program in words with marks; `answers`, the size of its result, decides on singular and plural."""
    command = speaker.rng.choice(COMMANDS)
    match program:
        case ex.Count(argument, path):
            return _how_many(speaker, argument, path)
        case ex.Aggregate(function, argument, path):
            of = speaker.pick("of all", "of the", "of")
            total = f"{_total(speaker, function, path)} {of} {_many(speaker, argument)}"
            return speaker.pick(f"what is the {total}", f"{command} the {total}", total)
        case ex.Meet(left, right):
            return _whether(speaker, left, right)
        case ex.Extreme(direction, ex.Or(ex.Entity(), ex.Entity()) as pair, (ex.Relation(iri),)):
            words = speaker.words.attribute(iri)
            largest = direction is ex.Direction.LARGEST
            found = (words[0].most if largest else words[0].least) if words else ()
            more = next((best.removesuffix("est") + "er" for best in found if best.endswith("est")), None)
            two = " or ".join(speaker.phrase(one).one for one in (pair.left, pair.right))
            sides = ("earlier", "later") if speaker.words.is_time(iri) else ("lower", "higher")
            which = f"which has the {sides[largest]} {speaker.words.label(iri)}, {two}"
            return (
                which if more is None else speaker.pick(which, f"which is {more}, {two}", f"is {two} {more}")
            )
        case ex.Extreme(direction, ex.Join(back, ex.Class() as klass), ex.Counted((again,))) if back == again:
            common = "most common" if direction is ex.Direction.LARGEST else "least common"
            label, many = speaker.words.noun(back.iri), plural(speaker.words.klass(klass.iri))
            return speaker.pick(
                f"what is the {common} {label} of {many}",
                f"which {label} is the {common} for {many}",
                f"which {label} has the {'most' if common[0] == 'm' else 'fewest'} {many}",
            )
        case ex.Sort(argument):
            if isinstance(argument, ex.Per):
                return f"{ask(speaker, argument, answers)}{_order(speaker, program)}"
            return f"{command} the {_many(speaker, argument)}{_order(speaker, program)}"
        case ex.Show(argument, columns):
            return _table(speaker, argument, columns)
        case ex.Per(argument, path, (column,)):
            group, many = speaker.measures.path(path, frozenset()), _many(speaker, argument)
            if isinstance(column, ex.Totalled):
                total = _total(speaker, column.function, column.path)
                return speaker.pick(
                    f"what is the {total} of {many} for each {group}", f"{total} of {many} per {group}"
                )
            return speaker.pick(
                f"how many {many} are there for each {group}",
                f"number of {many} per {group}",
                f"for each {group}, how many {many} are there",
                f"{command} the number of {many} by {group}",
            )
        case ex.Join(relation, argument) if relation.inverse:
            return _reached(speaker, relation.iri, argument, answers > 1)
        case ex.Join(relation, ex.Entity() as topic):
            held = idiom(speaker.words.label(relation.iri)).held
            if held and speaker.chance(0.3):
                return speaker.rng.choice(held).format(y=speaker.phrase(topic).one)
    is_best = isinstance(program, ex.Extreme) and program.last == 1
    return _set(speaker, speaker.phrase(program), not is_best and (answers > 1 or speaker.chance(0.3)))


def _many(speaker: QuestionSpeaker, argument: ex.Expression) -> str:
    return speaker.phrase(argument).many


def _total(speaker: QuestionSpeaker, function: ex.Aggregation, path: ex.Path) -> str:
    """ "average price", "latest date"."""
    word = speaker.measures.total(function, path)
    return f"{speaker.pick(*_TOTALS.get(word, (word,)))} {speaker.measures.path(path, frozenset())}"


def _order(speaker: QuestionSpeaker, node: ex.Sort) -> str:
    """ ", sorted by population, largest first"."""
    largest = f", {speaker.measures.first(node.key)} first" if node.descending else ""
    return f", {speaker.pick('sorted', 'ordered')} by {speaker.measures.key(node.key, frozenset())}{largest}"


# Sets ------------------------------------------------------------------------------------------------


def _set(speaker: QuestionSpeaker, phrase: Phrase, many: bool) -> str:
    text, are = (phrase.many, "are") if many else (_bare(phrase), "is")
    command, which = speaker.rng.choice(COMMANDS), speaker.pick("which", "what")
    the = "" if text[1:3] == "'s" else "the "
    options = [f"{command} {the}{text}", f"what {are} {the}{text}", text, f"{which} {are} {the}{text}"]
    if (said := _predicate(phrase, many)) is not None:
        options += [f"{which} {said}"] * 5
    return speaker.rng.choice(options)


def _how_many(speaker: QuestionSpeaker, argument: ex.Expression, path: ex.Path) -> str:
    if path:
        noun, many = plural(speaker.words.noun(path[-1].iri)), _many(speaker, argument)
        return speaker.pick(
            f"how many different {noun} do {many} have",
            f"how many distinct {noun} are there among {many}",
            f"number of different {noun} of {many}",
        )
    phrase = speaker.phrase(argument)
    options = [f"how many {phrase.many} are there", f"{speaker.rng.choice(COUNTING)} {phrase.many}"]
    if (said := _predicate(phrase, many=True)) is not None:
        options += [f"how many {said}"] * 3
    if isinstance(argument, ex.Join) and argument.relation.inverse:
        found = speaker.words.relation(argument.relation.iri)
        if found.kind is SaidAs.NOUN:
            x, does = _subject(speaker, argument.argument, "does", "do")
            options = [f"how many {plural(found.many)} {does} {x} have"]
    return speaker.rng.choice(options)


def _predicate(phrase: Phrase, many: bool) -> str | None:
    """ "rivers flow through Ohio": what completes "which …"; None without a verb."""
    if not phrase.parts or phrase.the is not None:
        return None
    noun = phrase.noun.many if many else _bare(replace(phrase, parts=()))
    first, *others = phrase.parts
    said = _verb(first, many)
    return said and " ".join(
        [noun, said, *(f"and {_verb(part, many) or _text(part, many)}" for part in others)]
    )


def _text(part: NounForms, many: bool) -> str:
    return part.text(is_one=not many, is_last=True)


def _verb(part: NounForms, many: bool) -> str | None:
    """What a part says as a verb: "are located in France", "has the most people"."""
    text = _text(part, many)
    word, _, rest = text.partition(" ")
    if word in ("that", "who"):
        return None if _MARK.match(rest) or rest.startswith("(") else rest  # not of "that Ajax plays in"
    if word == "with":
        return f"{'have' if many else 'has'} {rest}"
    if is_participle(word) or word in ("in", "from", "by", "of") or " than " in text.split(",")[0]:
        return None if word in ("whose", "and", "except", "without") else f"{'are' if many else 'is'} {text}"
    return None


def _bare(phrase: Phrase) -> str:
    """For one thing, without an article: "river that flows through Ohio"."""
    return re.sub(r"^(?:the|an?) ", "", phrase.one)


# What a relation leads to ----------------------------------------------------------------------------


def _subject(speaker: QuestionSpeaker, argument: ex.Expression, one: str, many: str) -> tuple[str, str]:
    """What a question is about, and the verb that agrees with it."""
    phrase = speaker.phrase(argument)
    if phrase.is_single:
        return phrase.alone, one
    if isinstance(argument, ex.Extreme) and argument.last == 1:
        return f"the {_bare(phrase)}", one
    return (f"the {_bare(phrase)}", one) if speaker.chance(0.3) else (f"the {phrase.many}", many)


def _reached(speaker: QuestionSpeaker, iri: str, argument: ex.Expression, many: bool) -> str:
    words = speaker.words
    found, label, kind = words.relation(iri), words.label(iri), words.range(iri)
    x, is_ = _subject(speaker, argument, "is", "are")
    values = words.attribute(iri)
    asks = idiom(label).asks if values is None else values[0].asks
    if found.kind is not SaidAs.NOUN:
        asks = tuple(text for text in asks if "{r}" not in text)
    if values is not None and not words.is_time(iri):
        asks = tuple(text for text in asks if not text.startswith(_WHEN))
    if asks and speaker.chance(0.5) and not (is_ == "are" and any("{x}'s" in text for text in asks)):
        verbs = {"is": is_, "does": "does" if is_ == "is" else "do", "was": "was" if is_ == "is" else "were"}
        kinds = {"n": plural(kind or "thing"), "d": words.domain(iri) or "thing", "r": label}
        return speaker.rng.choice(asks).format(x=x, **verbs, **kinds)
    does = "does" if is_ == "is" else "do"
    who = "who" if is_person(kind) else "what"
    which = f"which {plural(kind) if many else kind}" if kind is not None and speaker.chance(0.5) else "what"
    if found.kind is SaidAs.VERB:
        said = found.one if is_ == "is" else found.many
        return speaker.pick(f"{which} {does} {x} {found.many}", f"{x} {said} what")
    if found.kind is SaidAs.STATE or is_participle(label):
        state = states(found)[is_ == "is"]
        if values is not None:
            return f"when {is_} {x} {state}"
        asked = who if label.endswith(" by") else which
        return speaker.pick(f"{asked} {is_} {x} {state}", f"{x} {is_} {state} what")
    noun = plural(found.many) if many and values is None else found.many
    are = "are" if noun != found.many else "is"
    options = [
        f"{who} {are} the {noun} of {x}",
        f"{who} {are} the {noun} of {x}",
        f"what {noun} {does} {x} have",
        f"{speaker.rng.choice(COMMANDS)} the {noun} of {x}",
        f"{noun} of {x}",
    ]
    if _MARK.fullmatch(x):
        options += [f"{who} {are} {x}'s {noun}", f"{x}'s {noun}", f"{x} {noun}"]
    return speaker.rng.choice(options)


# Yes or no, and tables -------------------------------------------------------------------------------


def _whether(speaker: QuestionSpeaker, left: ex.Expression, right: ex.Expression) -> str:
    if isinstance(left, ex.Class):
        phrase = speaker.phrase(ex.And(left, right))
        return speaker.pick(f"are there any {phrase.many}", f"is there {with_article(_bare(phrase))}")
    x, part = speaker.phrase(left).one, speaker.part(right, frozenset())
    text = _text(part, many=False)
    if (whose := _WHOSE.fullmatch(text)) is not None:
        label, verb, rest = whose.groups()
        be = {"is": "is", "are": "are", "include": "do", "contains": "does"}[verb]
        return f"{be} the {label} of {x} {'' if be in ('is', 'are') else verb.removesuffix('s') + ' '}{rest}"
    if text.startswith("with "):
        return f"does {x} have {text.removeprefix('with ')}"
    if text.startswith(("that is ", "who is ")):
        return f"is {x} {text.partition(' is ')[2]}"
    if text.startswith(("that ", "who ")):
        return f"does {x} {_text(part, many=True).partition(' ')[2]}"
    return f"is {x} {text}"


def _table(speaker: QuestionSpeaker, argument: ex.Expression, columns: tuple[ex.Key, ...]) -> str:
    order = ""
    if isinstance(argument, ex.Sort):
        order, argument = _order(speaker, argument), argument.argument
    command, many = speaker.rng.choice(COMMANDS), _many(speaker, argument)
    if all(isinstance(column, ex.Totalled) for column in columns):
        totals = [_total(speaker, c.function, c.path) for c in columns if isinstance(c, ex.Totalled)]
        return f"what are the {listed(totals)} of {many}{order}"
    names = [speaker.measures.key(column, frozenset()) for column in columns]
    if columns[0] != ():
        every = speaker.pick("of all", "of the", "of each of the")
        said = f"the {listed(names)} {every} {many}"
        return speaker.pick(f"{command} {said}", f"what are {said}", f"{listed(names)} of {many}") + order
    rest = listed(names[1:])
    said = f"{command} the {many} with their {rest}"
    return speaker.pick(said, f"{many} with {rest}", f"what are the names and {rest} of {many}") + order


# The last touch --------------------------------------------------------------------------------------


def finish(
    draft: str, marks: Sequence[tuple[ex.Entity | ex.Value, str]], rng: Random, careful: bool
) -> tuple[str, list[tuple[ex.Entity | ex.Value, str, int]]]:
    """A draft with its names filled in, and each name as it stands there with its place.

    `careful` text is as a book would print it, other text as people type.
    """
    text = " ".join(re.sub(r"[()]", "", draft).split())
    is_question = _QUESTION.match(text) is not None
    if not careful and rng.random() < 0.12:
        text = re.sub(r"\b(?:the|a|an) ", "", text)
    style = 0.0 if careful else rng.random()
    if style < 0.55:
        text = re.sub(r"\bi\b", "I", text if _MARK.match(text) else text[:1].upper() + text[1:])
    if is_question and (careful or rng.random() < (0.85 if style < 0.55 else 0.35)):
        text += "?"
    parts: list[str] = []
    mentions: list[tuple[ex.Entity | ex.Value, str, int]] = []
    length = 0
    for part in re.split(f"({_MARK.pattern})", text):
        if _MARK.fullmatch(part):
            term, name = marks[ord(part) - FIRST_MARK]
            part = name.lower() if style > 0.8 else name
            mentions.append((term, part, length))
        parts.append(part)
        length += len(part)
    return "".join(parts), mentions
