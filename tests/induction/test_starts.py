"""Whether there is a class to start from, seen at a few relations, against the whole lists."""

from __future__ import annotations

import pytest

from arcaneqa.induction import paths
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.meaning import Meaning
from arcaneqa.language.expression import Class
from tests.induction.randomness import random_kb


@pytest.mark.parametrize("few", [0, 1, 8])
def test_whether_there_is_a_class_is_seen_as_in_the_whole_list(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_FEW", few)
    seen = set()
    for seed in range(60):
        kb = random_kb(seed)
        whole = Induction(kb).starts
        listed = [token.iri for token in whole.related.tokens if isinstance(token, Class)]
        sizes = [len(kb.members(kb.schema.class_ids[iri])) for iri in listed]

        def is_odd(members: Meaning) -> bool:
            return len(members.nodes) % 2 == 1

        quick = Induction(kb).starts
        assert quick.has_several is any(size > 1 for size in sizes)
        assert quick.have_parts(is_odd) is any(size > 1 and size % 2 == 1 for size in sizes)
        assert len(whole.keyed) > 0 or not quick.has_several
        seen.add((quick.has_several, quick.have_parts(is_odd)))
    assert len(seen) > 1
