"""Two ways to the answers of random programs: the index, and the compiled SPARQL on pyoxigraph."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.language.expression import Expression
from arcaneqa.language.run import execute
from arcaneqa.language.sparql import to_sparql
from tests.language.worlds import PROFILE, found_by_index, found_by_query, graphs, indexed, programs, stored


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(graphs(), st.lists(st.tuples(programs, st.booleans()), min_size=10, max_size=40))
def test_index_and_sparql_agree(facts: str, asked: list[tuple[Expression, bool]]) -> None:
    store = stored(facts)
    with indexed(facts) as kb:
        for program, exclude in asked:
            expected = found_by_query(store, to_sparql(program, PROFILE, kb.schema, exclude))
            assert found_by_index(execute(program, kb, exclude_mentioned=exclude), kb) == expected
