"""The part of the contract that is about sets put together, counts, sums and best values."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pytest

from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Step
from arcaneqa.kb.terms import Iri, Literal

EX = "http://example.org/"


class Helpers(Protocol):
    def relation(self, kb: KnowledgeBase, name: str) -> int: ...
    def nodes(self, kb: KnowledgeBase, *names: str | Literal) -> NodeSet: ...
    def names(self, kb: KnowledgeBase, nodes: NodeSet) -> list[str]: ...


def _steps(helpers: Helpers, kb: KnowledgeBase, path: str) -> list[Step]:
    names = path.split()
    return [Step(helpers.relation(kb, name.removesuffix("_inv")), name.endswith("_inv")) for name in names]


def _named(kb: KnowledgeBase, ids: Ids) -> list[str]:
    return [term.value.removeprefix(EX) if isinstance(term, Iri) else str(term) for term in kb.terms(ids)]


def _by_name(kb: KnowledgeBase, ids: Ids, numbers: object) -> dict[str, object]:
    return dict(zip(_named(kb, ids), np.asarray(numbers).tolist(), strict=True))


class CountingCases:
    def test_unions_hold_each_member_once(self: Helpers, kb: KnowledgeBase) -> None:
        cities = kb.members(kb.schema.class_ids[EX + "City"])
        both = kb.union(self.nodes(kb, "austria", "vienna"), cities)
        assert self.names(kb, both) == ["austria", "bergen", "budapest", "oslo", "vienna"]
        nothing = kb.nodes(np.empty(0, np.int64))
        assert self.names(kb, kb.union(nothing, self.nodes(kb, "oslo"))) == ["oslo"]
        assert not kb.union(nothing, nothing)

    @pytest.mark.parametrize(
        ("step", "expected"),
        [
            ("mayor", ["budapest", "vienna"]),
            ("mayor_inv", ["karacsony", "ludwig"]),
            ("elevation", ["bergen", "budapest", "oslo"]),
            ("retired_inv", ["false"]),
            ("twin", ["_", "budapest", "vienna"]),
        ],
    )
    def test_whatever_has_a_relation(
        self: Helpers, kb: KnowledgeBase, step: str, expected: list[str]
    ) -> None:
        assert self.names(kb, kb.having(_steps(self, kb, step)[0])) == expected

    @pytest.mark.parametrize(
        ("text", "expected"), [("FJORD", ["oslo"]), ("2", ["oslo"]), ('"', []), (".*", [])]
    )
    def test_texts_are_searched_whatever_their_case(
        self: Helpers, kb: KnowledgeBase, text: str, expected: list[str]
    ) -> None:
        assert self.names(kb, kb.containing(self.relation(kb, "note"), text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("WIEN", ["vienna"]),
            ("republic of austria", ["austria"]),
            ("Öster", []),
            ("ÖSTERREICH", ["austria"]),
        ],
    )
    def test_names_are_labels_and_aliases(
        self: Helpers, kb: KnowledgeBase, text: str, expected: list[str]
    ) -> None:
        assert self.names(kb, kb.named(text)) == expected

    @pytest.mark.parametrize(
        ("members", "path", "within", "expected"),
        [
            (["karacsony", "ludwig", "oslo"], "term", None, {"karacsony": 2, "ludwig": 1}),
            (["karacsony", "ludwig"], "term", ["t2", "t1"], {"karacsony": 1, "ludwig": 1}),
            (["vienna", "budapest"], "mayor term", None, {"vienna": 1, "budapest": 2}),
            (["ludwig", "karacsony"], "mayor_inv twin", ["vienna"], {"karacsony": 1}),
            (["oslo"], "note", None, {"oslo": 2}),
            (["austria"], "term", None, {}),
        ],
    )
    def test_different_neighbours_are_counted(
        self: Helpers,
        kb: KnowledgeBase,
        members: list[str],
        path: str,
        within: list[str] | None,
        expected: dict[str, int],
    ) -> None:
        inside = None if within is None else self.nodes(kb, *within)
        tally = kb.tally(self.nodes(kb, *members), _steps(self, kb, path), inside)
        assert np.all(np.diff(tally.nodes) > 0)
        assert _by_name(kb, tally.nodes, tally.counts) == expected

    def test_numbers_are_summed_for_each_member(self: Helpers, kb: KnowledgeBase) -> None:
        members = self.nodes(kb, "austria", "hungary", "norway", "bergen", "t1")
        totals = kb.totals(members, _steps(self, kb, "population"))
        expected = {"austria": 8950000, "hungary": 9600000.5, "norway": 5400000, "bergen": 700000}
        assert _by_name(kb, totals.nodes, totals.sums) == expected
        assert totals.counts.tolist() == [1, 1, 1, 1]
        assert (int(totals.units.sum()), totals.scale) == (246500005, 1)
        # What is no number, as a height of "high", is left out.
        assert not len(kb.totals(self.nodes(kb, "bergen"), _steps(self, kb, "elevation")).nodes)

    def test_each_walk_counts_in_a_sum(self: Helpers, kb: KnowledgeBase) -> None:
        totals = kb.totals(self.nodes(kb, "budapest", "vienna"), _steps(self, kb, "twin twin population"))
        assert _by_name(kb, totals.nodes, totals.sums) == {"budapest": 1750000, "vienna": 1900000}

    @pytest.mark.parametrize(
        ("members", "path", "largest", "expected"),
        [
            (["vienna", "oslo", "bergen"], "population", True, [["vienna"], ["bergen", "oslo"]]),
            (["vienna", "oslo", "bergen"], "population", False, [["bergen", "oslo"], ["vienna"]]),
            (["austria", "hungary", "norway"], "founded", True, [["austria"], ["norway"], ["hungary"]]),
            (["karacsony", "ludwig", "austria"], "term from", True, [["karacsony"], ["ludwig"]]),
            (["karacsony", "ludwig"], "term from", False, [["karacsony"], ["ludwig"]]),
        ],
    )
    def test_standings(
        self: Helpers,
        kb: KnowledgeBase,
        members: list[str],
        path: str,
        largest: bool,
        expected: list[list[str]],
    ) -> None:
        found = kb.standings(self.nodes(kb, *members), _steps(self, kb, path), largest)
        places: dict[float, list[str]] = {}
        for name, score in sorted(zip(_named(kb, found.nodes), found.scores.tolist(), strict=True)):
            places.setdefault(score, []).append(name)
        assert [places[score] for score in sorted(places, reverse=largest)] == expected

    @pytest.mark.parametrize(
        ("comparison", "relation", "expected"),
        [
            ("GT", "population", ["9600000.5"]),
            ("LE", "population", ["5400000"]),
            ("EQ", "population", []),
            ("LT", "founded", ["1000"]),
            ("GE", "founded", ["1918-11-12"]),
            ("GT", "capital", []),
        ],
    )
    def test_one_value_stands_for_all(
        self: Helpers, kb: KnowledgeBase, comparison: str, relation: str, expected: list[str]
    ) -> None:
        countries = self.nodes(kb, "austria", "hungary", "norway")
        values = kb.objects(self.relation(kb, relation), countries)
        found = kb.edges(Comparison(comparison), values)
        assert [literal.lexical.removesuffix(".0") for literal in found] == expected

    def test_equal_values_stand_for_each_other(self: Helpers, kb: KnowledgeBase) -> None:
        values = kb.objects(self.relation(kb, "population"), self.nodes(kb, "oslo", "bergen"))
        assert [literal.lexical for literal in kb.edges(Comparison.EQ, values)] == ["700000"]
