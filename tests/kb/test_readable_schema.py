"""A schema by names: what is written is read back, whatever the order."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.profile import RDF_PROFILE
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind, read, written
from arcaneqa.kb.short_names import Names

NAMES = Names(RDF_PROFILE)
EX = "http://example.org/"


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Relations and classes in the order of their use, as they are written."""
    members = sorted(draw(st.lists(st.integers(0, 99), max_size=4)), reverse=True)
    classes = [
        Class(place, f"{EX}C{place}", f"c {place}", size, draw(st.booleans()), draw(st.none() | st.text()))
        for place, size in enumerate(members)
    ]
    facts = sorted(draw(st.lists(st.integers(0, 99), max_size=4)), reverse=True)
    some_class = st.sampled_from([None, *range(len(classes))])
    relations = [
        Relation(
            id=place,
            iri=f"{EX}r{place}",
            label=f"r {place}",
            facts=size,
            objects=draw(st.integers(0, size)),
            kinds=draw(st.frozensets(st.sampled_from(ValueKind))),
            domain=draw(some_class),
            range=draw(some_class),
            inverse=draw(st.sampled_from([None, *range(len(facts))])),
            hidden=draw(st.booleans()),
            is_identifier=draw(st.booleans()),
            domain_declared=draw(st.booleans()),
            range_declared=draw(st.booleans()),
            other_domains=tuple(draw(st.lists(st.sampled_from(range(len(classes))), unique=True)))
            if classes
            else (),
        )
        for place, size in enumerate(facts)
    ]
    return Schema(relations, classes)


@given(schemas())
def test_what_is_written_is_read_back(schema: Schema) -> None:
    assert read(written(schema, NAMES), RDF_PROFILE) == schema


def test_what_was_taken_out_is_not_looked_for() -> None:
    city = Class(0, EX + "City", "city", 2)
    twin = Relation(0, EX + "twin", "twin", 2, 2, frozenset((ValueKind.ENTITY,)), 0, 0, 1, other_domains=(0,))
    back = replace(twin, id=1, iri=EX + "back", inverse=0)
    data = written(Schema([twin, back], [city]), NAMES)
    data["classes"].clear()
    data["relations"].pop()
    (left,) = read(data, RDF_PROFILE).relations
    assert (left.domain, left.range, left.inverse, left.other_domains) == (None, None, None, ())
    assert left.iri == twin.iri
