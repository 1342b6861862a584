from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind

_COUNT = st.integers(0, 10**12)
_PLACE = st.none() | st.integers(0, 50)
_RELATIONS = st.builds(
    Relation,
    st.just(0),
    st.text(),
    st.text(),
    _COUNT,
    _COUNT,
    st.frozensets(st.sampled_from(ValueKind)),
    _PLACE,
    _PLACE,
    _PLACE,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(
    st.lists(_RELATIONS, max_size=4),
    st.lists(st.tuples(st.text(), st.text(), _COUNT, st.booleans()), max_size=4),
)
def test_a_schema_comes_back_from_json(drawn: list[Relation], rows: list[tuple[str, str, int, bool]]) -> None:
    relations = [
        Relation(number, *(getattr(one, name) for name in Relation.__slots__[1:]))
        for number, one in enumerate(drawn)
    ]
    classes = [Class(number, *row) for number, row in enumerate(rows)]
    schema = Schema(relations, classes, dict.fromkeys(range(len(relations))) | {0: 1})
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema
