"""Texts that a question says in another form: rodents where the order is Rodentia, retailers where the
category is Retailing, carnivores where a table has "carni", tobacco where it has "Food, drink & tobacco".

Names of things are found by parts and with typing errors (`mentions`). The texts of a column are only known
whole, since there may be millions; of those that come again and again, as categories do, there are few, and
these are looked at word by word, for words that mean nothing else here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import DamerauLevenshtein

from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.names.origins import are_of_one_origin
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.linking.mentions import Match, Proposal, Span, Text

MOST_VALUES = 300
"""Different texts of a column of categories; a longer list is of names or remarks."""
FACTS_PER_VALUE = 2
"""On average at least so many rows share a text."""
MOST_COLUMNS = 200
LONGEST_VALUE = 5
"""Words of a category."""
SHORTEST_CUT = 4
"""Letters that are left of a word that was cut short."""
LONGEST_CUT = 8
"""Letters of all words of a column that holds words cut short."""
FEW = 3
"""Texts that one word may stand for; what is in more of them tells none."""
SHORTEST_MISSPELT, LONG = 6, 10
"""Letters from which on one typing error is forgiven, and two."""


class NearTexts:
    """The categories of one knowledge base; `ordinary` words, and those of its schema, stand for none."""

    def __init__(self, kb: KnowledgeBase, ordinary: Iterable[str]) -> None:
        self._kb = kb
        self._ordinary = frozenset(ordinary)
        self._columns: list[list[tuple[int, list[str]]]] | None = None

    def proposals(self, text: Text, meant: Sequence[Proposal], known: Iterable[str]) -> Iterator[Proposal]:
        """Texts for single words that are no part of what is `meant` already; `known` are words (stems) that
        things are called by."""
        taken = {n for one in meant if one.match <= Match.KNOWN for n in range(one.span.first, one.span.last)}
        names = frozenset(known)
        for place, word in enumerate(text.words):
            said = stem(word.folded)
            is_ordinary = word.folded in self._ordinary or said in self._ordinary
            if (
                place in taken
                or is_ordinary
                or said in names
                or not said.isalpha()
                or len(said) < SHORTEST_CUT
            ):
                continue
            span = Span(place, place + 1)
            nodes = self._near(said, text.is_written_as_name(span))
            if 0 < len(nodes) <= FEW:
                yield from (Proposal(span, node, Match.CORRECTED) for node in nodes)

    def _near(self, said: str, is_name: bool) -> list[int]:
        """The texts that a word may stand for: other forms of it, unless it is written as a name, texts that
        hold it, else misspelt ones."""
        if self._columns is None:
            self._columns = [list(self._texts(relation)) for relation in _categories(self._kb)]
        formed, holding, misspelt = [], [], []
        for column in self._columns:
            are_cut = all(len(parts) == 1 and len(parts[0]) <= LONGEST_CUT for _, parts in column)
            for node, parts in column:
                if len(parts) == 1:
                    (own,) = parts
                    is_form = are_of_one_origin(said, own) or (are_cut and _is_cut_short(said, own))
                    if is_form and not is_name:
                        formed.append(node)
                    elif _is_misspelt(said, own):
                        misspelt.append(node)
                elif said in parts:
                    holding.append(node)
        return list(dict.fromkeys(formed or holding or misspelt))

    def _texts(self, relation: Relation) -> Iterator[tuple[int, list[str]]]:
        nodes = self._kb.having(Step(relation.id, inverse=True)).ids
        for node, term in zip(nodes.tolist(), self._kb.terms(nodes), strict=True):
            parts = list(map(stem, split(term.lexical))) if isinstance(term, Literal) else []
            if 0 < len(parts) <= LONGEST_VALUE:
                yield node, parts


def _categories(kb: KnowledgeBase) -> list[Relation]:
    return [
        relation
        for relation in kb.schema.shown_relations
        if relation.kinds == {ValueKind.TEXT}
        and 1 < relation.objects <= MOST_VALUES
        and relation.facts >= FACTS_PER_VALUE * relation.objects
    ][:MOST_COLUMNS]


def _is_cut_short(word: str, cut: str) -> bool:
    return SHORTEST_CUT <= len(cut) < len(word) - 1 and word.startswith(cut)


def _is_misspelt(one: str, other: str) -> bool:
    if min(len(one), len(other)) < SHORTEST_MISSPELT or one[0] != other[0]:
        return False
    forgiven = 1 if len(one) < LONG else 2
    return DamerauLevenshtein.distance(one, other, score_cutoff=forgiven) <= forgiven
