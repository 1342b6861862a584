"""What a program tells and no word of the question asks for: a price is not told by the nearest number, which
says how much carbohydrate is in it, nor are days of illness counted by changes of salary.

Words alone do not tell: whoever comes from a planet has it as a homeworld. A model knows that and hardly
doubts such a reading; what it doubts and no word asks for is only the nearest there is. Nor need a relation
say what its answers say themselves: the Mill Bakery is the bakery asked for, whoever trains there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.asked_kinds import asked_noun
from arcaneqa.judgement.small_words import MEASURING, SMALL, root_of, roots_of, roots_of_name
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import Word, are_of_one_origin, split, words
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError

_MOST = re.compile(
    r"\b(?:most|fewest|least|(?:largest|highest|greatest|smallest|lowest) number of)"
    r"(?P<counted>(?: (?!(?:of|in|at|on|for|from|by|with|is|are|was|were|has|have|had|do|does|did)\b)"
    r"[\w-]+)+)",
    re.IGNORECASE,
)
_SORTS = frozenset(map(root_of, ("kind", "type", "sort", "category", "class")))
"""Words for one another, of which some are so small that they ask for nothing else."""
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""


def tells_unasked(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether no word beside the names that a program takes up is a word of what it tells, or none of what
    there shall be most of a word of what it counts. What rows are called stands for what they are, and the
    rows of the only table may be called anything."""
    match found.program:
        case ex.Extreme(_, ex.Class(), ex.Counted(path, _)) if asked := _MOST.search(question):
            counted = {root_of(word) for word in split(asked["counted"])} - SMALL
            number = kb.schema.relation_ids.get(path[-1].iri) if path else None
            rows = None if number is None else kb.schema.relations[number].domain
            return bool(counted) and not are_said(counted, names_of((), [*path, *columns_of(rows, kb)], kb))
        case ex.And(ex.Class(), told) | told if isinstance(told, ex.Join) and told.relation.inverse:
            if not is_unsaid(question, found, kb):
                return False
            return not _is_called_so(question, found, kb) and not _tells_names(told, found, kb)
        case ex.Count(ex.And(ex.Class() as rows, _), ()):
            columns = columns_of(kb.schema.class_ids.get(rows.iri), kb)
            return not _is_only_kind(kb) and is_unsaid(question, found, kb, columns)
        case ex.Aggregate():
            return is_unsaid(question, found, kb)
    return False


def is_unsaid(question: str, found: Found, kb: KnowledgeBase, besides: Iterable[ex.Relation] = ()) -> bool:
    """Whether words stand beside the names that a program takes up, and neither it nor relations `besides`
    say any of them."""
    asked = beside_names(question, found)
    if all(root.isdigit() for root in asked - SMALL - MEASURING):
        return False
    nodes = ex.post_order(found.program)
    kinds = [node for node in nodes if isinstance(node, ex.Class)]
    steps = [step for node in nodes for step in ex.relations(node)]
    return not are_said(asked, names_of(kinds, [*steps, *besides], kb))


def beside_names(question: str, found: Found) -> set[str]:
    """The roots of the words that are no names which a program takes up: who is ranked has a rank."""
    named = [(topic.words.start, topic.words.end) for topic in found.topics]
    said = [word.folded for word in words(question) if not _is_within(word, named)]
    return {root for word in said for root in roots_of_name(word)}


def _is_only_kind(kb: KnowledgeBase) -> bool:
    return sum(bool(kind.members) and not kind.hidden for kind in kb.schema.classes) == 1


def columns_of(kind: int | None, kb: KnowledgeBase) -> list[ex.Relation]:
    """What has an order date may be an order."""
    shown = (one for one in kb.schema.relations if not one.hidden)
    return [ex.Relation(one.iri) for one in shown if one.domain == kind is not None]


def _is_within(word: Word, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < word.end and word.start < end for start, end in spans)


def names_of(kinds: Iterable[ex.Class], steps: Iterable[ex.Relation], kb: KnowledgeBase) -> set[str]:
    """The roots of the names of classes and relations, and of the classes that these join."""
    numbers = [kb.schema.relation_ids.get(step.iri) for step in steps]
    relations = [kb.schema.relations[number] for number in numbers if number is not None]
    classes = {kb.schema.class_ids.get(kind.iri) for kind in kinds}
    classes |= {end for relation in relations for end in (relation.domain, relation.range)}
    names = [relation.label for relation in relations]
    names += [kb.schema.classes[number].label for number in classes if number is not None]
    return {root for name in names for root in roots_of_name(name)}


def are_said(asked: Set[str], names: Set[str]) -> bool:
    """Whether a word that says something is a word of these names, or of one origin with one."""
    if not (asked - SMALL).isdisjoint(names) or (asked & _SORTS and names & _SORTS):
        return True
    return any(are_of_one_origin(one, other) for one in asked - SMALL for other in names - SMALL)


def _tells_names(told: ex.Join, found: Found, kb: KnowledgeBase) -> bool:
    """Whether what comes is what those are called that it was read off."""
    few = found.nodes.ids[:_LOOKED_AT]
    try:
        rows = execute(told.argument, kb).nodes
    except (BudgetExceeded, ProgramError):
        return False
    return bool(kb.are_literals(few).any()) and set(kb.labels(few)) <= set(kb.labels(rows.ids))


def _is_called_so(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether the noun that is asked for is in the name of what comes; no name is how many there are."""
    *_, noun = asked_noun(question, kb) or ("",)
    if wanted(question) in (Wanted.AMOUNT, Wanted.COUNT) or noun not in beside_names(question, found) - SMALL:
        return False
    return any(noun in roots_of(label or "") for label in kb.labels(found.nodes.ids[:_LOOKED_AT]))
