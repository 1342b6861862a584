"""Who does it to whom, where a relation is called by a verb: "who knows Fantine?" asks for those who know
her, "whom does Fantine know?" for those whom she knows, and neither for anything further. Where nobody does,
that is the answer, and not what else is known of her."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked_kinds import asked_kind
from arcaneqa.judgement.rules import Asked, Said
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation
from arcaneqa.language import expression as ex

_THIRD_PERSON = re.compile(r"\b([a-z]{2,}[^s\W])s\b")
_SIBILANT = re.compile(r"(?<=ss|ch|sh)e$|(?<=x)e$")
_WHO = r"(?:who|whom|what|(?:which|what|how\s+many)(?P<kind>(?:\s+\w+){1,3}?))"
_ARTICLE = r"(?:\s+(?:the|an?))?\s+"
_DOING = re.compile(rf"(?:{_WHO}\s+)?(?:do|does|did){_ARTICLE}")
_HAVING = frozenset(("has", "have", "had", "having", "with"))
_HOW_MANY = re.compile(
    r"\d+|the|an?|at|more|most|fewer|fewest|less|least|than|exactly|only|over|under|different|any|several|many"
    r"|one|two|three|four|five|six|seven|eight|nine|ten"
)
_VERBS: WeakKeyDictionary[KnowledgeBase, tuple[tuple[str, Relation], ...]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Deed:
    """All that a question says: a verb and whom it names. `joins` are the ways to say it; where nobody does
    it, or does it to them, there are none."""

    relation: Relation
    named: ex.Entity
    is_done_by: bool
    kind: str
    joins: tuple[ex.Join, ...]

    def is_other(self, program: ex.Expression) -> bool:
        """Whether a program says something else."""
        return not any(part in self.joins for side in _sides(program) for part in conjuncts(side))


def deed_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """What somebody does, by a verb: the program that says so where the search has left it."""
    said = deed(asked.question, found, asked.kb)
    if said is None:
        return None

    def further(found: Sequence[Found]) -> list[Found]:
        one = outright(asked.question, said, found, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: said.is_other(one.program), further)


def deed(question: str, found: Sequence[Found], kb: KnowledgeBase) -> Deed | None:
    text = question.lower().rstrip(" ?.!")
    verbs = [(verb, relation) for verb, relation in _verbs(kb) if verb in text]
    said: list[Deed] = []
    for topic in dict.fromkeys(topic for one in found for topic in one.topics) if verbs else ():
        if isinstance(topic.term, ex.Entity):
            said += _said(text, verbs, topic.term, topic.words.start, topic.words.end, kb)
    if not said or len({one.relation.id for one in said}) > 1:
        return None
    done = tuple(join for one in said for join in one.joins)
    # A name may be that of several; who asks of one that does it means that one.
    return replace(next((one for one in said if one.joins), said[0]), joins=done)


def outright(question: str, said: Deed, found: Sequence[Found], kb: KnowledgeBase) -> Found | None:
    """The program that says this and no more, where the search has left it."""
    if " " in said.kind or not said.joins or any(not said.is_other(one.program) for one in found):
        return None
    program: ex.Expression = said.joins[0]
    if (kind := asked_kind(question, kb)) is not None:
        program = ex.And(ex.Class(kb.schema.classes[kind].iri), program)
    if question.lower().startswith("how many"):
        program = ex.Count(program)
    whose = [one for one in found if said.named in ex.mentioned(one.program)]
    best = max(whose, key=lambda one: one.score, default=None)
    return None if best is None else added(program, best, said.relation, kb)


def counts_backwards(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether those are counted whose parent somebody is, where the question says how many parents they
    have."""
    keys = (node.key for node in ex.post_order(program) if isinstance(node, ex.Compare | ex.Extreme))
    for key in keys:
        match key:
            case ex.Counted(path=(ex.Relation(iri, inverse=True),)) if iri in kb.schema.relation_ids:
                relation = kb.schema.relations[kb.schema.relation_ids[iri]]
                if relation.domain == relation.range and _has_so_many(question, relation.label):
                    return True
    return False


def _has_so_many(question: str, name: str) -> bool:
    said, named = split(question), [root_of(word) for word in split(name)]
    for start in (place for place, word in enumerate(said) if word in _HAVING):
        rest = [root_of(word) for word in dropwhile(_HOW_MANY.fullmatch, said[start + 1 :])]
        if named and rest[: len(named)] == named:
            return True
    return False


def _said(
    text: str,
    verbs: Sequence[tuple[str, Relation]],
    entity: ex.Entity,
    start: int,
    end: int,
    kb: KnowledgeBase,
) -> Iterator[Deed]:
    """What the words around a name say with it, if they are one of the verbs and nothing else."""
    before, behind = text[:start], " ".join(text[end:].split())
    doing = _DOING.fullmatch(before)
    for verb, relation in verbs:
        pattern = r"\s+".join(map(re.escape, verb.split()))
        asked = None if behind else re.fullmatch(rf"{_WHO}\s+{pattern}{_ARTICLE}", before)
        if asked is not None:
            yield from _deed(relation, entity, False, (asked["kind"] or "").strip(), kb)
        elif not behind and re.fullmatch(rf"(?:do|does|did)\s.*\s{pattern}{_ARTICLE}", before):
            yield from _deed(relation, entity, False, "", kb, is_certain=False)
        elif doing is not None and behind == verb:
            yield from _deed(relation, entity, True, (doing["kind"] or "").strip(), kb)
        elif doing is not None and before.startswith("d") and behind.startswith(f"{verb} "):
            yield from _deed(relation, entity, True, "", kb, is_certain=False)


def _deed(
    relation: Relation,
    entity: ex.Entity,
    is_done_by: bool,
    kind: str,
    kb: KnowledgeBase,
    is_certain: bool = True,
) -> Iterator[Deed]:
    """`is_certain`: that somebody does it; yes or no may be asked of what is not so."""
    node = kb.node(entity.term)
    if node is None:
        return
    own = kb.nodes(np.array([node], np.int64))
    relations = kb.out_relations(own) if is_done_by else kb.in_relations(own)
    if relation.id in relations.tolist():
        ways = [ex.Relation(relation.iri, inverse=is_done_by)]
        if relation.inverse is not None:
            ways.append(ex.Relation(kb.schema.relations[relation.inverse].iri, inverse=not is_done_by))
        yield Deed(relation, entity, is_done_by, kind, tuple(ex.Join(way, entity) for way in ways))
    elif is_certain and _could(relation.domain if is_done_by else relation.range, own, kb):
        yield Deed(relation, entity, is_done_by, kind, ())


def _could(expected: int | None, own: NodeSet, kb: KnowledgeBase) -> bool:
    """Whether they are of the kind that does it, or to whom it is done."""
    classes = kb.classes(own).tolist()
    return not classes if expected is None else expected in classes


def _verbs(kb: KnowledgeBase) -> tuple[tuple[str, Relation], ...]:
    """Verbs of one relation only, as one does it and as many do; read once a knowledge base."""
    if (verbs := _VERBS.get(kb)) is None:
        named: dict[str, list[Relation]] = {}
        for relation in kb.schema.relations:
            label = relation.label.lower()
            if not relation.hidden and _THIRD_PERSON.search(label):
                for said in (label, _base(label)):
                    named.setdefault(said, []).append(relation)
        verbs = _VERBS[kb] = tuple((verb, own[0]) for verb, own in named.items() if len(own) == 1)
    return verbs


def _base(label: str) -> str:
    return _THIRD_PERSON.sub(lambda found: _SIBILANT.sub("", found[1]), label, count=1)


def _sides(program: ex.Expression) -> tuple[ex.Expression, ...]:
    """The sets of which a program tells members, how many there are, or whether they have one in common."""
    match program:
        case ex.Count(argument, ()) | ex.Show(argument, _) | ex.Sort(argument, _, _):
            return (argument,)
        case ex.Meet(left, right):
            return (left, right)
        case _:
            return (program,)
