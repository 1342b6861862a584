"""Questions for the forms beyond the paper's: totals, yes or no, lists and tables, and sets of all forms."""

from __future__ import annotations

from arcaneqa.kb.interface import Comparison
from arcaneqa.program import expression as ex
from arcaneqa.synthesis import questions
from arcaneqa.synthesis.form_phrases import FormSpeaker, spoken
from arcaneqa.synthesis.inflection import plural, singular, with_article
from arcaneqa.synthesis.noun_phrases import UnspeakableError
from arcaneqa.synthesis.word_tables import TABLES

_COMMANDS: tuple[str, ...] = tuple(TABLES["openings"]["commands"])


def ask(speaker: FormSpeaker, program: ex.Expression, answers: int) -> str:
    match program:
        case ex.Extreme(direction, ex.Join(back, ex.Class() as klass), ex.Counted((again,), within)) if (
            back == again and within in (None, klass)
        ):
            return _commonest(speaker, klass, back, direction is ex.Direction.LARGEST)
        case ex.Extreme(
            direction, ex.Or(ex.Entity() as one, ex.Entity() as two), (ex.Relation() as relation,)
        ):
            return _which_of(speaker, one, two, relation, direction is ex.Direction.LARGEST)
        case ex.Extreme(_, _, _, first, last) if last > first:
            phrase = speaker.phrase(program, many=True)
            return speaker.pick(
                f"what are the {phrase.bare()}",
                f"which are the {phrase.bare()}",
                f"{_command(speaker)} the {phrase.bare()}",
                f"the {phrase.bare()}",
                phrase.bare(),
            )
        case ex.Count(argument, path) if path:
            return _different(speaker, argument, path)
        case ex.Aggregate(function, argument, path):
            return _total(speaker, speaker.total(function, path), argument)
        case ex.Meet(left, right):
            return _truth(speaker, left, right)
        case ex.Sort(ex.Per() as table, _, descending):
            order = speaker.pick("most first", "in descending order", "largest first")
            least = speaker.pick("fewest first", "in ascending order", "smallest first")
            return f"{_per(speaker, table)}, {order if descending else least}"
        case ex.Per():
            return _per(speaker, program)
        case ex.Sort(argument, (relation,), descending):
            return _sorted(speaker, argument, relation, descending)
        case ex.Show(argument, columns):
            return _table(speaker, argument, columns)
    return questions.ask(speaker, program, answers)


def _command(speaker: FormSpeaker) -> str:
    return speaker.rng.choice(_COMMANDS)


def _members(speaker: FormSpeaker, argument: ex.Expression) -> str:
    phrase = speaker.phrase(argument, many=True)
    if phrase.name is not None:
        raise UnspeakableError
    return phrase.bare()


def _commonest(speaker: FormSpeaker, klass: ex.Class, back: ex.Relation, largest: bool) -> str:
    noun, many = spoken(speaker.lexicon.relation(back)), plural(speaker.class_noun(klass))
    common = speaker.pick("most common", "most frequent", "most popular") if largest else "least common"
    most = (
        speaker.pick("the most", "the largest number of")
        if largest
        else speaker.pick("the fewest", "the least")
    )
    options = [
        f"what is the {common} {noun} of {many}",
        f"what is the {common} {noun} among {many}",
        f"which {noun} has {most} {many}",
        f"which {noun} is the {common} for {many}",
        f"{common} {noun} of {many}",
        f"{_command(speaker)} the {noun} with {most} {many}",
    ]
    if largest:
        options += [f"what {noun} do most {many} have", f"which {noun} do the most {many} have"]
    return speaker.rng.choice(options)


def _which_of(
    speaker: FormSpeaker, one: ex.Entity, two: ex.Entity, relation: ex.Relation, largest: bool
) -> str:
    words = speaker.lexicon.relation(relation)
    pair = f"{speaker.mark(one)} or {speaker.mark(two)}"
    best = speaker.most_word(relation, largest)
    options = [
        f"which has the {'higher' if largest else 'lower'} {words.label}, {pair}",
        f"which one has {'more' if largest else 'less'} {words.label}, {pair}",
        f"{pair}: which has the {'larger' if largest else 'smaller'} {words.label}",
    ]
    if words.is_time:
        options = [f"which has the {'later' if largest else 'earlier'} {words.label}, {pair}"]
    if best is not None and best.endswith("est"):
        more = best.removesuffix("est") + "er"
        options += [f"which is {more}, {pair}", f"what is {more}, {pair}", f"is {pair} {more}"] * 2
    return speaker.rng.choice(options)


def _different(speaker: FormSpeaker, argument: ex.Expression, path: ex.Path) -> str:
    noun = plural(spoken(speaker.lexicon.relation(path[-1])))
    many = _members(speaker, argument)
    different = speaker.pick("different", "distinct", "different")
    return speaker.pick(
        f"how many {different} {noun} do {many} have",
        f"how many {different} {noun} are there among {many}",
        f"how many {different} {noun} are there for {many}",
        f"number of {different} {noun} of {many}",
        f"what is the number of {different} {noun} of {many}",
        f"count the {different} {noun} of {many}",
    )


def _total(speaker: FormSpeaker, total: str, argument: ex.Expression) -> str:
    many = _members(speaker, argument)
    each = speaker.pick("all", "the", "") if isinstance(argument, ex.Class) else speaker.pick("the", "")
    of = speaker.pick(f"of {each} {many}", f"of {each} {many}", f"across {each} {many}", f"for {each} {many}")
    return speaker.pick(
        f"what is the {total} {of}",
        f"what is the {total} {of}",
        f"{total} {of}",
        f"{_command(speaker)} the {total} {of}",
        f"what's the {total} {of}",
    )


# Yes or no -------------------------------------------------------------------------------------------


def _truth(speaker: FormSpeaker, left: ex.Expression, right: ex.Expression) -> str:
    match left, right:
        case ex.Entity() as one, ex.Compare(
            comparison, ex.Relation() as relation, ex.Join(_, ex.Entity() as two)
        ):
            x, y, over = speaker.mark(one), speaker.mark(two), comparison is Comparison.GT
            modifier = speaker.than(relation, over, y)
            if modifier.single.startswith("is "):
                return f"is {x} {modifier.single.removeprefix('is ')}"
            return f"does {x} have {modifier.relative.removeprefix('with ')}"
        case ex.Entity() as one, ex.Join(
            ex.Relation(_, False) as relation, (ex.Entity() | ex.Value()) as value
        ):
            noun = spoken(speaker.lexicon.relation(relation))
            x, y = speaker.mark(one), speaker.mark(value)
            return speaker.pick(
                f"is {y} the {noun} of {x}",
                f"does {x} have {y} as {noun}",
                f"does {x} have the {noun} {y}",
                f"is the {noun} of {x} {y}",
                f"is {x}'s {noun} {y}",
            )
        case ex.Class() as klass, ex.Join(
            ex.Relation(_, False) as relation, (ex.Entity() | ex.Value()) as value
        ):
            noun = spoken(speaker.lexicon.relation(relation))
            kind, y = singular(speaker.class_noun(klass)), speaker.mark(value)
            return speaker.pick(
                f"are there any {plural(kind)} with the {noun} {y}",
                f"is there {with_article(kind)} whose {noun} is {y}",
                f"are there {plural(kind)} with {noun} {y}",
                f"does any {kind} have {y} as {noun}",
            )
    raise UnspeakableError


# Lists and tables --------------------------------------------------------------------------------------


def _sorted(speaker: FormSpeaker, argument: ex.Expression, relation: ex.Relation, descending: bool) -> str:
    many, label = _members(speaker, argument), speaker.lexicon.relation(relation).label
    high = speaker.pick(
        "highest first", "largest first", "in descending order", "from high to low", "descending"
    )
    low = speaker.pick(
        "lowest first", "smallest first", "in ascending order", "from low to high", "ascending"
    )
    if speaker.lexicon.relation(relation).is_time:
        high, low = (
            speaker.pick("latest first", "newest first"),
            speaker.pick("earliest first", "oldest first"),
        )
    order = high if descending else speaker.pick(low, "")
    by = speaker.pick("by", "sorted by", "ordered by", "in order of")
    said = f"{many} {by} {label}" + (f", {order}" if order else "")
    return speaker.pick(
        f"{_command(speaker)} {speaker.pick('all', 'the', '')} {said}", said, f"what are the {said}"
    )


def _table(speaker: FormSpeaker, argument: ex.Expression, columns: tuple[object, ...]) -> str:
    if isinstance(argument, ex.Sort):
        table = _table(speaker, argument.argument, columns)
        assert isinstance(argument.key, tuple)
        label = speaker.lexicon.relation(argument.key[-1]).label
        return f"{table}, {speaker.pick('sorted by', 'ordered by')} {label}" + (
            speaker.pick(" descending", ", highest first") if argument.descending else ""
        )
    labels = [_column(speaker, column) for column in columns]
    many = _members(speaker, argument)
    if all(isinstance(column, ex.Totalled) for column in columns):
        return speaker.pick(
            f"what are the {_listed(labels)} of {many}",
            f"{_command(speaker)} the {_listed(labels)} of {many}",
        )
    if columns[0] != ():
        every = speaker.pick("of all", "of the", "of each of the", "for all")
        return speaker.pick(
            f"{_command(speaker)} the {_listed(labels)} {every} {many}",
            f"what are the {_listed(labels)} {every} {many}",
            f"{_listed(labels)} of {many}",
        )
    whole = _listed(labels[1:])
    return speaker.pick(
        f"{_command(speaker)} the {many} with their {whole}",
        f"{_command(speaker)} {speaker.pick('the', 'all')} {many} and their {whole}",
        f"{many} with {whole}",
        f"what are the names and {whole} of {many}",
        f"{_command(speaker)} the name, {whole} of each of the {many}",
        f"what are the {many} and their {whole}",
        f"name and {whole} of all {many}",
    )


def _column(speaker: FormSpeaker, column: object) -> str:
    match column:
        case ():
            return speaker.pick("name", "names", "name")
        case (ex.Relation() as relation,):
            return spoken(speaker.lexicon.relation(relation))
        case (ex.Relation() as near, ex.Relation() as far):
            owner, label = (spoken(speaker.lexicon.relation(relation)) for relation in (near, far))
            return speaker.pick(f"{label} of their {owner}", f"{owner}'s {label}", f"{owner} {label}")
        case ex.Totalled(function, path):
            return speaker.total(function, path)
    raise UnspeakableError


def _listed(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"


def _per(speaker: FormSpeaker, table: ex.Per) -> str:
    group = spoken(speaker.lexicon.relation(table.path[-1]))
    many = _members(speaker, table.argument)
    (column,) = table.columns
    if isinstance(column, ex.Totalled):
        total = speaker.total(column.function, column.path)
        return speaker.pick(
            f"what is the {total} of {many} for each {group}",
            f"{total} of {many} per {group}",
            f"for each {group}, what is the {total} of {many}",
            f"{_command(speaker)} the {total} of {many} by {group}",
            f"{_command(speaker)} each {group} with the {total} of its {many}",
        )
    return speaker.pick(
        f"how many {many} are there for each {group}",
        f"how many {many} does each {group} have",
        f"number of {many} per {group}",
        f"for each {group}, how many {many} are there",
        f"{_command(speaker)} the number of {many} by {group}",
        f"count the {many} of each {group}",
        f"{_command(speaker)} each {group} and the number of {many}",
    )
