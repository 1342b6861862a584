"""Relations through nodes that only join things, against the joins that SPARQL makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from arcaneqa.apps.cli.info import command as info
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.schema import Relation
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.check import check
from arcaneqa.language.run import execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse, print_program
from arcaneqa.support.errors import ProgramError
from benchmarks import shapes
from benchmarks.random_programs import RandomPrograms
from tests.language.forms import by_index, by_query


@pytest.fixture(scope="module", params=[shapes.roles, shapes.events, shapes.measurements])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KnowledgeBase, ox.Store]]:
    shape: Callable[[Path], Path] = request.param
    folder = tmp_path_factory.mktemp("world")
    source = shape(folder)
    build_index([source], folder / "index")
    store = ox.Store()
    store.load(path=str(source))
    with open_kb(folder / "index") as kb:
        yield kb, store


def _chains(kb: KnowledgeBase) -> list[Relation]:
    return [relation for relation in kb.schema.relations if relation.chain is not None]


def test_programs_over_chains_mean_what_their_sparql_says(world: tuple[KnowledgeBase, ox.Store]) -> None:
    kb, store = world
    chains = {relation.iri for relation in _chains(kb)}
    assert chains
    drawn = RandomPrograms(kb, seed=3, names=40)
    names = Names(kb.profile)
    tried = 0
    for _ in range(1_500):
        program = drawn.program()
        text = print_program(program, names)
        if "urn:chain:" not in text or "_:" in text or not _is_sound(program, kb):
            continue
        tried += 1
        expected = by_query(store, to_sparql(program, kb.profile, kb.schema), program)
        assert by_index(execute(program, kb), kb, program) == expected, text
    assert tried > 50


def _is_sound(program: ex.Expression, kb: KnowledgeBase) -> bool:
    try:
        check(program, Names(kb.profile), kb.schema)
    except ProgramError:
        return False
    return True


def _built(folder: Path, facts: str) -> KnowledgeBase:
    source = folder / "kb.ttl"
    source.write_text(f"@prefix : <http://example.org/> .\n{facts}", encoding="utf-8")
    build_index([source], folder / "index")
    return open_kb(folder / "index")


TWICE = """
:w1 a :Work ; <http://www.w3.org/2000/01/rdf-schema#label> "Iris" .
:p1 a :Person ; <http://www.w3.org/2000/01/rdf-schema#label> "Ada" .
:p2 a :Person ; <http://www.w3.org/2000/01/rdf-schema#label> "Ben" .
:c1 a :Credit ; :work :w1 ; :agent :p1 ; :role "editor" .
:c2 a :Credit ; :work :w1 ; :agent :p1 ; :role "editor" .
:c3 a :Credit ; :work :w1 ; :agent :p1 ; :role "author" .
:c4 a :Credit ; :work :w1 ; :agent :p2 ; :role "author" .
"""


def test_what_two_nodes_join_alike_is_no_relation(tmp_path: Path) -> None:
    """SPARQL would count the pair twice."""
    with _built(tmp_path, TWICE) as kb:
        assert [relation.label for relation in _chains(kb)] == ["author"]


def test_things_with_names_join_nothing(tmp_path: Path) -> None:
    named = TWICE.replace('"editor" .', '"editor" ; :name "C" .').replace(
        '"author" .', '"author" ; :name "D" .'
    )
    with _built(tmp_path, named) as kb:
        assert not _chains(kb)


WINES = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Bancroft rdfs:label "Bancroft Hills" . :Elyse rdfs:label "Elyse" .
:BancroftChardonnay a :Chardonnay ; :maker :Bancroft ; :region :Napa .
:ElyseChardonnay a :Chardonnay ; :maker :Elyse ; :region :Sonoma .
:BancroftZinfandel a :Zinfandel ; :maker :Bancroft ; :region :Napa .
:ElyseZinfandel a :Zinfandel ; :maker :Elyse ; :region :Sonoma .
"""


def test_things_that_their_iris_name_join_nothing(tmp_path: Path) -> None:
    with _built(tmp_path, WINES) as kb:
        assert not _chains(kb)


def test_a_schema_with_chains_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _built(tmp_path, TWICE).close()
    info(str(tmp_path / "index"), as_json=True)
    assert any(relation["example"] for relation in json.loads(capsys.readouterr().out)["relations"])


def test_the_steps_stay_beside_the_relation(tmp_path: Path) -> None:
    with _built(tmp_path, TWICE) as kb:
        direct = parse("(JOIN <urn:chain:role.author> <http://example.org/p1>)", Names(kb.profile))
        steps = parse(
            '(JOIN <http://example.org/work>_inv (AND (JOIN <http://example.org/role> "author") '
            "(JOIN <http://example.org/agent> <http://example.org/p1>)))",
            Names(kb.profile),
        )
        assert execute(direct, kb).nodes.ids.tolist() == execute(steps, kb).nodes.ids.tolist() != []
