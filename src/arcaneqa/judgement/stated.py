"""Values that a question states and a program leaves out: "musicals with a rating above 8", found as all that
is rated so. Where they are a fact of what the program has all of, that is narrowed by it; and of two programs
that are the same but for such a value, the one that leaves it out is not meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.added import narrowed
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.links import Links, LiteralLink
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite


def with_stated(links: Links, found: Iterable[Found], kb: KnowledgeBase) -> Iterator[Found]:
    """The programs, and after each that has all of a class and leaves out a text that only its members have
    the same with those that have it."""
    stated = [one for one in links.literals if _texts(one)]
    for one in found:
        yield one
        for link in stated:
            if (fewer := _narrowed(one, link, kb)) is not None:
                yield fewer


def _texts(link: LiteralLink) -> list[Literal]:
    """The texts that a stretch is, but for plurals, else those that a single word stands for; what only holds
    several words says more."""
    said, texts = (
        list(map(root_of, split(link.text))),
        [one for one in link.readings if kind_of(one) is ValueKind.TEXT],
    )
    same = [one for one in texts if list(map(root_of, split(one.lexical))) == said]
    return same or (texts if len(said) == 1 else [])


Wider = dict[ex.Expression, set[Literal]]


def wider(found: Iterable[Found]) -> Wider:
    """What programs would be without one of their values, each with the values that they have more."""
    known: Wider = {}
    for one in found:
        for node in ex.post_order(one.program):
            match node:
                case ex.And(rest, ex.Join(ex.Relation(_, False), ex.Value(literal))):
                    pass
                case ex.And(ex.Join(ex.Relation(_, False), ex.Value(literal)), rest):
                    pass
                case _:
                    continue
            without = _without(one.program, node, rest)
            known.setdefault(without, set()).add(literal)
    return known


def _without(program: ex.Expression, narrowed_: ex.Expression, rest: ex.Expression) -> ex.Expression:
    return rewrite(program, lambda node: rest if node == narrowed_ else node)


def is_wider(program: ex.Expression, unused: Collection[str], links: Links, known: Wider) -> bool:
    """Whether another program says the same of fewer, by a text that this one leaves out."""
    more = known.get(program, set())
    return any(link.text in unused and not more.isdisjoint(link.readings) for link in links.literals)


def _narrowed(found: Found, link: LiteralLink, kb: KnowledgeBase) -> Found | None:
    if any(topic.words.start < link.end and link.start < topic.words.end for topic in found.topics):
        return None
    classes = {node for node in ex.post_order(found.program) if isinstance(node, ex.Class)}
    if len(classes) != 1 or found.result.table is not None:
        return None
    (kind,) = classes
    number = kb.schema.class_ids.get(kind.iri)
    told = None if number is None else _most_told(number, _texts(link), kb)
    if told is None:
        return None
    relation, text = told
    if any(relation.iri == one.iri for node in ex.post_order(found.program) for one in ex.relations(node)):
        return None
    condition = ex.Join(ex.Relation(relation.iri), ex.Value(text))
    program = rewrite(found.program, lambda node: ex.And(kind, condition) if node == kind else node)
    by = [Candidate(TokenKind.RELATION, relation.label), Candidate(TokenKind.LITERAL, text.lexical)]
    return narrowed(program, found, by, kb)


def _most_told(kind: int, texts: Iterable[Literal], kb: KnowledgeBase) -> tuple[Relation, Literal] | None:
    """By which relation most members of a class have one of the texts. What one alone has is its name."""
    members = kb.members(kind)
    counted = []
    for text in texts:
        nodes = kb.equal(text)
        for number in kb.in_relations(nodes).tolist():
            relation = kb.schema.relations[number]
            if relation.domain == kind and not relation.hidden:
                whose = len(kb.intersection(members, kb.subjects(number, nodes)))
                if whose > 1:
                    counted.append((whose, -number, relation, text))
    if not counted:
        return None
    _, _, relation, text = max(counted, key=lambda one: one[:2])
    return relation, text
