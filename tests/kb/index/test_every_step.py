"""What all relations of a set lead to, asked at once, is what they lead to one by one."""

from __future__ import annotations

import numpy as np
import pyoxigraph as ox
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.kb.interface import KnowledgeBase
from tests.kb.index.test_index_twin import Pair, chosen, graphs, opened


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(triples=graphs, some=chosen, others=chosen, data=st.data())
def test_all_relations_at_once_are_each_of_them(
    triples: list[ox.Triple],
    some: list[ox.NamedNode | ox.Literal],
    others: list[ox.NamedNode | ox.Literal],
    data: st.DataObject,
) -> None:
    with opened(triples) as kb:
        pair = Pair(kb, triples)
        nodes, target = pair.pick(some)[0], pair.pick(others)[0]
        shown = np.array(sorted(pair.relations.values()), np.int64)
        values = np.array(
            data.draw(st.lists(st.sampled_from(shown.tolist())) if len(shown) else st.just([])), np.int64
        )
        one_by_one = KnowledgeBase
        assert kb.neighbours(nodes).ids.tolist() == one_by_one.neighbours(kb, nodes).ids.tolist()
        for inverse in (False, True):
            assert (
                kb.relations_into(nodes, shown, target, inverse).tolist()
                == one_by_one.relations_into(kb, nodes, shown, target, inverse).tolist()
            )
            assert (
                kb.relations_telling_apart(nodes, shown, inverse).tolist()
                == one_by_one.relations_telling_apart(kb, nodes, shown, inverse).tolist()
            )
            assert (
                kb.relations_to_values(nodes, shown, values, inverse).tolist()
                == one_by_one.relations_to_values(kb, nodes, shown, values, inverse).tolist()
            )
