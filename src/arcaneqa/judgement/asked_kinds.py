"""The kind of thing that a question asks for by its name: "which carriers have no costs?" wants carriers, and
not the generators that have none, nor what these are called; where those lead to carriers in one way, that is
the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from arcaneqa.induction.found import Found
from arcaneqa.induction.vocabulary import class_words
from arcaneqa.judgement.added import added
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

ASKING = re.compile(
    r"\s*(?:(?:in|on|at|to|from|for)\s+(?=which|what))?"
    r"(?:(?:(?:which|what)(?:\s+(?:is|are|was|were))?|(?:list|show|find|give|return|tell)(?:\s+me)?)"
    r"(?:\s+all)?(?:\s+the)?(?:\s+distinct|\s+different)?\s+(?:names?|titles?|ids?)\s+of(?:\s+all)?(?:\s+the)?"
    r"|(?:which|what|how\s+many|(?:list|show|find|give|return|name)(?:\s+me)?(?:\s+all)?)"
    r"(?:\s+of)?(?:\s+the)?)(?:\s+other)?\s+",
    re.IGNORECASE,
)
"""What comes before the noun: who asks for the names of carriers asks for carriers."""
_ASKS_AGAIN = re.compile(
    r"[.?]\s+(?:what|which|who|how|list|show|find|give|return|tell|name|report|output)\b", re.IGNORECASE
)
"""Who goes on with another sentence says there what is wanted."""
_GOES_ON = re.compile(
    "is|are|was|were|has|have|had|do|does|did|can|could|will|would|that|who|which|whose|with|without|in|of|on|at"
    "|from|for|by|there"
)
"""Words behind a noun that is whole: in "which carrier types are there?" carriers are not asked for."""
_DID = re.compile(
    "[a-z]{2,}ed|won|made|wrote|led|ran|sold|built|took|went|came|gave|sang|flew|grew|held|lost|beat|met|left"
    "|began"
)
_WORDS: WeakKeyDictionary[KnowledgeBase, frozenset[str]] = WeakKeyDictionary()
LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_NAMES: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[int]]] = WeakKeyDictionary()


def kind_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """The kind that is asked for by its name: where the likeliest reading finds another, what it has come
    through of that kind, or what it leads to."""
    kb = asked.kb
    kind = kind_asked_for(asked.question, found, kb)
    if kind is None:
        return None

    def further(found: Sequence[Found]) -> list[Found]:
        best = likeliest(found)
        one = (passed(kind, best, kb) or led_on(kind, best, kb)) if is_another_kind(kind, best, kb) else None
        return [] if one is None else [one]

    return Said(lambda one: is_another_kind(kind, one, kb), further)


def kind_asked_for(question: str, found: Sequence[Found], kb: KnowledgeBase) -> int | None:
    kind = asked_kind(question, kb)
    return asked_kind_passed(question, likeliest(found), kb) if kind is None else kind


def asked_kind(question: str, kb: KnowledgeBase) -> int | None:
    """The class that the question asks for by its whole name, if it is one."""
    kinds = classes_by_name(kb).get(asked_noun(question, kb), ())
    return kinds[0] if len(kinds) == 1 else None


def classes_called(name: str, kb: KnowledgeBase) -> list[int]:
    return classes_by_name(kb).get(tuple(map(root_of, split(name))), [])


def asked_kind_passed(question: str, found: Found, kb: KnowledgeBase) -> int | None:
    """The class that the question asks for by the end of its name ("states" for US states), if it is one,
    where a program comes through such things to others: then there is no doubt that they are meant."""
    noun = asked_noun(question, kb)
    ending = (
        kinds for name, kinds in classes_by_name(kb).items() if noun and name[-len(noun) :] == noun != name
    )
    kinds = [kind for some in ending for kind in some]
    if len(kinds) != 1 or not is_another_kind(kinds[0], found, kb):
        return None
    return None if passed(kinds[0], found, kb) is None else kinds[0]


def asked_noun(question: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """The roots of the words that say what is asked for; none where that cannot be told."""
    asking = None if _ASKS_AGAIN.search(question) else ASKING.match(question)
    return () if asking is None else whole_noun(split(question[asking.end() :]), kb)


def whole_noun(said: list[str], kb: KnowledgeBase) -> tuple[str, ...]:
    """The roots of the words of the noun that a text begins with; none where it is not seen to end."""
    length = next((n for n in range(1, len(said)) if _is_whole(said[:n], said[n], kb)), 0)
    return tuple(map(root_of, said[:length]))


def classes_by_name(kb: KnowledgeBase) -> dict[tuple[str, ...], list[int]]:
    """Classes by the roots of their names' words; read once a knowledge base, which may have thousands."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for klass in kb.schema.classes:
            if not klass.hidden and klass.members:
                names.setdefault(tuple(map(root_of, split(class_words(klass)))), []).append(klass.id)
        _NAMES[kb] = names
    return names


def _is_whole(noun: list[str], following: str, kb: KnowledgeBase) -> bool:
    """Whether a noun ends where another word follows: by that word, or since a noun before another one is
    hardly ever a plural ("which airlines fly", but "which airline codes") and not before what it did."""
    if _GOES_ON.fullmatch(following):
        return True
    if following.isdigit() or root_of(following) in schema_words(kb):
        return False
    *_, last = noun
    is_plural = last.endswith("s") and not last.endswith("ss")
    return is_plural or _DID.fullmatch(following) is not None


def schema_words(kb: KnowledgeBase) -> frozenset[str]:
    """The words of the names of all classes and relations; read once a knowledge base."""
    found = _WORDS.get(kb)
    if found is None:
        labels = (one.label for many in (kb.schema.classes, kb.schema.relations) for one in many)
        found = _WORDS[kb] = frozenset(root_of(word) for label in labels for word in split(label))
    return found


def is_another_kind(kind: int, found: Found, kb: KnowledgeBase) -> bool:
    """Whether nothing that is found, or counted, is of that kind."""
    few = found.nodes.ids[:LOOKED_AT]
    if found.result.table is not None or found.result.value is not None or kb.are_literals(few).any():
        return is_of_others(kind, found, kb)
    return kind not in kb.classes(kb.nodes(few)).tolist()


def finds_others(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether what is asked for by its name surely is not what is counted, or whose texts are found."""
    kind = asked_kind(question, kb)
    return kind is not None and is_of_others(kind, found, kb)


def is_of_others(kind: int, found: Found, kb: KnowledgeBase) -> bool:
    """Whether what is counted, or whose texts are found, is no such thing; of this there is no doubt, while
    not everything need have all its classes."""
    if found.result.table is not None:
        return False
    if found.result.value is not None:
        return _counts_others(kind, found.program, kb)
    is_text = kb.are_literals(found.nodes.ids[:LOOKED_AT]).any()
    return bool(is_text) and _gives_values_of_others(kind, found.program, kb)


def _counts_others(kind: int, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a class is counted that shares no members with that kind, and whose members are not about such
    ones either: rows that say who is enrolled may be counted for the students."""
    if not isinstance(program, ex.Count) or program.path:
        return False
    named = (one.iri for one in conjuncts(program.argument) if isinstance(one, ex.Class))
    return any(
        not share_members(kind, number, kb) and not are_about(number, kind, kb)
        for iri in named
        if (number := kb.schema.class_ids.get(iri)) is not None
    )


def are_about(rows: int, kind: int, kb: KnowledgeBase) -> bool:
    return any(
        relation.domain == rows and relation.range == kind and not relation.hidden
        for relation in kb.schema.relations
    )


def _gives_values_of_others(kind: int, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the answers are texts that others than that kind have: codes of airports where one asks for
    airlines. Not where the name of the column says that it has them."""
    if not isinstance(program, ex.Join) or not program.relation.inverse:
        return False
    number = kb.schema.relation_ids.get(program.relation.iri)
    relation = None if number is None else kb.schema.relations[number]
    if relation is None or ValueKind.TEXT not in relation.kinds:
        return False
    # Pupils and teachers may have the same column of names, whose domain is only one of them.
    if kb.intersects(kb.members(kind), kb.having(Step(relation.id, inverse=False))):
        return False
    named = set(map(root_of, split(relation.label)))
    return named.isdisjoint(map(root_of, split(kb.schema.classes[kind].label)))


def share_members(one: int, other: int, kb: KnowledgeBase) -> bool:
    return one == other or kb.intersects(kb.members(one), kb.members(other))


def passed(kind: int, found: Found, kb: KnowledgeBase) -> Found | None:
    """What a program that finds others has come through on its way, if all of that is of that kind: the
    states whose counties it lists."""
    for program in _sources(found.program, kb):
        try:
            result = execute(program, kb)
        except BudgetExceeded:
            return None
        if result.nodes and not len(kb.difference(result.nodes, kb.members(kind))):
            return replace(found, program=program, result=result)
    return None


def _sources(program: ex.Expression, kb: KnowledgeBase) -> Iterator[ex.Expression]:
    """What each step sets out from, the last step first; neither what is named nor all of a kind, nor what
    tells more of the very same: a body builder is the person that his row is about."""
    while True:
        match program:
            case ex.And(ex.Class(), ex.Join() as joined):
                program = joined
            case ex.Join(_, ex.Entity() | ex.Value() | ex.Class()):
                return
            case ex.Join(relation, argument) if not _is_one_to_one(relation, kb):
                yield argument
                program = argument
            case _:
                return


def _is_one_to_one(relation: ex.Relation, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(relation.iri)
    if number is None:
        return False
    known = kb.schema.relations[number]
    return known.facts == known.objects == len(kb.having(Step(number, inverse=False)))


def led_on(kind: int, found: Found, kb: KnowledgeBase) -> Found | None:
    """What those that were found lead to of that kind, or what of that kind leads to them, if only one of
    their relations does and the program has not come by it."""
    if ex.denotes(found.program) is not ex.Denotation.SET:
        return None
    taken = {node.relation.iri for node in ex.post_order(found.program) if isinstance(node, ex.Join)}
    relations, few = kb.schema.relations, kb.nodes(found.nodes.ids[:LOOKED_AT])
    away = [r for r in kb.out_relations(few).tolist() if relations[r].range == kind]
    back = [r for r in kb.in_relations(few).tolist() if relations[r].domain == kind]
    # One and its inverse are one way.
    back = [r for r in back if relations[r].inverse not in away]
    if len(away) + len(back) != 1:
        return None
    way = relations[(away + back)[0]]
    if way.iri in taken:
        return None
    program = ex.Join(ex.Relation(way.iri, inverse=bool(away)), found.program)
    return added(program, found, way, kb, found.trace.steps)
