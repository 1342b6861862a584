"""Program text: both dialects, every kind of name, and errors that say where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.profile import FREEBASE, FREEBASE_PROFILE
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, Blank, Iri, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.check import check
from arcaneqa.language.text import parse, print_program
from arcaneqa.support.errors import ProgramError
from tests.language.worlds import EX, PROFILE, programs, relation

pytest_plugins = ["tests.language.whole_schema"]

EXAMPLE = Names(PROFILE)
FB = Names(FREEBASE_PROFILE)

# In GrailQA's own words; the names are invented.
GRAILQA = [
    "(AND people.person (JOIN people.person.profession m.02abc))",
    "(JOIN (R people.person.parents) g.11bc15)",
    "(COUNT (AND film.film (JOIN (R film.actor.film) (JOIN film.actor.name m.0x_1))))",
    "(ARGMAX people.person people.person.weight_kg)",
    "(ARGMIN (AND tv.crew (JOIN tv.crew.of m.01)) (JOIN tv.crew.jobs (JOIN (R tv.job.in) tv.job.to)))",
    "(AND ship.ship (ge ship.ship.length 1.94^^http://www.w3.org/2001/XMLSchema#float))",
    "(AND a.b (lt a.b.c 1999-01^^http://www.w3.org/2001/XMLSchema#gYearMonth))",
    "(JOIN a.b.year 1960^^http://www.w3.org/2001/XMLSchema#gYear)",
]


@pytest.mark.parametrize("text", GRAILQA)
def test_grailqa_text_comes_back_byte_for_byte(text: str) -> None:
    program = parse(text, FB)
    assert print_program(program, FB, "grailqa") == text
    assert parse(print_program(program, FB), FB) == program


def test_both_dialects_mean_the_same() -> None:
    assert parse("(JOIN (R a.b) m.0)", FB) == parse("(JOIN a.b_inv m.0)", FB)
    assert parse("(JOIN (R a.b_inv) m.0)", FB) == parse("(JOIN a.b m.0)", FB)
    assert parse("(ge a.b 5^^xsd:integer)", FB) == parse('( GE a.b "5"^^xsd:integer )', FB)


def test_canonical_text() -> None:
    text = '(COUNT (TC (CONS (AND a.c (JOIN a.r_inv m.0)) a.s "x y"@en) a.from NOW))'
    program = ex.Count(
        ex.During(
            ex.Cons(
                ex.And(
                    ex.Class(FREEBASE + "a.c"),
                    ex.Join(ex.Relation(FREEBASE + "a.r", True), ex.Entity(Iri(FREEBASE + "m.0"))),
                ),
                ex.Relation(FREEBASE + "a.s"),
                ex.Value(Literal("x y", RDF_LANG_STRING, "en")),
            ),
            ex.Relation(FREEBASE + "a.from"),
            ex.NOW,
        )
    )
    assert parse(text, FB) == program
    assert print_program(program, FB) == text


def test_iris_in_brackets_may_hold_parentheses() -> None:
    text = "(JOIN <http://x.org/p>_inv <http://x.org/Primus_(band)>)"
    program = ex.Join(ex.Relation("http://x.org/p", True), ex.Entity(Iri("http://x.org/Primus_(band)")))
    assert parse(text, EXAMPLE) == program
    assert print_program(program, EXAMPLE) == text


def test_a_relation_whose_name_ends_like_an_inverse() -> None:
    for inverse in (False, True):
        program = ex.Join(ex.Relation(EX + "r_inv", inverse), ex.Entity(Iri(EX + "e")))
        assert parse(print_program(program, EXAMPLE), EXAMPLE) == program


def test_names_against_their_position_are_marked() -> None:
    program = ex.And(ex.Entity(Iri(EX + "e")), ex.Join(relation("r0"), ex.Class(EX + "C0")))
    assert print_program(program, EXAMPLE) == "(AND (ENTITY ex:e) (JOIN ex:r0 (CLASS ex:C0)))"
    assert parse(print_program(program, EXAMPLE), EXAMPLE) == program


def test_a_class_of_nothing_is_meant_itself() -> None:
    """Titanium is a kind of metal that no thing is said to be, and has a symbol."""
    symbol = Relation(0, EX + "symbol", "symbol", 2, 2, frozenset((ValueKind.TEXT,)))
    schema = Schema([symbol], [Class(0, EX + "titanium", "titanium", 0), Class(1, EX + "metal", "metal", 3)])
    titanium, metals = (
        parse(f"(JOIN ex:symbol_inv ex:{of})", EXAMPLE, schema) for of in ("titanium", "metal")
    )
    assert titanium == ex.Join(relation("symbol", True), ex.Entity(Iri(EX + "titanium")))
    assert metals == ex.Join(relation("symbol", True), ex.Class(EX + "metal"))


def test_a_path_reads_from_the_set_outwards() -> None:
    program = parse("(ARGMAX a.c (JOIN a.r_inv (JOIN a.s a.t)))", FB)
    steps = [
        ex.Relation(FREEBASE + "a.r", True),
        ex.Relation(FREEBASE + "a.s"),
        ex.Relation(FREEBASE + "a.t"),
    ]
    assert program == ex.Extreme(ex.Direction.LARGEST, ex.Class(FREEBASE + "a.c"), tuple(steps))


@given(programs)
def test_parse_undoes_print(program: ex.Expression) -> None:
    assert parse(print_program(program, EXAMPLE), EXAMPLE) == program
    if isinstance(program, ex.Count):
        program = program.argument
    assert parse(print_program(program, EXAMPLE), EXAMPLE) == program


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(["", "en", "pt-BR"]),
    st.sampled_from([XSD + "string", XSD + "gYear", "http://x.org/(odd)", "urn:type"]),
)
def test_any_literal_survives(lexical: str, language: str, datatype: str) -> None:
    literal = Literal(lexical, RDF_LANG_STRING if language else datatype, language)
    program = ex.Join(relation("r0"), ex.Value(literal))
    assert parse(print_program(program, EXAMPLE), EXAMPLE) == program


@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters='<>"{}|^`\\'),
        min_size=1,
    )
)
def test_any_iri_survives(local: str) -> None:
    for namespace in (EX, "urn:x:"):
        program = ex.And(
            ex.Class(namespace + local),
            ex.Join(ex.Relation(namespace + local, True), ex.Entity(Iri(namespace + local))),
        )
        assert parse(print_program(program, EXAMPLE), EXAMPLE) == program


def test_blank_nodes_are_always_entities() -> None:
    program = ex.And(ex.Entity(Blank("b0")), ex.Join(relation("r0"), ex.Entity(Blank("b1"))))
    assert print_program(program, EXAMPLE) == "(AND _:b0 (JOIN ex:r0 _:b1))"
    assert parse("(AND _:b0 (JOIN ex:r0 _:b1))", EXAMPLE) == program


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "empty"),
        ("   ", 0, "empty"),
        ("(JOIN a.b", 9, "ends too early"),
        ("(JOIN a.b m.0))", 14, "more follows"),
        ("(JOIN a.b)", 9, "argument is missing"),
        ("(JOIN a.b m.0 m.1)", 14, "takes 2 arguments"),
        ("(FOO a.b)", 1, "function is expected"),
        ("(COUNT (COUNT a.b))", 0, "outermost"),
        ("(AND a.b (COUNT a.b))", 0, "outermost"),
        ("(JOIN a.b_inv 5^^xsd:integer)", 0, "never a subject"),
        ("(ARGMAX a.b a.c_inv)", 0, "never leads to one"),
        ("(LT a.b m.0)", 8, "literal"),
        ("(LT a.b word^^xsd:integer)", 0, "number or time"),
        ('(TC a.b a.c "5"^^xsd:integer)', 0, "not a valid time"),
        ("(TC a.b a.c_inv NOW)", 0, "never an inverse"),
        ("(JOIN a.b <http://x y>)", 10, "unexpected"),
        ('(JOIN a.b "open)', 10, "unfinished quotation"),
        ('(JOIN a.b "\\q")', 10, "escape"),
        ("(JOIN a.b nowhere:x)", 10, "prefix"),
        ("(JOIN a.b <>)", 10, "not an IRI"),
        ("(R a.b)", 1, "turns a relation"),
        ("(AND a.b 1999)", 9, "not the number"),
        ("(ARGMAX a.b a.c 0)", 16, "a rank such as 3"),
        ("(ARGMAX a.b a.c 1 2 3)", 20, "takes 4 arguments"),
        ("(ARGMAX a.b a.c 3 2)", 0, "ranks go upwards"),
        ("(GT (JOIN a.b a.c) 3)", 4, "for a path write"),
        ("(PER a.b a.c a.d)", 13, "of each group"),
        ("(PER a.b a.c)", 12, "relation is expected"),
        ("(LT (COUNT a.b) 2)", 0, "stands in AND"),
        ("(AND (LT (COUNT a.b) 2) (EQ (COUNT a.c) 0))", 0, "stands in AND"),
        ("(GT a.b (MEET m.0 m.1))", 0, "yes or no"),
        ("(SHOW (COUNT a.b) a.c)", 0, "outermost"),
        ("(SORT (SHOW a.b a.c) a.c)", 0, "a table"),
        ("(SORT (PER a.b a.c COUNT) a.d)", 0, "one of its own columns"),
        ("(ARGMAX a.b COUNT)", 0, "as in .COUNT r."),
        ("(LIKE a.b 3)", 0, "a text in quotation marks"),
        ('(NAMED "")', 0, "some text"),
        ("(JOIN a.b (SORT a.b a.c))", 0, "a list"),
        ("(JOIN (AND a.b a.c) m.0)", 6, "relation is expected"),
        ("(JOIN a.b \ud800)", 10, "half a character"),
        ("(" * 10_000, 200, "nested more than"),
        ("(COUNT " * 10_000 + "a.b" + ")" * 10_000, 1400, "nested more than"),
    ],
)
def test_errors_say_where_and_why(text: str, position: int, reason: str) -> None:
    with pytest.raises(ProgramError, match=reason) as caught:
        parse(text, FB)
    assert caught.value.position == position


@given(st.text(st.sampled_from('()<>"\\^@_#? ∀é\u200b\x00abR.:') | st.characters(), max_size=40))
def test_no_text_is_too_strange(text: str) -> None:
    problem = None
    try:
        parse(text, FB)
    except ProgramError as error:
        problem = error
    if problem is not None:
        assert problem.position is not None
        assert str(problem).encode("utf-8")


@given(program=programs)
def test_what_is_well_typed_parses_back_with_a_schema(program: ex.Expression, schema: Schema) -> None:
    check(program, EXAMPLE, schema)
    assert parse(print_program(program, EXAMPLE), EXAMPLE, schema) == program


class TestSchema:
    def test_unknown_relation_names_the_nearest(self, schema: Schema) -> None:
        with pytest.raises(ProgramError, match=r"no relation ex:siez.*ex:size") as caught:
            parse("(ARGMAX ex:C0 ex:siez)", EXAMPLE, schema)
        assert caught.value.position == 0

    def test_unknown_class_names_the_nearest(self, schema: Schema) -> None:
        with pytest.raises(ProgramError, match=r"no class ex:C9.*ex:C0"):
            parse("(AND ex:C9 (JOIN ex:r0 ex:e0))", EXAMPLE, schema)

    def test_ordering_needs_values(self, schema: Schema) -> None:
        with pytest.raises(ProgramError, match="numbers or times, and ex:r0 does not"):
            parse("(ARGMIN ex:C0 ex:r0)", EXAMPLE, schema)
        with pytest.raises(ProgramError, match="numbers or times, and ex:r1 does not"):
            check(
                ex.Compare(Comparison.LT, relation("r1"), ex.Value(Literal("5", XSD + "integer"))),
                EXAMPLE,
                schema,
            )

    def test_tc_needs_times(self, schema: Schema) -> None:
        with pytest.raises(ProgramError, match="holds times, and ex:size does not"):
            parse("(TC ex:C0 ex:size NOW)", EXAMPLE, schema)

    def test_a_class_is_known_as_an_argument_of_join(self, schema: Schema) -> None:
        program = parse("(JOIN ex:r0 ex:C0)", EXAMPLE, schema)
        assert program == ex.Join(relation("r0"), ex.Class(EX + "C0"))


def test_names_need_a_prefix_without_a_base() -> None:
    with pytest.raises(ProgramError, match="no prefix"):
        parse("(JOIN r e)", Names(replace(PROFILE, base=None)))
