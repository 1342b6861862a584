"""Published SPARQL into programs, worked out by hand on invented names."""

from __future__ import annotations

import pytest

from arcaneqa.kb.profile import FREEBASE_PROFILE
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.graph import program_of
from arcaneqa.lab.datasets.query import read_query
from arcaneqa.language.text import print_program
from arcaneqa.support.errors import ProgramError

NAMES = Names(FREEBASE_PROFILE)
HEAD = "#MANUAL SPARQL\nPREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x WHERE {\n"
ENGLISH = "FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))\n"


def converted(query: str, unnamed: tuple[str, ...] = ()) -> tuple[str, bool]:
    def named(iri: str) -> bool:
        return NAMES.short(iri) not in unnamed

    program, excludes, _ = program_of(read_query(query), FREEBASE_PROFILE, named)
    return print_program(program, NAMES), excludes


def window(node: str, start: str, end: str) -> str:
    """As WebQSP writes that a node is valid from one day to another."""
    text = ""
    for relation, operator, day in (("job.from", "<=", end), ("job.to", ">=", start)):
        text += f"FILTER(NOT EXISTS {{{node} ns:{relation} ?a}} || EXISTS {{{node} ns:{relation} ?b . "
        text += f'FILTER(xsd:datetime(?b) {operator} "{day}"^^xsd:dateTime) }})\n'
    return text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("ns:m.1 ns:a.b ?x .", "(JOIN a.b_inv m.1)"),
        (
            "ns:m.1 ns:a.b ?y . ?y ns:c.d ?x . # why\n ?y ns:c.e ns:m.2 .",
            "(JOIN c.d_inv (AND (JOIN a.b_inv m.1) (JOIN c.e m.2)))",
        ),
        (
            "?x ns:a.b ns:m.1 ; ns:a.c ns:m.2 , ns:m.3 .",
            "(AND (AND (JOIN a.b m.1) (JOIN a.c m.2)) (JOIN a.c m.3))",
        ),
        ("?x ns:type.object.type ns:a.k . ?x ns:a.b ns:m.1", "(AND a.k (JOIN a.b m.1))"),
        ('?x ns:a.b "word"@en .', '(JOIN a.b "word"@en)'),
        (
            '?x ns:a.b ns:m.1 . ?x ns:a.n ?n . FILTER(xsd:integer(?n) >= "5")',
            "(AND (JOIN a.b m.1) (GE a.n 5^^http://www.w3.org/2001/XMLSchema#integer))",
        ),
        (
            "?x ns:a.b ns:m.1 . ?x ns:a.n ?n . FILTER(5.5 > ?n)",
            "(AND (JOIN a.b m.1) (LT a.n 5.5^^http://www.w3.org/2001/XMLSchema#decimal))",
        ),
        # The second way from ?x to the same constant says nothing new.
        (
            "?y ns:a.b ns:m.1 . ?y ns:c.d ?x . ?z ns:a.b ns:m.1 . ?z ns:c.d ?x .",
            "(JOIN c.d_inv (JOIN a.b m.1))",
        ),
        ("?x ns:a.b ns:m.1 . OPTIONAL { ?x ns:a.n ?n }", "(JOIN a.b m.1)"),
    ],
)
def test_conditions_become_joins(body: str, expected: str) -> None:
    assert converted(HEAD + ENGLISH + body + "}") == (expected, False)


def test_entities_kept_out_of_the_answers() -> None:
    assert converted(HEAD + "FILTER (?x != ns:m.1)\nns:m.1 ns:a.b ?x .}") == ("(JOIN a.b_inv m.1)", True)


def test_answers_apart_from_another_variable_are_told() -> None:
    query = HEAD + "FILTER (?x != ?y)\n?y ns:a.b ns:m.1 . ?y ns:c.d ?x .}"
    program, excludes, leaves_out = program_of(read_query(query), FREEBASE_PROFILE, lambda _: True)
    assert print_program(program, NAMES) == "(JOIN c.d_inv (JOIN a.b m.1))"
    assert (excludes, leaves_out) == (False, True)


def test_what_the_question_does_not_name_is_implied() -> None:
    query = HEAD + "ns:m.1 ns:a.b ?y . ?y ns:c.d ?x . ?x ns:p.gender ns:m.male . ?y ns:c.kind ns:m.job }"
    text, _ = converted(query, unnamed=("m.male", "m.job"))
    assert text == "(CONS (JOIN c.d_inv (CONS (JOIN a.b_inv m.1) c.kind m.job)) p.gender m.male)"


def test_a_set_needs_something_to_start_from() -> None:
    assert converted(HEAD + "?x ns:p.gender ns:m.male }", unnamed=("m.male",))[0] == "(JOIN p.gender m.male)"


@pytest.mark.parametrize(
    ("start", "end", "when"),
    [
        ("2015-08-10", "2015-08-10", "NOW"),
        ("2009-03-01", "2009-03-01", "2009-03-01^^http://www.w3.org/2001/XMLSchema#date"),
        ("2009-01-01", "2009-12-31", "2009^^http://www.w3.org/2001/XMLSchema#gYear"),
    ],
)
def test_time_windows(start: str, end: str, when: str) -> None:
    query = HEAD + "ns:m.1 ns:a.job ?y . ?y ns:job.of ?x .\n" + window("?y", start, end) + "}"
    assert converted(query)[0] == f"(JOIN job.of_inv (TC (JOIN a.job_inv m.1) job.from {when}))"


def test_superlatives() -> None:
    query = HEAD + "ns:m.1 ns:a.b ?x . ?x ns:c.size ?n .\n} ORDER BY DESC(xsd:float(?n)) LIMIT 1"
    assert converted(query)[0] == "(ARGMAX (JOIN a.b_inv m.1) c.size)"
    query = HEAD + "ns:m.1 ns:a.b ?y . ?y ns:c.year ?n . ?y ns:c.d ?x } ORDER BY ?n LIMIT 1"
    assert converted(query)[0] == "(JOIN c.d_inv (ARGMIN (JOIN a.b_inv m.1) c.year))"


def test_a_superlative_ranges_over_what_else_is_asked() -> None:
    query = (
        HEAD + "ns:m.1 ns:a.b ?y . ?y ns:c.year ?n . ?y ns:c.d ?x . ?x ns:e.f ns:m.2 } ORDER BY ?n LIMIT 1"
    )
    within = "(AND (JOIN c.d (JOIN e.f m.2)) (JOIN a.b_inv m.1))"
    best = f"(JOIN c.d_inv (ARGMIN {within} c.year))"
    assert converted(query)[0] == f"(AND (JOIN e.f m.2) {best})"


def test_counts() -> None:
    ns = "http://rdf.freebase.com/ns/"
    query = f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x <{ns}a.b> <{ns}m.1> }}"
    assert converted(query)[0] == "(COUNT (JOIN a.b m.1))"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("{ ns:m.1 ns:a.b ?x } UNION { ns:m.2 ns:a.b ?x }", "alternatives"),
        ("?x ns:a.b ns:m.1 . FILTER(?x = ns:m.2 OR ?x = ns:m.3)", "alternatives"),
        ('?x ns:a.b ?t . FILTER(str(?t) = "Country")', "compares text"),
        ("?x ns:a.b ?y . ?y ns:c.d ?x . ?x ns:e.f ns:m.1", "cycle"),
        ("?x ns:a.b ns:m.1 . ?y ns:a.b ns:m.2 .", "hang together"),
        ("?x ?p ns:m.1 .", "variable for a relation"),
        ("?x ns:a.b ?y .", "without conditions"),
        ("?x ns:a.b/ns:c.d ns:m.1 .", "property path|cannot be read"),
        ("?x ns:a.b ns:m.1 . MINUS { ?x ns:c.d ns:m.2 }", "MINUS"),
        ("?x ns:a.b ns:m.1 } ORDER BY ?x LIMIT 3 #", "other than the first"),
        ("?x ns:a.b ns:m.1 . FILTER(?x > ?y)", "no program expresses"),
        ("?x ns:a.b 'unfinished", "cannot be read"),
        ("?x other:a.b ns:m.1", "prefix other"),
    ],
)
def test_what_no_program_expresses_is_named(body: str, reason: str) -> None:
    with pytest.raises(ProgramError, match=reason):
        converted(HEAD + body + "}")
