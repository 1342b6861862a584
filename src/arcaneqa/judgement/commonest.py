"""What most have: "which licence is used most often?" asks of all that have one, though it does not say who
they are, and a search that must begin with them finds others."""

from __future__ import annotations

import re

from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.program import expression as ex

_HOW = r"(?:(?P<{end}>most|least)(?:\s+(?:often|commonly|frequently|widely))?)"
_OFTEN = (
    r"(?:common|frequent|popular|used|usual|often|frequently|commonly|widespread|widely\s+used|often\s+used)"
)
_NOUN = r"(?P<{noun}>\w[\w ]*?)"
_ASKED = re.compile(
    rf"(?:(?:what|which)(?:\s+(?:is|are|was))?\s+(?:the\s+)?|the\s+)?{_HOW.format(end='first')}\s+{_OFTEN}\s+{_NOUN.format(noun='of')}"
    rf"|(?:what|which)\s+{_NOUN.format(noun='one')}\s+(?:(?:is|are|was|gets|occurs?|appears?)\s+)?(?:used\s+)?(?:the\s+)?"
    rf"{_HOW.format(end='last')}(?:\s+{_OFTEN})?",
    re.IGNORECASE,
)


def commonest(question: str, kb: KnowledgeBase) -> tuple[ex.Extreme, Relation] | None:
    """The program, and the relation that the question names with nothing else."""
    asked = _ASKED.fullmatch(question.strip(" ?.!"))
    if asked is None:
        return None
    named = {root_of(word) for word in split(asked["of"] or asked["one"])}
    called = [
        relation
        for relation in kb.schema.relations
        if not relation.hidden and {root_of(word) for word in split(relation.label)} == named
    ]
    if len(called) != 1 or ValueKind.NUMBER in called[0].kinds:
        return None
    (relation,) = called
    back = ex.Relation(relation.iri, inverse=True)
    is_most = (asked["first"] or asked["last"]).lower() == "most"
    direction = ex.Direction.LARGEST if is_most else ex.Direction.SMALLEST
    return ex.Extreme(direction, ex.Has(back), ex.Counted((back,))), relation


def is_of_others(program: ex.Expression, relation: Relation) -> bool:
    """Whether a program ranks something else than all that this relation leads to, or a kind's."""
    match program:
        case ex.Extreme(argument=ex.Has(back) | ex.Join(back, ex.Class()), key=ex.Counted(path=(by,))):
            return not (back == by == ex.Relation(relation.iri, inverse=True))
        case ex.Per(path=(by,)) | ex.Sort(ex.Per(path=(by,))):
            return by != ex.Relation(relation.iri, inverse=False)
        case _:
            return True
