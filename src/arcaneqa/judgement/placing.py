"""Whose a number is: in "8 cylinders and more than 200 horsepower" the 8 is no horsepower."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.forms import split, stem, words
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex

_YEAR = re.compile(r"[12]\d{3}")
"""A year may stand before anything: "Japan 2007 population"."""


def misplaced(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many numbers a program compares with one relation though the question names another right behind
    them."""
    told = [(iri, number) for iri, number in _numbers(program) if not _YEAR.fullmatch(number)]
    if not told:
        return 0
    said = [(question[word.start : word.end].replace(",", ""), stem(word.folded)) for word in words(question)]
    behind: dict[str, list[list[str]]] = {}
    for place, (text, _) in enumerate(said):
        behind.setdefault(text, []).append([stem for _, stem in said[place + 1 :]])
    names = {
        relation.iri: [stem(word) for word in split(relation.label)]
        for relation in kb.schema.relations
        if ValueKind.NUMBER in relation.kinds and not relation.hidden
    }
    found = 0
    for iri, number in told:
        for following in behind.get(number, ()):
            named = {other for other, name in names.items() if name and following[: len(name)] == name}
            found += bool(named) and iri not in named
    return found


def _numbers(program: ex.Expression) -> Iterator[tuple[str, str]]:
    """The last relation of every condition on a number, and the number; of how many there are, none."""
    for node in ex.post_order(program):
        match node:
            case ex.Compare(_, ex.Counted(), ex.Value(literal)):
                yield "", literal.lexical
            case ex.Compare(_, key, ex.Value(literal)) if path := ex.path_of(key):
                yield path[-1].iri, literal.lexical
            case ex.Join(relation, ex.Value(literal)):
                yield relation.iri, literal.lexical
