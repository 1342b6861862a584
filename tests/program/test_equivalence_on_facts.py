"""Equivalence with what a real index says about itself, against the executor."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from pathlib import Path
from random import Random

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.program.equivalence import canonical, equivalent
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    Direction,
    Entity,
    Expression,
    Extreme,
    Join,
    Relation,
    Value,
)
from arcaneqa.program.ontology import Ontology

X = "http://x.example/"
HEAD = f"""
@prefix : <{X}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:made owl:inverseOf :maker .
:likes rdfs:domain :Person .
"""


def facts(seed: int) -> str:
    """Most subjects of a relation are of one class, sometimes all of them; inverses always hold."""
    draw = Random(seed)
    lines = [HEAD]
    for n in range(8):
        kinds = [":Person"] if n < 6 or draw.random() < 0.5 else [":Robot"]
        kinds += [":Maker"] * (draw.random() < 0.4)
        lines.append(f":p{n} a {', '.join(kinds)} ; :size {draw.randint(1, 3)} .")
    for n in range(5):
        lines.append(f":t{n} a :Thing .")
    for _ in range(8):
        person, thing = draw.randrange(8), draw.randrange(5)
        lines.append(f":p{person} :made :t{thing} . :t{thing} :maker :p{person} .")
        lines.append(f":p{draw.randrange(8)} :likes :{draw.choice('tp')}{draw.randrange(5)} .")
    return "\n".join(lines)


def programs() -> list[Expression]:
    names = [Relation(X + name, side) for name in ("made", "maker", "likes") for side in (False, True)]
    size, one = Relation(X + "size"), Value(Literal("2", XSD + "integer"))
    first: list[Expression] = [Class(X + c) for c in ("Person", "Robot", "Maker", "Thing")]
    first += [Entity(Iri(X + "p1")), Entity(Iri(X + "t1")), Compare(Comparison.LT, size, one)]
    second: list[Expression] = [Join(r, u) for r in names for u in first]
    second += [Cons(u, names[4], Entity(Iri(X + "t1"))) for u in first]
    second += [Extreme(d, u, (size,)) for d in Direction for u in first]
    draw = Random(7)
    third: list[Expression] = [And(u, v) for u, v in product(first, second)]
    some = draw.sample(third, 60)
    third += [Join(r, u) for r in names for u in some] + [And(u, v) for u in first for v in some]
    third += [Extreme(Direction.LARGEST, u, (size,)) for u in some] + [Count(u) for u in some]
    return [*first, *second, *third]


@pytest.mark.parametrize("seed", range(4))
def test_programs_that_are_equal_return_the_same(tmp_path: Path, seed: int) -> None:
    (tmp_path / "facts.ttl").write_text(facts(seed))
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    groups: dict[str, list[Expression]] = defaultdict(list)
    with Index(tmp_path / "kb") as kb:
        ontology = Ontology.of(kb)
        for program in programs():
            groups[canonical(program, ontology)].append(program)
        assert max(map(len, groups.values())) > 3
        for group in groups.values():
            results = {(r.count, tuple(r.nodes.ids)) for r in (execute(program, kb) for program in group)}
            assert len(results) == 1, group


def test_a_class_is_implied_only_where_every_fact_agrees(tmp_path: Path) -> None:
    people = "\n".join(f":p{n} a :Person ; :likes :t1 ; :made :t2 . :t2 :maker :p{n} ." for n in range(30))
    (tmp_path / "facts.ttl").write_text(
        f"{HEAD}{people}\n:r1 a :Robot ; :likes :t1 .\n:t1 a :Thing . :t2 a :Thing ."
    )
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        ontology = Ontology.of(kb)
        for relation, implied in (("likes", False), ("made", True)):
            join = Join(Relation(X + relation), Entity(Iri(X + "t1")))
            assert equivalent(And(Class(X + "Person"), join), join, ontology) is implied
        near_only = Ontology.of(kb, roles=False)
        made = Join(Relation(X + "made"), Entity(Iri(X + "t1")))
        assert not equivalent(And(Class(X + "Person"), made), made, near_only)
        assert equivalent(Join(Relation(X + "maker", True), Entity(Iri(X + "t1"))), made, near_only)
