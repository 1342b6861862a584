"""What else something is called, in any of the ways in which that is asked."""

from __future__ import annotations

import re

import numpy as np

from arcaneqa.judgement.told import Told, in_small, named
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.links import Links
from arcaneqa.program import expression as ex

_NAME = r"(?:names?|labels?|terms?|words?|titles?)"
_OTHER = rf"(?:(?:another|other|alternative|alternate|different)\s+{_NAME}|synonyms?|alias(?:es)?)"
_OF = re.compile(
    rf"(?:(?:what|which)\s+(?:is|are)\s+|what's\s+)?(?:an?\s+|the\s+|all\s+)*{_OTHER}\s+(?:of|for)\s+(?:the\s+|an?\s+)?"
)
_CALLED = r"(?:called|named|known\s+as)"
_BEHIND = re.compile(rf"(?:\s+(?:also|otherwise))?\s+{_CALLED}(?:\s+(?:also|otherwise))?")
_WHAT = re.compile(r"what\s+(?P<else>else\s+)?(?:is|are)\s+(?:the\s+|an?\s+)?")
_HAS = re.compile(rf"(?:what|which)\s+{_OTHER}\s+(?:does|do)\s+(?:the\s+|an?\s+)?")


def other_names(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :]
        if not _asks(before, behind) or not isinstance(topic.term, ex.Entity):
            continue
        node = kb.node(topic.term.term)
        own = kb.out_relations(kb.nodes(np.array([] if node is None else [node], np.int64)))
        for relation in (kb.schema.relations[number] for number in own.tolist()):
            if relation.iri in kb.profile.alias and not relation.hidden:
                program = ex.Join(ex.Relation(relation.iri, inverse=True), topic.term)
                return Told(program, (topic,), relation)
    return None


def _asks(before: str, behind: str) -> bool:
    if _OF.fullmatch(before):
        return not behind
    if _HAS.fullmatch(before):
        return behind.strip() in ("have", "has")
    what = _WHAT.fullmatch(before)
    is_called = _BEHIND.fullmatch(behind) is not None
    # Who asks what it is called asks for its name.
    return what is not None and is_called and bool(what["else"] or re.search("also|otherwise", behind))
