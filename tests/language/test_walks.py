"""Walks over programs against their slow twins, on random programs."""

from __future__ import annotations

from hypothesis import given

from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from tests.language.forms import every_program


def one_by_one(node: ex.Expression) -> list[ex.Expression]:
    return [*(one for child in ex.children(node) for one in one_by_one(child)), node]


@given(program=every_program)
def test_every_node_comes_after_its_arguments(program: ex.Expression) -> None:
    assert list(ex.post_order(program)) == one_by_one(program)


@given(program=every_program)
def test_a_change_reaches_equal_nodes_wherever_they_stand(program: ex.Expression) -> None:
    named = [node for node in one_by_one(program) if isinstance(node, ex.Class)]
    other = ex.Class("http://example.org/other")
    changed = rewrite(program, lambda node: other if node in named else node)
    assert [node for node in one_by_one(changed) if isinstance(node, ex.Class)] == [other] * len(named)


@given(program=every_program)
def test_where_nothing_changes_the_program_is_the_same(program: ex.Expression) -> None:
    assert rewrite(program, lambda node: node) == program
