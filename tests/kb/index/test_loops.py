"""Compiled loops against the plain ways of saying the same."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from arcaneqa.kb.build import batches, build_index, dictionary
from arcaneqa.kb.index import Index, kernels, sets
from arcaneqa.kb.index.rows import Lists
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import InputError

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
    plain = batches.numbered(text)
    with patch.object(batches, "_LARGE", 0):
        compiled = batches.numbered(text)
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


@given(st.sets(st.integers(0, 500), min_size=1), st.sets(st.integers(0, 500), min_size=1))
def test_sets_meet_where_they_have_something_in_common(left: set[int], right: set[int]) -> None:
    with patch.object(sets, "LARGE", 0):
        met = sets.intersects(np.array(sorted(left), np.int64), np.array(sorted(right), np.int64))
    assert met == bool(left & right)


@given(st.integers(1, 700), st.lists(st.integers(0, 30), max_size=12), st.data())
def test_codes_of_many_nodes(count: int, rare: list[int], data: st.DataObject) -> None:
    """Whatever part of the nodes has them: a code that one node alone has is found."""
    lists = [[40 + node % 3] for node in range(count)]
    for code in rare:
        lists[data.draw(st.integers(0, count - 1))].append(code)
    arrays: dict[str, Array] = {
        "x.offsets": np.cumsum([0, *(len(set(own)) for own in lists)]).astype(np.uint32),
        "x.codes": np.array([code for own in lists for code in sorted(set(own))], np.uint16),
    }
    asked = data.draw(st.sets(st.integers(0, count - 1), min_size=2 if count > 1 else 1))
    with patch.object(sets, "LARGE", 0):
        found = Lists(arrays.__getitem__, "x", np.ones(43, bool), None).union(np.array(sorted(asked)))
    assert found.tolist() == sorted({code for node in asked for code in lists[node]})


@given(st.lists(st.integers(1, 4), min_size=1, max_size=20), st.data())
def test_values_of_rows_in_any_order(lengths: list[int], data: st.DataObject) -> None:
    """Rows that are neighbours are read in one go: but only if they are, and in this order."""
    rows = data.draw(st.lists(st.integers(0, len(lengths) - 1), min_size=1, max_size=8))
    offsets = np.cumsum([0, *lengths])
    values = np.arange(100, 100 + offsets[-1])
    found = kernels.collect(np.array(rows), offsets, values)
    assert found.tolist() == [value for row in rows for value in values[offsets[row] : offsets[row + 1]]]
    bounds = kernels.bounds(np.array(rows), offsets, values, 103, 120)
    inside = [value for value in found.tolist() if 103 <= value < 120]
    assert bounds == ((min(inside), max(inside)) if inside else (120, 102))


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_a_part_is_told_from_what_is_none(large: set[int], small: set[int]) -> None:
    for part in (small, large & small):
        arrays = [np.array(sorted(some), np.int64) for some in (large, part)]
        assert sets.includes(*arrays) is (part <= large)


def test_large_groups_lie_in_one_piece(tmp_path: Path) -> None:
    """Entities told about in no order: those of the largest group are neighbours, and so are those of a
    smaller one within and without it. What many facts lead to comes before everything else."""
    numbers = np.random.default_rng(5).permutation(600)
    lines = [f"<a:{n}> <a:in> <a:{'even' if n % 2 else 'odd'}> .\n" for n in numbers]
    lines += [f"<a:list> <a:of> <a:{n}> .\n" for n in numbers if n < 200]
    lines += [f"<a:{n}> <a:likes> <a:450> .\n" for n in numbers if n > 580]
    path = tmp_path / "g.nt"
    path.write_text("".join(lines))
    with patch.object(sets, "LARGE", 100), patch.object(dictionary, "MANY", 100):
        build_index([path], tmp_path / "index", batch=50)
    with Index(tmp_path / "index") as kb:
        ids = {n: kb.node(Iri(f"a:{n}")) or 0 for n in range(600)}
        assert kb.terms(np.array(list(ids.values()))) == [Iri(f"a:{n}") for n in range(600)]
        for parity in (0, 1):
            for listed in (True, False):
                group = {n for n in range(600) if n % 2 == parity and (n < 200) == listed}
                places = sorted(ids[n] for n in group - {450})
                assert places[-1] - places[0] == len(places) - 1
        assert ids[450] < min(ids[n] for n in range(600) if n != 450)


def test_a_statement_about_a_statement_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.nt"
    path.write_text("<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .\n")
    with pytest.raises(InputError, match="<a:s> <a:p> <a:o> is quoted"):
        build_index([path], tmp_path / "index")
