"""The tokens of one knowledge base, and the words in which a scorer reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.learned import Learned, has_constants
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.kb.interface import Ids, KnowledgeBase, NodeSet, Step
from arcaneqa.kb.names.words import label_from_iri, tail, words
from arcaneqa.kb.schema import Class as SchemaClass
from arcaneqa.kb.schema import Relation as SchemaRelation
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language import steps
from arcaneqa.language.expression import Class, Relation
from arcaneqa.language.steps import Function, Ranks, Symbol

# The tokens of decisions: those of programs, and three ways to begin that programs spell in two
# tokens.


class DecisionForm(StrEnum):
    """Functions of decisions alone."""

    ALL = "ALL"
    """A whole class, to walk on from or as it is."""
    DISTINCT = "DISTINCT"
    """`(COUNT u r)`: apart from `(COUNT u)`, which has nothing more to choose."""
    HAVING = "HAVING"
    """`(AND u (GT (COUNT r) n))`: a comparison of counts picks from a set, so it starts from one."""


Chosen = Function | DecisionForm
"""What stands after `(`."""
Token = steps.Token | DecisionForm

COMPARATIVES = frozenset((Function.LT, Function.LE, Function.GT, Function.GE))
SUPERLATIVES = frozenset((Function.ARGMAX, Function.ARGMIN))
AGGREGATES = frozenset((Function.SUM, Function.AVG, Function.MAX, Function.MIN))
PAIRING = frozenset((Function.OR, Function.NOT, Function.MEET))
"""Functions of two sets, the second of which is built inside them."""
OUTERMOST = frozenset((Function.SORT, Function.SHOW, Function.PER))

PAPER: frozenset[Chosen] = frozenset(
    (Function.JOIN, Function.AND, Function.COUNT, Function.CONS, Function.TC, *COMPARATIVES, *SUPERLATIVES)
)
"""What models were trained on before there was more."""

FUNCTIONS: tuple[Chosen, ...] = (
    Function.JOIN,
    Function.AND,
    Function.ARGMAX,
    Function.ARGMIN,
    Function.LT,
    Function.LE,
    Function.GT,
    Function.GE,
    Function.COUNT,
    Function.CONS,
    Function.TC,
    DecisionForm.ALL,
    DecisionForm.HAVING,
    DecisionForm.DISTINCT,
    Function.SUM,
    Function.AVG,
    Function.MAX,
    Function.MIN,
    Function.OR,
    Function.NOT,
    Function.HAS,
    Function.LIKE,
    Function.NAMED,
    Function.MEET,
    Function.SORT,
    Function.SHOW,
    Function.PER,
)
"""In the order in which they are offered."""


# How tokens are put into words for a scorer.


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
    DecisionForm.ALL: "all of a kind",
    DecisionForm.HAVING: "with so many",
    DecisionForm.DISTINCT: "how many different",
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


def relation_words(relation: SchemaRelation) -> str:
    """Its label; a dotted name without a label says the property only, since its class is in the types."""
    return _own_words(relation.iri, relation.label)


def class_words(klass: SchemaClass) -> str:
    return _own_words(klass.iri, klass.label)


def class_candidate(klass: SchemaClass) -> Candidate:
    name = tail(klass.iri)
    return Candidate(TokenKind.CLASS, class_words(klass), words(name.rpartition(".")[0]))


def forward_candidate(relation: SchemaRelation, schema: Schema) -> Candidate:
    return Candidate(
        TokenKind.RELATION,
        relation_words(relation),
        _leads(domain_words(relation, schema), range_words(relation, schema)),
    )


def backward_candidate(relation: SchemaRelation, schema: Schema) -> Candidate:
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


def domain_words(relation: SchemaRelation, schema: Schema) -> str:
    if relation.domain is not None:
        homes = (relation.domain, *relation.other_domains)
        return " or ".join(class_words(schema.classes[home]) for home in homes)
    owner = tail(relation.iri).rpartition(".")[0]
    return words(owner.rpartition(".")[2]) or ANYTHING


def range_words(relation: SchemaRelation, schema: Schema) -> str:
    if ValueKind.ENTITY in relation.kinds:
        return ANYTHING if relation.range is None else class_words(schema.classes[relation.range])
    return next((text for kind, text in _VALUE_WORDS if kind in relation.kinds), ANYTHING)


# The tokens of one knowledge base: what may stand in programs, as tokens and as words, made once.


@dataclass(frozen=True, slots=True)
class Options:
    """Admissible tokens in a stable order, and the same as a scorer sees them; `left_out` is how many more
    there are where this is a shortlist."""

    tokens: list[Token]
    candidates: list[Candidate]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: Options) -> Options:
        return Options(self.tokens + other.tokens, self.candidates + other.candidates)


NOTHING = Options([], [])


class Vocabulary:
    """What the profile hides, limits or adds is applied here, once a knowledge base."""

    def __init__(self, kb: KnowledgeBase, learned: Learned | None = None, has_forms: bool = True) -> None:
        self.kb = kb
        self.has_forms = has_forms
        """Whether there are functions beyond the paper's."""
        self.learned = learned or Learned()
        self.most_hops = kb.profile.path_hops
        self._twins = kb.profile.both_ways
        schema = kb.schema
        self.visible: NDArray[np.bool_] = np.array([not r.hidden for r in schema.relations], bool)
        self.visible_classes: NDArray[np.bool_] = np.array([not c.hidden for c in schema.classes], bool)
        self.hides_comparable = any(relation.hidden and relation.comparable for relation in schema.relations)
        taught = {schema.relation_ids[iri]: None for iri in self.learned.times if iri in schema.relation_ids}
        self.dated = {
            start: end
            for start, end in sorted((taught | schema.time_pairs).items())
            if not schema.relations[start].hidden and ValueKind.TIME in schema.relations[start].kinds
        }
        """Relations of TC, and their partners."""
        shown = [relation for relation in schema.relations if not relation.hidden]
        added_up = [r for r in shown if ValueKind.NUMBER in r.kinds and not r.is_identifier]
        self.comparable = _ids(relation.id for relation in shown if relation.comparable)
        self.numeric = _ids(r.id for r in added_up if ValueKind.TIME not in r.kinds)
        """Relations to numbers that can be added up."""
        self.mixed = _ids(r.id for r in added_up if ValueKind.TIME in r.kinds)
        """The same of relations to numbers and times: some members may have only times."""
        labels = (schema.relation_ids.get(iri) for iri in kb.profile.label)
        self.naming = frozenset(relation for relation in labels if relation is not None)
        """Relations that give labels."""
        self.closed = frozenset(r.id for r in shown if has_constants(r.id, kb))
        self.taught = self._taught_constants()
        """Constants of relations with an open range that training programs have."""
        size = len(schema.relations)
        self._forward: list[Candidate | None] = [None] * size
        self._backward: list[Candidate | None] = [None] * size
        self._plain = [Relation(relation.iri) for relation in schema.relations]
        self._inverse = [Relation(relation.iri, True) for relation in schema.relations]
        self._walks = [[Step(relation, inverse) for relation in range(size)] for inverse in (False, True)]
        self._classes = [Class(klass.iri) for klass in schema.classes]
        self._class_words = [class_candidate(klass) for klass in schema.classes]

    def _taught_constants(self) -> dict[int, NodeSet]:
        found: dict[int, list[Ids]] = {}
        for iri, term in sorted(self.learned.constants, key=repr):
            relation = self.kb.schema.relation_ids.get(iri)
            if relation is None or relation in self.closed or not self.visible[relation]:
                continue
            if isinstance(term, Literal):
                found.setdefault(relation, []).append(self.kb.equal(term).ids)
            elif (node := self.kb.node(term)) is not None:
                found.setdefault(relation, []).append(np.array([node], np.int64))
        return {
            relation: self.kb.nodes(np.unique(np.concatenate(nodes))) for relation, nodes in found.items()
        }

    def shown(self, relations: Ids) -> Ids:
        return relations[self.visible[relations]]

    def forward(self, relation: int) -> Candidate:
        found = self._forward[relation]
        if found is None:
            known = self.kb.schema.relations[relation]
            is_name = relation in self.naming
            found = NAME if is_name else forward_candidate(known, self.kb.schema)
            self._forward[relation] = found
        return found

    def backward(self, relation: int) -> Candidate:
        found = self._backward[relation]
        if found is None:
            found = backward_candidate(self.kb.schema.relations[relation], self.kb.schema)
            self._backward[relation] = found
        return found

    def step_candidate(self, relation: Relation) -> Candidate:
        """A relation of a path in words."""
        number = self.kb.schema.relation_ids[relation.iri]
        return self.backward(number) if relation.inverse else self.forward(number)

    def steps(self, forward: Ids, backward: Ids) -> list[Step]:
        """Walks along relations from subjects, and from objects."""
        ahead, back = self._walks
        return [*map(ahead.__getitem__, forward.tolist()), *map(back.__getitem__, backward.tolist())]

    def _steps(self, forward: Ids, backward: Ids) -> tuple[list[int], list[int]]:
        ahead, back = forward.tolist(), backward.tolist()
        if self._twins:
            return ahead, back
        offered, relations = set(ahead), self.kb.schema.relations
        return ahead, [relation for relation in back if relations[relation].inverse not in offered]

    def joins(self, forward: Ids, backward: Ids) -> Options:
        """JOIN's relations: `r_inv` leads from subjects to objects, `r` back."""
        ahead, back = self._steps(forward, backward)
        tokens: list[Token] = [self._inverse[r] for r in ahead]
        tokens += [self._plain[r] for r in back]
        return Options(tokens, [*map(self.forward, ahead), *map(self.backward, back)])

    def joins_along(self, steps: Sequence[Step]) -> Options:
        """The JOINs that are these steps."""
        ahead = [step.relation for step in steps if not step.inverse]
        back = [step.relation for step in steps if step.inverse]
        return self.joins(np.array(ahead, np.int64), np.array(back, np.int64))

    def paths(self, forward: Ids, backward: Ids) -> Options:
        """Relations of an ARG path, where a plain one leads from subjects to objects."""
        ahead, back = self._steps(forward, backward)
        tokens: list[Token] = [self._plain[r] for r in ahead]
        tokens += [self._inverse[r] for r in back]
        return Options(tokens, [*map(self.forward, ahead), *map(self.backward, back)])

    def attributes(self, relations: Ids) -> Options:
        """Relations of comparatives, CONS and TC: always from subjects to objects."""
        return self.paths(relations, relations[:0])

    def classes(self, classes: Ids) -> Options:
        ids = classes.tolist()
        return Options([self._classes[c] for c in ids], [self._class_words[c] for c in ids])

    @cached_property
    def every(self) -> Options:
        """All relations, from subjects and from objects: what HAS can ask for."""
        shown = np.flatnonzero(self.visible)
        return self.paths(shown, shown)

    @cached_property
    def texts(self) -> Ids:
        """Relations that hold texts, labels first: they are hidden elsewhere, since every name is one."""
        relations = self.kb.schema.relations
        named = [r.id for r in relations if r.id in self.naming]
        return np.array(
            named + [r.id for r in relations if not r.hidden and ValueKind.TEXT in r.kinds], np.int64
        )

    @cached_property
    def countable(self) -> Options:
        """Classes with members: starts of COUNT."""
        found = [klass.id for klass in self.kb.schema.classes if klass.members and not klass.hidden]
        return self.classes(np.array(found, np.int64))


def _ids(relations: Iterable[int]) -> Ids:
    return np.fromiter(relations, np.int64)
