"""What most have: "which licence is used most often?" asks of all that have one, though it does not say who
they are, and a search that must begin with them finds others."""

from __future__ import annotations

import re

from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.program import expression as ex

_HOW = r"(?P<{end}>most|least)"
_FREQUENTLY = r"(?:often|frequently|commonly|widely)"
_OFTEN = rf"(?:common|frequent|popular|usual|widespread|(?:{_FREQUENTLY}\s+)?used|{_FREQUENTLY})"
_ASKED = re.compile(
    rf"(?:(?:(?:what|which|who)\s+(?:is|are|was)\s+)?the\s+)?{_HOW.format(end='first')}\s+{_OFTEN}"
    r"\s+(?P<of>\w[\w ]*?)"
    r"|(?:what|which)\s+(?P<one>\w[\w ]*?)\s+"
    rf"(?:(?:is|are|was|were|gets?)\s+(?:\w+\s+(?=\w+\s+{_FREQUENTLY}))?|occurs?\s+|appears?\s+)"
    rf"(?:the\s+)?{_HOW.format(end='last')}\s+{_OFTEN}",
    re.IGNORECASE,
)


def commonest(question: str, kb: KnowledgeBase) -> tuple[ex.Extreme, Relation] | None:
    """The program, and the relation that the question names with nothing else."""
    asked = _ASKED.fullmatch(question.strip(" ?.!"))
    if asked is None:
        return None
    relation = _named(asked["of"] or asked["one"], kb)
    if relation is None or ValueKind.NUMBER in relation.kinds:
        return None
    back = ex.Relation(relation.iri, inverse=True)
    is_most = (asked["first"] or asked["last"]).lower() == "most"
    direction = ex.Direction.LARGEST if is_most else ex.Direction.SMALLEST
    return ex.Extreme(direction, ex.Has(back), ex.Counted((back,))), relation


def _named(noun: str, kb: KnowledgeBase) -> Relation | None:
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
