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
from arcaneqa.language import expression as ex
from arcaneqa.language.equivalence import Ontology, canonical, equivalent
from arcaneqa.language.run import execute

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


def programs() -> list[ex.Expression]:
    names = [ex.Relation(X + name, side) for name in ("made", "maker", "likes") for side in (False, True)]
    size, one = ex.Relation(X + "size"), ex.Value(Literal("2", XSD + "integer"))
    first: list[ex.Expression] = [ex.Class(X + c) for c in ("Person", "Robot", "Maker", "Thing")]
    first += [ex.Entity(Iri(X + "p1")), ex.Entity(Iri(X + "t1")), ex.Compare(Comparison.LT, size, one)]
    second: list[ex.Expression] = [ex.Join(r, u) for r in names for u in first]
    second += [ex.Cons(u, names[4], ex.Entity(Iri(X + "t1"))) for u in first]
    second += [ex.Extreme(d, u, (size,)) for d in ex.Direction for u in first]
    draw = Random(7)
    third: list[ex.Expression] = [ex.And(u, v) for u, v in product(first, second)]
    some = draw.sample(third, 60)
    third += [ex.Join(r, u) for r in names for u in some] + [ex.And(u, v) for u in first for v in some]
    third += [ex.Extreme(ex.Direction.LARGEST, u, (size,)) for u in some] + [ex.Count(u) for u in some]
    return [*first, *second, *third]


@pytest.mark.parametrize("seed", range(4))
def test_programs_that_are_equal_return_the_same(tmp_path: Path, seed: int) -> None:
    (tmp_path / "facts.ttl").write_text(facts(seed))
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    groups: dict[str, list[ex.Expression]] = defaultdict(list)
    with Index(tmp_path / "kb") as kb:
        ontology = Ontology.of(kb)
        for program in programs():
            groups[canonical(program, ontology)].append(program)
        assert max(map(len, groups.values())) > 3
        for group in groups.values():
            results = {(r.value, tuple(r.nodes.ids)) for r in (execute(program, kb) for program in group)}
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
            join = ex.Join(ex.Relation(X + relation), ex.Entity(Iri(X + "t1")))
            assert equivalent(ex.And(ex.Class(X + "Person"), join), join, ontology) is implied
        near_only = Ontology.of(kb, roles=False)
        made = ex.Join(ex.Relation(X + "made"), ex.Entity(Iri(X + "t1")))
        assert not equivalent(ex.And(ex.Class(X + "Person"), made), made, near_only)
        assert equivalent(ex.Join(ex.Relation(X + "maker", True), ex.Entity(Iri(X + "t1"))), made, near_only)
