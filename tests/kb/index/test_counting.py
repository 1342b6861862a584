"""Counts, sums and best values: the index's arrays and loops against plain terms."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.kb import counting
from arcaneqa.kb.counting import ByTerms
from arcaneqa.kb.index import Index, sets
from arcaneqa.kb.interface import Comparison, NodeSet, Step
from tests.language.worlds import EX, LINKS, ORDERED, graphs, indexed


class Plain(ByTerms, Index):
    """The same facts, counted by looking at terms."""


PATHS = st.lists(st.tuples(st.sampled_from((*LINKS, *ORDERED)), st.booleans()), min_size=1, max_size=3)


@pytest.mark.parametrize("large", [0, sets.LARGE])
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(facts=graphs(), data=st.data())
def test_arrays_and_terms_agree(large: int, facts: str, data: st.DataObject) -> None:
    with indexed(facts) as kb, Plain(kb.folder) as plain, patch.object(sets, "LARGE", large):
        everything = np.arange(kb.counts["entities"] + kb.counts["numbers"])
        chosen = st.lists(st.sampled_from(everything.tolist()), min_size=1, max_size=12)
        for _ in range(12):
            nodes = kb.nodes(np.array(data.draw(chosen), np.int64))
            within = kb.nodes(np.array(data.draw(chosen), np.int64))
            path = [Step(kb.schema.relation_ids[EX + name], way) for name, way in data.draw(PATHS)]
            assert_same(kb, plain, nodes, within, path)


def assert_same(kb: Index, plain: Plain, nodes: NodeSet, within: NodeSet, path: list[Step]) -> None:
    walks, expected = kb.walks(nodes, path), plain.walks(nodes, path)
    assert sorted(zip(walks.subjects.tolist(), walks.objects.tolist(), strict=True)) == sorted(
        zip(expected.subjects.tolist(), expected.objects.tolist(), strict=True)
    )
    for inside in (None, within):
        tally, counted = kb.tally(nodes, path, inside), plain.tally(nodes, path, inside)
        assert tally.nodes.tolist() == counted.nodes.tolist()
        assert tally.counts.tolist() == counted.counts.tolist()
    totals, summed = kb.totals(nodes, path), plain.totals(nodes, path)
    assert totals.nodes.tolist() == summed.nodes.tolist()
    assert (totals.sums.tolist(), totals.counts.tolist()) == (summed.sums.tolist(), summed.counts.tolist())
    for largest in (True, False):
        best, best_plain = kb.standings(nodes, path, largest), plain.standings(nodes, path, largest)
        assert best.nodes.tolist() == best_plain.nodes.tolist()
        ranks = (np.unique(each.scores, return_inverse=True)[1].tolist() for each in (best, best_plain))
        assert next(ranks) == next(ranks)
    ends = kb.nodes(walks.objects)
    for comparison in Comparison:
        edges, plain_edges = kb.edges(comparison, ends), plain.edges(comparison, ends)
        assert len(edges) == len(plain_edges)
        for edge, plain_edge in zip(edges, plain_edges, strict=True):
            for relation in kb.schema.relations:
                found = kb.compare(comparison, relation.id, edge)
                assert found.ids.tolist() == kb.compare(comparison, relation.id, plain_edge).ids.tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-(10**6), 10**6)), min_size=1), st.integers(0, 6))
def test_sums_of_decimals_are_exact(pairs: list[tuple[int, int]], decimals: int) -> None:
    pairs = sorted(pairs)
    origins = np.array([origin for origin, _ in pairs], np.int64)
    numbers = np.array([float(f"{units}e-{decimals}") for _, units in pairs])
    totals = counting.totalled(origins, numbers)
    for origin, found in zip(totals.nodes.tolist(), totals.sums.tolist(), strict=True):
        whole = sum(units for other, units in pairs if other == origin)
        assert found == float(f"{whole}e-{decimals}")


def test_numbers_too_large_to_be_exact_are_still_summed() -> None:
    totals = counting.totalled(np.zeros(3, np.int64), np.array([1e300, 1e300, np.inf]))
    assert totals.sums.tolist() == [np.inf]
    assert counting.totalled(np.zeros(2, np.int64), np.array([1e17, 2e17])).sums.tolist() == [3e17]
