"""Constants for which the question has no words left: "which Asian countries border Russia?" means those with
the continent Asia, and not those that were Russian once; a daughter is a child, whatever she speaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.readings import is_same
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.coverage import coverage
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.terms import Literal
from arcaneqa.links import LIKELY, Links
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.rewrite import rewrite


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
