"""Programs as a search would have found them."""

from __future__ import annotations

from arcaneqa.induction.found import Found, Trace
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse


def found(program: str, kb: KnowledgeBase, score: float = -1.0) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    return Found(parsed, score, execute(parsed, kb), (), Trace((), []))
