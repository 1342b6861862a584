"""What is counted, added up and averaged: who asks how many degrees were conferred in 2000 wants the degrees
of all rows added up, not the rows; the zip code with the lowest average pressure is not the one of the lowest
pressure ever measured; and "which licence is used most often?" asks of all that have one, though it does not
say who they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added, put_right
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.unasked import is_unsaid
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import Comparison, KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError

_ASKED = re.compile(r"\b(?:how many|number of)\s+", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b", re.IGNORECASE)


def added_up(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The sum of what each row says in place of a count of the rows, or of the different numbers in them."""
    asked = _ASKED.search(question)
    if asked is None or _DIFFERENT.search(question):
        return found
    match found.program:
        case ex.Count(argument, ()):
            relation = _column_called(question[asked.end() :], argument, kb)
            if relation is None and isinstance(argument, ex.Join) and argument.relation.inverse:
                relation, argument = (
                    _said_as(question[asked.end() :], argument.relation.iri, kb),
                    argument.argument,
                )
        case ex.Count(argument, (ex.Relation(iri, False),)):
            relation = _said_as(question[asked.end() :], iri, kb)
        case ex.Per(argument, _, (ex.Counted((), None),)):
            relation = _column_called(question[asked.end() :], argument, kb)
        case _:
            return found
    if relation is None or relation.objects >= relation.facts:  # what differs in every row tells rows apart
        return found
    path = (ex.Relation(relation.iri),)
    program: ex.Expression = ex.Aggregate(ex.Aggregation.SUM, argument, path)
    if isinstance(found.program, ex.Per):
        program = replace(found.program, columns=(ex.Totalled(ex.Aggregation.SUM, path),))
    return put_right(program, found, kb)


def says_how_many(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program gives the one number that is called what "how many" goes on with: how many pages a
    book has, its pages say."""
    asked = _ASKED.search(question)
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), _) if asked is not None and len(found.nodes) == 1:
            return _said_as(question[asked.end() :], iri, kb) is not None
    return False


_FEW = 3
"""Things that may well have as many of something by chance."""


def is_same_for_all(found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program goes by a count that is the same for all that it chooses among: each state has one
    row of its own, and none has most of these."""
    for node in ex.post_order(found.program):
        match node:
            case ex.Extreme(_, argument, ex.Counted(), 1, 1):
                try:
                    among, best = (len(execute(one, kb).nodes) for one in (argument, node))
                except (BudgetExceeded, ProgramError):
                    continue
                if best == among > _FEW:
                    return True
    return False


_CALLED = re.compile(r"\b(?:called|named|titled|entitled)\b", re.IGNORECASE)


def counts_the_named(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program counts rows by what only one of them is called, or what each row has one of: how many
    were killed at the battle of Hastings is not that there is one such battle, and how many ordered a salad
    not that it has one restaurant."""
    match found.program:
        case ex.Count(argument, ()) if found.result.value is not None and found.result.value.lexical == "1":
            if _CALLED.search(question):
                return False
            if any(_is_its_name(one, kb) for one in conjuncts(argument)):
                return True
            return _is_its_value(argument, kb) and is_unsaid(question, found, kb)
    return False


def _is_its_name(condition: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether only one thing is called so: in full, or by a part of it where the other is another column."""
    match condition:
        case ex.Entity():
            return True
        case ex.Join(ex.Relation(iri, False), ex.Value(literal)) if iri in kb.schema.relation_ids:
            relation = kb.schema.relations[kb.schema.relation_ids[iri]]
            labels = kb.labels(kb.subjects(relation.id, kb.equal(literal)).ids)
            if relation.facts == relation.objects and len(labels) == 1:
                called, said = set(split(labels[0] or "")), set(split(literal.lexical))
                return bool(called) and (called <= said or said <= called)
    return False


def _is_its_value(program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether it is the value that a thing has for a relation by which nothing has two."""
    match program:
        case ex.And(ex.Class(), told) | told if isinstance(told, ex.Join) and told.relation.inverse:
            number = kb.schema.relation_ids.get(told.relation.iri)
            if number is None:
                return False
            has_one = _FEW < kb.schema.relations[number].facts == len(kb.having(Step(number, inverse=False)))
            try:
                return has_one and len(execute(told.argument, kb).nodes) == 1
            except BudgetExceeded:
                return False
    return False


_COUNTED = re.compile(
    r"\b(?:most|fewest|least|(?:more|less|fewer) than \d+|at (?:least|most) \d+|over \d+)\s+(?:number of\s+)?"
    r"|\b(?:largest|highest|greatest|biggest|smallest|lowest|maximum|minimum) number of\s+",
    re.IGNORECASE,
)
_HOW_MANY = frozenset(map(root_of, ("amount", "number", "num", "no", "nos", "count", "total", "of")))

_IN_ALL = frozenset(map(root_of, ("count", "total")))


def counted_within(found: Found, kb: KnowledgeBase) -> Found:
    """The same program with what it chose among counted where it was chosen: the most common weather of a
    city is not the one of its weathers that is most common anywhere."""
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program):
        match node:
            case ex.Extreme(
                _,
                ex.Join(ex.Relation(_, True) as back, ex.Join() | ex.And() | ex.Compare() as some),
                ex.Counted((by,), None | ex.Class()),
            ) if by == back:
                changed[node] = replace(node, key=ex.Counted((by,), some))
    return _changed(changed, found, kb)


def said_once(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with a number taken for what some have, and not for how many of those as well:
    stations that had 7 bikes are not those that had 7 bikes 7 times."""
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program):
        match node:
            case ex.Compare(
                Comparison.GT | Comparison.GE,
                ex.Counted((ex.Relation(_, True) as back,), ex.Join() | ex.And() | ex.Compare() as some),
                ex.Value(literal),
            ) if question.count(literal.lexical) == 1 and _has_number(some, literal):
                changed[node] = ex.Join(back, some)
    return _changed(changed, found, kb)


def _changed(nodes: Mapping[ex.Expression, ex.Expression], found: Found, kb: KnowledgeBase) -> Found:
    """The same with other nodes in the place of these. Most often there are none: then nothing is done."""
    if not nodes:
        return found
    return put_right(rewrite(found.program, lambda node: nodes.get(node, node)), found, kb)


def _has_number(program: ex.Expression, literal: Literal) -> bool:
    values = (node.literal for node in ex.post_order(program) if isinstance(node, ex.Value))
    return any(one.lexical == literal.lexical for one in values)


def by_own_count(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program by the number that says itself how many there are, in place of a count."""
    asked = _COUNTED.search(question)
    said = [] if asked is None else list(map(root_of, split(question[asked.end() :])))
    changed: dict[ex.Expression, ex.Expression] = {}
    for node in ex.post_order(found.program) if said else ():
        match node:
            case ex.Extreme(
                _, ex.Join(ex.Relation(_, True) as back, ex.Class() as rows), ex.Counted((by,), None)
            ) if by == back and (column := _own_count(said, rows, kb)) is not None:
                changed[node] = ex.Join(back, replace(node, argument=rows, key=(ex.Relation(column.iri),)))
            case ex.Extreme(_, argument, ex.Counted(_, None | ex.Class())):
                column = _own_count(said, argument, kb)
                if column is not None:
                    changed[node] = replace(node, key=(ex.Relation(column.iri),))
            case ex.And(argument, ex.Compare(_, ex.Counted(_, None | ex.Class()), ex.Value()) as compared):
                column = _own_count(said, argument, kb)
                if column is not None:
                    changed[node] = ex.And(argument, replace(compared, key=ex.Relation(column.iri)))
    return _changed(changed, found, kb) if len(changed) == 1 else found


def _own_count(said: list[str], rows: ex.Expression, kb: KnowledgeBase) -> Relation | None:
    named = (one.iri for one in conjuncts(rows) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    for relation in kb.schema.relations:
        if relation.domain in kinds and relation.kinds == {ValueKind.NUMBER} and not relation.is_identifier:
            name = list(map(root_of, split(relation.label)))
            counted = [word for word in name if word not in _HOW_MANY]
            if len(name) == 1 and name[0] in _IN_ALL and relation.domain is not None:
                # The total of murders says how many murders there were.
                counted = list(map(root_of, split(kb.schema.classes[relation.domain].label)))
                name = [*counted, *name]
            if counted and len(counted) < len(name) and said[: len(counted)] == counted:
                return relation
    return None


def _column_called(said: str, rows: ex.Expression, kb: KnowledgeBase) -> Relation | None:
    """The number of the counted rows that is called what the text begins with."""
    named = (one.iri for one in conjuncts(rows) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    return next((r for r in kb.schema.relations if r.domain in kinds and _is_said(said, r)), None)


def _said_as(said: str, iri: str, kb: KnowledgeBase) -> Relation | None:
    number = kb.schema.relation_ids.get(iri)
    relation = None if number is None else kb.schema.relations[number]
    return relation if relation is not None and _is_said(said, relation) else None


def _is_said(said: str, relation: Relation) -> bool:
    """Whether a number is called what the text begins with, letter by letter: "degrees" says how many degrees
    there are, but "flight" is the number of one flight."""
    name = split(relation.label)
    return (
        relation.kinds == {ValueKind.NUMBER}
        and not (relation.hidden or relation.is_identifier)
        and split(said)[: len(name)] == name
    )


_AVERAGE = re.compile(r"\b(?:averages?|avg)\b", re.IGNORECASE)


def of_groups(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program by the average of all that belong to one, where the question says so and the program
    goes by one of them; the program itself where it does not."""
    nodes = list(ex.post_order(found.program))
    if len(_AVERAGE.findall(question)) <= sum(map(_is_average, nodes)):
        return found
    changed = {node: other for node in nodes if (other := _of_group(node, kb)) is not None}
    return _changed(changed, found, kb) if len(changed) == 1 else found


def _is_average(node: ex.Expression) -> bool:
    if isinstance(node, ex.Aggregate):
        return node.function is ex.Aggregation.AVG
    return any(isinstance(key, ex.Totalled) and key.function is ex.Aggregation.AVG for key in _keys_of(node))


def _keys_of(node: ex.Expression) -> Iterator[object]:
    match node:
        case ex.Extreme() | ex.Compare() | ex.Sort():
            if (
                len(ex.path_of(node.key)) > 1
            ):  # the average of the one number that a member has is that number
                yield node.key
        case ex.Show() | ex.Per():
            yield from node.columns


def _of_group(node: ex.Expression, kb: KnowledgeBase) -> ex.Expression | None:
    """By the group where it went by one of its members."""
    match node:
        case ex.Join(ex.Relation(_, True) as back, ex.Extreme(_, ex.Class() as members, key) as best) if (
            _gives_numbers(key, kb)
        ):
            return replace(best, argument=ex.Join(back, members), key=_average(back, key))
        case ex.Join(ex.Relation(_, True) as back, ex.Compare(_, key) as compared) | ex.Join(
            ex.Relation(_, True) as back, ex.And(ex.Class(), ex.Compare(_, key) as compared)
        ) if _gives_numbers(key, kb):
            return ex.And(ex.Has(back), replace(compared, key=_average(back, key)))
    return None


def _average(back: ex.Relation, key: ex.Key | ex.Relation) -> ex.Totalled:
    return ex.Totalled(ex.Aggregation.AVG, (back, *ex.path_of(key)))


def _gives_numbers(key: ex.Key | ex.Relation, kb: KnowledgeBase) -> bool:
    if isinstance(key, ex.Counted) or len(ex.path_of(key)) != 1:
        return False
    number = kb.schema.relation_ids.get(ex.path_of(key)[-1].iri)
    return number is not None and kb.schema.relations[number].kinds == {ValueKind.NUMBER}


_END = re.compile(
    r"\s*(?:(?:what|which)\s+(?:is|was)\s+)?(?:the\s+)?(?:most|least|best|worst|[a-z]{2,}est)\s+",
    re.IGNORECASE,
)
_GOES_ON_WITH = frozenset(("of", "among", "in", "for", "at", "on", "ever", "by", "with"))
_AGGREGATES = {ex.Direction.LARGEST: ex.Aggregation.MAX, ex.Direction.SMALLEST: ex.Aggregation.MIN}


def value_at_the_end(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The number itself, where a question asks for nothing but the largest or smallest of a column: the
    lowest price is no product."""
    asked = _END.match(question)
    match found.program:
        case ex.Extreme(direction, argument, (ex.Relation(iri, False) as relation,), 1, 1) if asked:
            number = kb.schema.relation_ids.get(iri)
            said = list(map(root_of, split(question[asked.end() :])))
            name = [] if number is None else list(map(root_of, split(kb.schema.relations[number].label)))
            goes_on = said[len(name) : len(name) + 1]
            is_asked_for = bool(name) and said[: len(name)] == name and _GOES_ON_WITH.issuperset(goes_on)
            is_number = number is not None and kb.schema.relations[number].kinds == {ValueKind.NUMBER}
            if is_asked_for and is_number:
                return put_right(ex.Aggregate(_AGGREGATES[direction], argument, (relation,)), found, kb)
    return found


_HOW_COMMON = r"(?P<{end}>most|least)"
_FREQUENTLY = r"(?:often|frequently|commonly|widely)"
_OFTEN = rf"(?:common|frequent|popular|usual|widespread|(?:{_FREQUENTLY}\s+)?used|{_FREQUENTLY})"
_ASKED_FOR = re.compile(
    rf"(?:(?:(?:what|which|who)\s+(?:is|are|was)\s+)?the\s+)?{_HOW_COMMON.format(end='first')}\s+{_OFTEN}"
    r"\s+(?P<of>\w[\w ]*?)"
    r"|(?:what|which)\s+(?P<one>\w[\w ]*?)\s+"
    rf"(?:(?:is|are|was|were|gets?)\s+(?:\w+\s+(?=\w+\s+{_FREQUENTLY}))?|occurs?\s+|appears?\s+)"
    rf"(?:the\s+)?{_HOW_COMMON.format(end='last')}\s+{_OFTEN}",
    re.IGNORECASE,
)


def commonest_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """What most have, of all that have it: where no reading ranks these, one that does."""
    said = commonest(asked.question, asked.kb)
    if said is None:
        return None
    program, relation = said

    def further(found: Sequence[Found]) -> list[Found]:
        if not all(is_of_others(one.program, relation) for one in found):
            return []
        one = added(program, replace(likeliest(found), topics=()), relation, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: is_of_others(one.program, relation), further)


def commonest(question: str, kb: KnowledgeBase) -> tuple[ex.Extreme, Relation] | None:
    """The program, and the relation that the question names with nothing else."""
    asked = _ASKED_FOR.fullmatch(question.strip(" ?.!"))
    if asked is None:
        return None
    relation = _relation_named(asked["of"] or asked["one"], kb)
    if relation is None or ValueKind.NUMBER in relation.kinds:
        return None
    back = ex.Relation(relation.iri, inverse=True)
    is_most = (asked["first"] or asked["last"]).lower() == "most"
    direction = ex.Direction.LARGEST if is_most else ex.Direction.SMALLEST
    return ex.Extreme(direction, ex.Has(back), ex.Counted((back,))), relation


def _relation_named(noun: str, kb: KnowledgeBase) -> Relation | None:
    """The one relation of that name, or the one that leads to the kind of that name."""
    shown = [relation for relation in kb.schema.relations if not relation.hidden]
    called = [relation for relation in shown if _roots(relation.label) == _roots(noun)]
    if not called:
        kinds = {klass.id for klass in kb.schema.classes if _roots(klass.label) == _roots(noun)}
        called = [relation for relation in shown if relation.range in kinds]
    return called[0] if len(called) == 1 else None


def _roots(label: str) -> set[str]:
    return {root_of(word) for word in split(label)}


def is_of_others(program: ex.Expression, relation: Relation) -> bool:
    """Whether a program ranks something else than all that this relation leads to, or a kind's."""
    match program:
        case ex.Extreme(argument=ex.Has(back) | ex.Join(back, ex.Class()), key=ex.Counted(path=(by,))):
            return not (back == by == ex.Relation(relation.iri, inverse=True))
        case ex.Extreme(argument=ex.Class(), key=ex.Counted(path=(by,))):
            return by != ex.Relation(relation.iri, inverse=True)
        case ex.Per(path=(by,)) | ex.Sort(ex.Per(path=(by,))):
            return by != ex.Relation(relation.iri, inverse=False)
        case _:
            return True
