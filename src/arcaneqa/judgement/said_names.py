"""Names that the question says, and names that it does not: of two readings that differ in one relation only,
"which languages are spoken there?" means the languages spoken, and not the official ones; of those who are
buried there, nobody asked for the mammals; and "which Asian countries border Russia?" means those with the
continent Asia, and not those that were Russian once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace, is_same
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.links import LIKELY, Links
from arcaneqa.support.errors import BudgetExceeded

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
        if any(_is_said_rather(other, own, said) for _, other in same)
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


def without_stated(links: Links, found: Sequence[Found]) -> set[ex.Expression]:
    """The programs that are the same as another one but for a value of that which the question states."""
    stated = {literal for link in links.literals for literal in link.readings}
    wider = set()
    for one in found if len(found) > 1 else ():
        for node in ex.post_order(one.program):
            match node:
                case ex.And(rest, ex.Join(ex.Relation(_, False), ex.Value(literal))) if literal in stated:
                    wider.add(_put_for(node, rest, one.program))
                case ex.And(ex.Join(ex.Relation(_, False), ex.Value(literal)), rest) if literal in stated:
                    wider.add(_put_for(node, rest, one.program))
    return wider


def _put_for(node: ex.Expression, other: ex.Expression, program: ex.Expression) -> ex.Expression:
    return rewrite(program, lambda one: other if one == node else one)


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


def _is_said_rather(one: frozenset[str], other: frozenset[str], said: frozenset[str]) -> bool:
    """Whether two names share a word, and of what tells them apart one's is said and the other's is not."""
    own, its = one - other, other - one
    return bool(one & other and own and its) and own <= said and said.isdisjoint(its)


def with_said_constant(links: Links, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with the one name that it does not take up in place of its constant, where one
    relation leads there from those that it chooses among; the program itself where none does."""
    chosen = [node for node in ex.post_order(found.program) if isinstance(node, ex.Cons)]
    left = list(_left(links, found, chosen[0], kb)) if len(chosen) == 1 else []
    if len(left) != 1 or found.result.table is not None:
        return found
    (cons,) = chosen
    try:
        members = execute(cons.argument, kb).nodes
        said = next(_ways(cons, members, left[0], kb), None)
        if said is None:
            return found
        program = rewrite(found.program, lambda node: said if node == cons else node)
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    if result.value is None and not result.nodes:
        return found
    return replace(found, program=program, result=result, trace=_told(found.trace, said, kb))


def without_idle_constant(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Found:
    """The same answers without the program's one constant, where nobody said it and it leaves nothing out."""
    chosen = [node for node in ex.post_order(found.program) if isinstance(node, ex.Cons)]
    kinds = _kinds(found.trace)
    if len(chosen) != 1 or kinds.count(TokenKind.CONSTANT) != 1:
        return found
    if not coverage(question, links, found, kb).unsaid:
        return found
    (cons,) = chosen
    program = rewrite(found.program, lambda node: cons.argument if node == cons else node)
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    if not is_same(result, found.result, kb):
        return found
    last = kinds.index(TokenKind.CONSTANT)
    steps = [step for place, step in enumerate(found.trace.steps) if place not in (last - 1, last)]
    return replace(found, program=program, result=result, trace=Trace(found.trace.topics, steps))


def _kinds(trace: Trace) -> list[TokenKind]:
    """Of what was chosen in each step; a constant comes right after its relation."""
    return [step.candidates[step.choice].kind for step in trace.steps]


def _told(trace: Trace, said: ex.Cons, kb: KnowledgeBase) -> Trace:
    """The same steps, with what was said in place of the relation and the constant that were chosen."""
    assert isinstance(said.constant, ex.Entity)
    relation = kb.schema.relations[kb.schema.relation_ids[said.relation.iri]].label
    texts = {TokenKind.RELATION: relation, TokenKind.CONSTANT: label_of(kb, said.constant.term) or ""}
    kinds, steps = _kinds(trace), list(trace.steps)
    last = kinds.index(TokenKind.CONSTANT) if TokenKind.CONSTANT in kinds else 0
    for place in range(max(last - 1, 0), last + 1):
        if kinds and kinds[place] in texts:
            step = steps[place]
            sure = step.log_probs[step.choice : step.choice + 1]
            steps[place] = Considered(step.context, [Candidate(kinds[place], texts[kinds[place]])], sure, 0)
    return Trace(trace.topics, steps)


def _left(links: Links, found: Found, cons: ex.Cons, kb: KnowledgeBase) -> Iterator[list[int]]:
    """What the likely names may mean that no topic and no constant of the program stands for."""
    taken = [(topic.words.start, topic.words.end) for topic in found.topics]
    node = kb.node(cons.constant.term) if isinstance(cons.constant, ex.Entity) else None
    for mention in links.mentions:
        meant = [one.node for one in mention.candidates]
        is_apart = all(end <= mention.start or mention.end <= start for start, end in taken)
        if mention.score > LIKELY and is_apart and node not in meant:
            yield meant


def _ways(cons: ex.Cons, members: NodeSet, meant: list[int], kb: KnowledgeBase) -> Iterator[ex.Cons]:
    """The constants that are meant to which one relation of the members leads."""
    known = set(kb.out_relations(members).tolist())
    for node in meant:
        one = kb.nodes(np.array([node], np.int64))
        (term,) = kb.terms(one.ids)
        relations = [kb.schema.relations[n] for n in kb.in_relations(one).tolist() if n in known]
        leading = [ex.Relation(r.iri) for r in relations if not r.hidden]
        if isinstance(term, Literal) or len(leading) != 1:
            continue
        yield ex.Cons(cons.argument, leading[0], ex.Entity(term))
