"""Programs as sequences of subprograms, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import canonical
from arcaneqa.language.steps import Function, Steps, Subprogram, Symbol, Variable, from_steps, to_steps
from arcaneqa.language.text import parse
from arcaneqa.support.errors import ProgramError
from tests.language.worlds import EX, PROFILE, programs, relation

NAMES = Names(PROFILE)


def program(text: str) -> ex.Expression:
    return parse(text, NAMES)


def entity(name: str) -> ex.Entity:
    return ex.Entity(Iri(EX + name))


def shown(steps: Steps) -> list[str]:
    """As the paper writes them: `JOIN #0 r_inv`."""

    def word(argument: object) -> str:
        match argument:
            case Variable(index):
                return f"#{index}"
            case ex.Relation(iri, inverse):
                return iri.removeprefix(EX) + "_inv" * inverse
            case ex.Class(iri) | ex.Entity(Iri(iri)):
                return iri.removeprefix(EX)
            case ex.Value(literal):
                return literal.lexical
            case other:
                return repr(other)

    return [" ".join([step.function, *map(word, step.arguments)]) for step in steps.subprograms]


def test_post_order_with_the_variable_first() -> None:
    steps = to_steps(program("(AND ex:C0 (AND (JOIN ex:r0 ex:e0) (JOIN ex:r1_inv ex:e1)))"))
    assert steps.topics == (entity("e0"), entity("e1"))
    assert shown(steps) == ["JOIN #0 r0", "JOIN #1 r1_inv", "AND #3 #2", "AND #4 C0"]


def test_paths_cons_and_tc_are_flat() -> None:
    text = (
        "(ARGMAX (TC (CONS (JOIN ex:r0 ex:e0) ex:r1 ex:e1) ex:from 2000^^xsd:gYear) (JOIN ex:r2_inv ex:size))"
    )
    steps = to_steps(program(text))
    assert steps.topics == (entity("e0"), ex.Value(Literal("2000", XSD + "gYear")))
    assert shown(steps) == ["JOIN #0 r0", "CONS #2 r1 e1", "TC #3 from #1", "ARGMAX #4 r2_inv size"]


def test_now_comparisons_and_counts() -> None:
    steps = to_steps(program("(COUNT (AND (TC ex:C0 ex:from NOW) (GE ex:size 5^^xsd:integer)))"))
    assert shown(steps) == ["TC C0 from NOW", "GE #0 size", "AND #2 #1", "COUNT #3"]


def test_shared_subprograms_are_computed_once() -> None:
    shared = "(JOIN ex:r0 ex:e0)"
    steps = to_steps(program(f"(AND (JOIN ex:r1 {shared}) {shared})"))
    assert shown(steps) == ["JOIN #0 r0", "JOIN #1 r1", "AND #1 #2"]
    assert from_steps(steps) == program(f"(AND (JOIN ex:r1 {shared}) {shared})")


def test_topics_are_numbered_as_given() -> None:
    topics = [entity("e3"), entity("e1"), entity("e0")]
    steps = to_steps(program("(AND (JOIN ex:r0 ex:e0) (JOIN ex:r1 ex:e1))"), topics)
    assert steps.topics == tuple(topics)
    assert shown(steps) == ["JOIN #2 r0", "JOIN #1 r1", "AND #4 #3"]
    with pytest.raises(ProgramError, match="not among the topics"):
        to_steps(program("(JOIN ex:r0 ex:e2)"), topics)


def test_tokens_end_with_end() -> None:
    tokens = list(to_steps(program("(COUNT (JOIN ex:r0 ex:e0))")).tokens())
    assert tokens[:3] == [Symbol.OPEN, Function.JOIN, Variable(0)]
    assert tokens[-2:] == [Symbol.CLOSE, Symbol.END]


def test_leftover_variables_are_ignored() -> None:
    steps = Steps(
        (entity("e0"), entity("e1")),
        (
            Subprogram(Function.JOIN, (Variable(0), relation("r0"))),
            Subprogram(Function.JOIN, (Variable(1), relation("r1"))),
        ),
    )
    assert from_steps(steps) == program("(JOIN ex:r1 ex:e1)")


@pytest.mark.parametrize(
    "subprogram",
    [
        Subprogram(Function.JOIN, (Variable(7), relation("r0"))),
        Subprogram(Function.JOIN, (relation("r0"), Variable(0))),
        Subprogram(Function.COUNT, (Variable(0), Variable(0))),
        Subprogram(Function.LT, (Variable(0), relation("size"))),
        Subprogram(Function.ARGMAX, (Variable(0),)),
    ],
)
def test_sequences_that_are_no_program(subprogram: Subprogram) -> None:
    with pytest.raises(ProgramError):
        from_steps(Steps((entity("e0"),), (subprogram,)))


def test_a_single_name_has_no_steps() -> None:
    with pytest.raises(ProgramError, match="at least one function"):
        to_steps(ex.Class(EX + "C0"))


@given(programs)
def test_steps_come_back(random_program: ex.Expression) -> None:
    if isinstance(random_program, ex.Class):
        return
    steps = to_steps(random_program)
    assert from_steps(steps) == random_program
    assert len(set(steps.subprograms)) == len(steps.subprograms)


@given(programs, st.randoms(use_true_random=False))
def test_one_program_has_one_canonical_sequence(random_program: ex.Expression, chance: object) -> None:
    shuffled = _shuffled(random_program, chance)
    topics = [node for node in ex.post_order(random_program) if isinstance(node, ex.Entity | ex.Value)]
    assert canonical(shuffled, topics) == canonical(random_program, topics)
    assert canonical(canonical(random_program, topics), topics) == canonical(random_program, topics)


def test_canonical_order_follows_the_question() -> None:
    left, right = "(JOIN ex:r0 ex:e0)", "(JOIN ex:r1 ex:e1)"
    expected = program(f"(AND ex:C0 (AND {right} {left}))")
    for text in (f"(AND {left} (AND ex:C0 {right}))", f"(AND (AND {right} ex:C0) (AND {left} {left}))"):
        assert canonical(program(text), [entity("e1"), entity("e0")]) == expected


def _shuffled(node: ex.Expression, chance: object) -> ex.Expression:
    """The same program with its conjunctions turned round at random."""
    match node:
        case ex.And(left, right):
            sides = [_shuffled(left, chance), _shuffled(right, chance)]
            chance.shuffle(sides)  # type: ignore[attr-defined]
            return ex.And(*sides)
        case ex.Join(along, argument):
            return ex.Join(along, _shuffled(argument, chance))
        case _:
            return node
