"""Names that the question says, and names that it does not: of two readings that differ in one relation only,
"which languages are spoken there?" means the languages spoken, and not the official ones; and of those who
are buried there, nobody asked for the mammals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.induction.readings import is_same
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite

_ANY = ex.Relation("")


def said_otherwise(question: str, found: Sequence[Found], kb: KnowledgeBase) -> set[ex.Expression]:
    """The programs that take a relation where another one would do whose name the question says: all that
    tells the other from it is said, and nothing that tells it from the other."""
    said = frozenset(map(root_of, split(question)))
    alike: dict[ex.Expression, list[tuple[ex.Expression, frozenset[str]]]] = {}
    for one in found if len(found) > 1 else ():
        joined = (node.relation.iri for node in ex.post_order(one.program) if isinstance(node, ex.Join))
        for iri in dict.fromkeys(joined):
            alike.setdefault(_without(iri, one.program), []).append((one.program, _words(iri, kb)))
    return {
        program
        for same in alike.values()
        for program, own in same
        if any(is_said_rather(other, own, said) for _, other in same)
    }


def narrowed_unsaid(question: str, found: Sequence[Found], kb: KnowledgeBase) -> set[ex.Expression]:
    """The programs that leave some out of what another one finds, by a class of which no word is said."""
    said = frozenset(map(root_of, split(question)))
    known = {one.program: one for one in found}
    narrowed = set()
    for one in found:
        for node in ex.post_order(one.program):
            if (
                isinstance(node, ex.And)
                and isinstance(node.left, ex.Class)
                and _is_unsaid(node.left, said, kb)
            ):
                wider = known.get(_with_all(node, one.program))
                if wider is not None and not is_same(wider.result, one.result, kb):
                    narrowed.add(one.program)
    return narrowed


def _is_unsaid(klass: ex.Class, said: frozenset[str], kb: KnowledgeBase) -> bool:
    number = kb.schema.class_ids.get(klass.iri)
    return number is not None and said.isdisjoint(map(root_of, split(kb.schema.classes[number].label)))


def _with_all(narrowing: ex.And, program: ex.Expression) -> ex.Expression:
    """The program with all that a class narrows."""
    return rewrite(
        program, lambda node: node.right if node == narrowing and isinstance(node, ex.And) else node
    )


def _without(iri: str, program: ex.Expression) -> ex.Expression:
    """The program with any relation in the place of this one, whichever way it is gone."""

    def change(node: ex.Expression) -> ex.Expression:
        return (
            replace(node, relation=_ANY) if isinstance(node, ex.Join) and node.relation.iri == iri else node
        )

    return rewrite(program, change)


def _words(iri: str, kb: KnowledgeBase) -> frozenset[str]:
    number = kb.schema.relation_ids.get(iri)
    label = "" if number is None else kb.schema.relations[number].label
    return frozenset(map(root_of, split(label))) - SMALL


def is_said_rather(one: frozenset[str], other: frozenset[str], said: frozenset[str]) -> bool:
    """Whether two names share a word, and of what tells them apart one's is said and the other's is not."""
    own, its = one - other, other - one
    return bool(one & other and own and its) and own <= said and said.isdisjoint(its)
