"""How tokens are put into words for a scorer.

Trained models know these words, so a change here is a change of every model: `text` and `types` stay as
they are, or all checkpoints are trained anew.

| token | text | types |
|---|---|---|
| relation, subject to object | `place of birth` | `person to location` |
| relation, object to subject | `whose place of birth is` | `location to person` |
| attribute | `population` | `city to number` |
| class | `magnetic flux unit` | `measurement unit` (the part of a dotted name before it) |
| function | `largest` | |
| entity | `Paris (city)` | |
| literal | `1999 (year)`, `5.0 (number)` | |
| whole program (`readings`) | `the capital of France` | `1 city` |

`types` always reads from the class a step starts in to the class it leads to.
"""

from __future__ import annotations

from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.kb.names.words import label_from_iri, tail, words
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.program.steps import Function, Symbol

FUNCTION_WORDS = {
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
}
_ANYTHING = "thing"
_VALUE_WORDS = (
    (ValueKind.NUMBER, "number"),
    (ValueKind.TIME, "date"),
    (ValueKind.BOOLEAN, "yes or no"),
    (ValueKind.TEXT, "text"),
)
_TIME_WORDS = {XSD + "gYear": "year", XSD + "gYearMonth": "month", XSD + "date": "date"}

FUNCTIONS = {function: Candidate(TokenKind.FUNCTION, text) for function, text in FUNCTION_WORDS.items()}
OPEN = Candidate(TokenKind.OPEN, Symbol.OPEN.value)
CLOSE = Candidate(TokenKind.CLOSE, Symbol.CLOSE.value)
END = Candidate(TokenKind.END, "end")
NOW_CANDIDATE = Candidate(TokenKind.LITERAL, "now", "date")


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
    return "" if source == target == _ANYTHING else f"{source} to {target}"


def _own_words(iri: str, label: str) -> str:
    if label != label_from_iri(iri):
        return label
    return words(tail(iri).rpartition(".")[2]) or label


def domain_words(relation: Relation, schema: Schema) -> str:
    if relation.domain is not None:
        return class_words(schema.classes[relation.domain])
    owner = tail(relation.iri).rpartition(".")[0]
    return words(owner.rpartition(".")[2]) or _ANYTHING


def range_words(relation: Relation, schema: Schema) -> str:
    if ValueKind.ENTITY in relation.kinds:
        return _ANYTHING if relation.range is None else class_words(schema.classes[relation.range])
    return next((text for kind, text in _VALUE_WORDS if kind in relation.kinds), _ANYTHING)
