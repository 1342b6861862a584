"""How tokens are put into words for a scorer.

Trained models know these words, so a change here is a change of every model: `text` and `types` stay as
they are, or all checkpoints are trained anew.

| token | text | types |
|---|---|---|
| relation, subject to object | `place of birth` | `person to location` |
| relation, object to subject | `whose place of birth is` | `location to person` |
| attribute | `population` | `city to number` |
| class | `magnetic flux unit` | `measurement unit` (the part of a dotted name before it) |
| entity | `Paris (city)` | |
| literal | `1999 (year)`, `5.0 (number)` | |
| function | `largest`, `how many`, `but not`, `yes or no` | |
| count or total as a key | `number of`, `average` | |
| ranks; a count to compare with | `3`, `2nd`; `3` | `rank`; `number` |
| whole program (`readings`) | `the capital of France` | `1 city` |

`types` always reads from the class a step starts in to the class it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.tokens import Chosen, Form
from arcaneqa.kb.names.words import label_from_iri, tail, words
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.program.steps import Function, Ranks, Symbol

FUNCTION_WORDS: dict[Chosen, str] = {
    Function.JOIN: "follow",
    Function.AND: "and",
    Function.ARGMAX: "largest",
    Function.ARGMIN: "smallest",
    Function.LT: "less than",
    Function.LE: "at most",
    Function.GT: "more than",
    Function.GE: "at least",
    Function.COUNT: "how many",
    Function.CONS: "only those with",
    Function.TC: "at the time",
    Form.ALL: "all of a kind",
    Form.HAVING: "with so many",
    Form.DISTINCT: "how many different",
    Function.SUM: "total",
    Function.AVG: "average",
    Function.MAX: "maximum",
    Function.MIN: "minimum",
    Function.OR: "or",
    Function.NOT: "but not",
    Function.HAS: "that have any",
    Function.LIKE: "containing the text",
    Function.NAMED: "called",
    Function.MEET: "yes or no",
    Function.SORT: "in the order of",
    Function.SHOW: "table with",
    Function.PER: "for each",
}
COMPARISON_WORDS = {
    Function.LT: FUNCTION_WORDS[Function.LT],
    Function.LE: FUNCTION_WORDS[Function.LE],
    Function.EQ: "exactly",
    Function.GE: FUNCTION_WORDS[Function.GE],
    Function.GT: FUNCTION_WORDS[Function.GT],
}
"""How a count compares with a number."""
KEY_WORDS = {
    Function.COUNT: "number of",
    Function.SUM: FUNCTION_WORDS[Function.SUM],
    Function.AVG: FUNCTION_WORDS[Function.AVG],
    Function.MAX: FUNCTION_WORDS[Function.MAX],
    Function.MIN: FUNCTION_WORDS[Function.MIN],
}
"""What makes a number of all that a path leads to."""
ANYTHING = "thing"
_VALUE_WORDS = (
    (ValueKind.NUMBER, "number"),
    (ValueKind.TIME, "date"),
    (ValueKind.BOOLEAN, "yes or no"),
    (ValueKind.TEXT, "text"),
)
_TIME_WORDS = {XSD + "gYear": "year", XSD + "gYearMonth": "month", XSD + "date": "date"}


def _functions(words: Mapping[Chosen, str] | Mapping[Function, str]) -> dict[Chosen, Candidate]:
    return {function: Candidate(TokenKind.FUNCTION, text) for function, text in words.items()}


FUNCTION_CANDIDATES = _functions(FUNCTION_WORDS)
COMPARISONS = _functions(COMPARISON_WORDS)
KEYS = _functions(KEY_WORDS)
OPEN = Candidate(TokenKind.OPEN, Symbol.OPEN.value)
CLOSE = Candidate(TokenKind.CLOSE, Symbol.CLOSE.value)
END = Candidate(TokenKind.END, "end")
NOW_CANDIDATE = Candidate(TokenKind.LITERAL, "now", "date")
DESCENDING = Candidate(TokenKind.FUNCTION, "largest first", Symbol.DESC.value)
SELF = Candidate(TokenKind.RELATION, "itself")
NAME = Candidate(TokenKind.RELATION, "name", "thing to text")
NEXT = Candidate(TokenKind.OPEN, "and")


def number_candidate(number: int) -> Candidate:
    """A threshold of counts."""
    return Candidate(TokenKind.LITERAL, str(number), "number")


def ranks_candidate(ranks: Ranks) -> Candidate:
    return Candidate(TokenKind.LITERAL, _ranks(ranks), "rank")


def ranks_words(ranks: Ranks, superlative: str) -> str:
    """ "largest", "3 largest", "2nd largest"."""
    if ranks == Ranks(1, 1):
        return superlative
    return f"{_ranks(ranks)} {superlative}"


def _ranks(ranks: Ranks) -> str:
    if ranks.first == ranks.last:
        return _ordinal(ranks.first)
    return str(ranks.last) if ranks.first == 1 else f"{_ordinal(ranks.first)} to {_ordinal(ranks.last)}"


def _ordinal(number: int) -> str:
    teen = 10 < number % 100 < 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def literal_words(literal: Literal) -> str:
    """A literal and its kind, so that readings of one number can be told apart."""
    kind = kind_of(literal)
    if kind is ValueKind.TIME:
        return f"{literal.lexical} ({_TIME_WORDS.get(literal.datatype, 'time')})"
    return f"{literal.lexical} ({next(text for known, text in _VALUE_WORDS if known is kind)})"


def relation_words(relation: Relation) -> str:
    """Its label; a dotted name without a label says the property only, since its class is in the types."""
    return _own_words(relation.iri, relation.label)


def class_words(klass: Class) -> str:
    return _own_words(klass.iri, klass.label)


def class_candidate(klass: Class) -> Candidate:
    name = tail(klass.iri)
    return Candidate(TokenKind.CLASS, class_words(klass), words(name.rpartition(".")[0]))


def forward_candidate(relation: Relation, schema: Schema) -> Candidate:
    return Candidate(
        TokenKind.RELATION,
        relation_words(relation),
        _leads(domain_words(relation, schema), range_words(relation, schema)),
    )


def backward_candidate(relation: Relation, schema: Schema) -> Candidate:
    return Candidate(
        TokenKind.RELATION,
        f"whose {relation_words(relation)} is",
        _leads(range_words(relation, schema), domain_words(relation, schema)),
    )


def _leads(source: str, target: str) -> str:
    return "" if source == target == ANYTHING else f"{source} to {target}"


@lru_cache(1 << 16)
def _own_words(iri: str, label: str) -> str:
    if label != label_from_iri(iri):
        return label
    return words(tail(iri).rpartition(".")[2]) or label


def domain_words(relation: Relation, schema: Schema) -> str:
    if relation.domain is not None:
        homes = (relation.domain, *relation.other_domains)
        return " or ".join(class_words(schema.classes[home]) for home in homes)
    owner = tail(relation.iri).rpartition(".")[0]
    return words(owner.rpartition(".")[2]) or ANYTHING


def range_words(relation: Relation, schema: Schema) -> str:
    if ValueKind.ENTITY in relation.kinds:
        return ANYTHING if relation.range is None else class_words(schema.classes[relation.range])
    return next((text for kind, text in _VALUE_WORDS if kind in relation.kinds), ANYTHING)
