"""Every form of the language, at random: text and back, steps and back, index against SPARQL."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from arcaneqa.kb.short_names import Names
from arcaneqa.language.equivalence import equivalent
from arcaneqa.language.expression import Class, Entity, Expression, Value
from arcaneqa.language.rewrite import canonical
from arcaneqa.language.run import execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.steps import from_steps, to_steps
from arcaneqa.language.text import parse, print_program
from tests.language.forms import by_index, by_query, every_program, is_sound
from tests.language.worlds import PROFILE, graphs, indexed, stored

NAMES = Names(PROFILE)


sound_programs = every_program.filter(is_sound)


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(sound_programs)
def test_text_and_back(program: Expression) -> None:
    assert parse(print_program(program, NAMES), NAMES) == program


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(sound_programs)
def test_steps_and_back(program: Expression) -> None:
    assume(not isinstance(program, Class | Entity | Value))
    steps = to_steps(program)
    assert from_steps(steps) == program
    assert len(set(steps.subprograms)) == len(steps.subprograms)


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(sound_programs)
def test_the_canonical_program_is_its_own_and_asks_the_same(program: Expression) -> None:
    ordered = canonical(program)
    assert is_sound(ordered)
    assert canonical(ordered) == ordered
    assert equivalent(ordered, program)


def _agree(facts: str, asked: list[Expression]) -> None:
    store = stored(facts)
    with indexed(facts) as kb:
        for program in asked:
            expected = by_query(store, to_sparql(program, PROFILE, kb.schema), program)
            assert by_index(execute(program, kb), kb, program) == expected, print_program(program, NAMES)


_PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(max_examples=6, deadline=None, suppress_health_check=_PATIENT)
@given(graphs(), st.lists(sound_programs, min_size=10, max_size=30))
def test_index_and_sparql_agree(facts: str, asked: list[Expression]) -> None:
    _agree(facts, asked)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=_PATIENT)
@given(graphs(), st.lists(sound_programs, min_size=10, max_size=60))
def test_index_and_sparql_agree_on_thousands(facts: str, asked: list[Expression]) -> None:
    _agree(facts, asked)
