"""Questions as people type them into a search box: names of things and relations, with nothing between."""

from __future__ import annotations

from arcaneqa.program.expression import And, Class, Count, Entity, Expression, Join, Value
from arcaneqa.synthesis.inflection import plural
from arcaneqa.synthesis.noun_phrases import Speaker, UnspeakableError


def keywords(speaker: Speaker, program: Expression) -> str:
    """ "population capital France", "France, capital, population"; an `UnspeakableError` where that says too
    little."""
    match program:
        case Count(argument):
            return f"{speaker.pick('number of', 'count', 'how many')} {keywords(speaker, argument)}"
    words = _words(speaker, program)
    if speaker.chance(0.3):
        words.reverse()
    return speaker.pick(" ", " ", ", ").join(words)


def _words(speaker: Speaker, program: Expression) -> list[str]:
    """What is asked for first, then what leads there."""
    match program:
        case Entity() | Value():
            return [speaker.mark(program)]
        case Class():
            return [plural(speaker.class_noun(program))]
        case And(Class() as klass, Join() as other):
            return [*_words(speaker, klass), *_step(speaker, other)]
        case Join(relation, _):
            asked = [] if relation.inverse else [plural(speaker.subject_noun(program))]
            return [*asked, *_step(speaker, program)]
    raise UnspeakableError


def _step(speaker: Speaker, join: Join) -> list[str]:
    words, argument = speaker.chain(join)
    return [
        words.label,
        *(_step(speaker, argument) if isinstance(argument, Join) else _words(speaker, argument)),
    ]
