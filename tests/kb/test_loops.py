"""Compiled loops against the plain ways of saying the same."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from arcaneqa.errors import InputError
from arcaneqa.kb import sets
from arcaneqa.kb.build import build_index, numbering

IRIS = st.sampled_from([NamedNode(f"http://a.example/{name}") for name in ("a", "b", "ab", "é", "a%20b")])
BLANKS = st.sampled_from([BlankNode("a"), BlankNode("b1")])
TEXTS = st.text(
    st.sampled_from(["a", " ", ".", '"', "\\", "\n", "\r", "<", ">", "é", "\U0001f600"]), max_size=6
)
LITERALS = TEXTS.map(Literal) | TEXTS.map(lambda text: Literal(text, language="en"))
TRIPLES = st.lists(st.builds(Triple, IRIS | BLANKS, IRIS, IRIS | BLANKS | LITERALS), max_size=40)


@given(TRIPLES)
def test_terms_are_numbered_the_same_by_loop_and_by_line(triples: list[Triple]) -> None:
    text = serialize(triples, format=RdfFormat.N_TRIPLES)
    assert text is not None
    plain = numbering.numbered(text)
    with patch.object(numbering, "_LARGE", 0):
        compiled = numbering.numbered(text)
    for name in ("subjects", "predicates", "objects"):
        assert getattr(plain, name).tolist() == getattr(compiled, name).tolist(), name
    assert (plain.terms, plain.relations) == (compiled.terms, compiled.relations)
    written = [str(term).encode() for triple in triples for term in (triple.subject, triple.object)]
    found = [plain.terms[place] for pair in zip(plain.subjects, plain.objects, strict=True) for place in pair]
    assert found == written


@given(st.integers(0, 40), st.data())
def test_distinct_values_of_any_universe(bits: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, (1 << bits) - 1), max_size=200))
    with patch.object(sets, "LARGE", 0), patch.object(sets, "_SPARSE", 1):
        found = sets.distinct(np.array(values, np.int64), 1 << bits)
    assert found.tolist() == sorted(set(values))


@given(st.lists(st.integers(0, 2000), max_size=300))
def test_distinct_values_of_a_full_universe(values: list[int]) -> None:
    with patch.object(sets, "LARGE", 0):
        found = sets.distinct(np.array(values, np.uint32), 2001)
    assert found.tolist() == sorted(set(values))


def test_a_statement_about_a_statement_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.nt"
    path.write_text("<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .\n")
    with pytest.raises(InputError, match="<a:s> <a:p> <a:o> is quoted"):
        build_index([path], tmp_path / "index")
