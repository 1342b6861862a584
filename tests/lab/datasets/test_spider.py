"""A folder in Spider's shape, made here: link tables, joined names, value nodes, doubts and ties."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.support.errors import InputError
from tests.apps.cli.test_convert import call

BASE = "http://example.org/club/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
PEOPLE = {1: ("Ann", "Lee", 20), 2: ("Bob", "Ray", 31), 3: ("Cid", "Lee", 45)}
GAMES = {10: "Chess", 11: "Go"}
PLAYS = [(1, 10), (1, 11), (2, 10)]


def column(kind: str, relation: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "relation": relation, "datatype": "string", **more}


def mapping() -> dict[str, Any]:
    people = {
        "id": column("literal", BASE + "id"),
        "first": column("literal", BASE + "first", name_part=True),
        "last": column("literal", BASE + "last", name_part=True),
        "age": column("literal", BASE + "age"),
    }
    games = {"gid": column("literal", BASE + "gid"), "title": column("label", LABEL[1:-1])}
    plays = {
        "pid": column("link_subject", BASE + "plays", target="people.id"),
        "game": column("link_object", BASE + "plays", target="games.gid"),
    }
    tables = {
        "people": {"class": BASE + "Person", "primary_key": ["id"], "columns": people},
        "games": {"class": BASE + "Game", "primary_key": ["gid"], "columns": games},
        "plays": {"primary_key": "row number", "columns": plays},
    }
    return {"club": {"style": "bare_iris", "split": "train", "tables": tables}}


def facts() -> str:
    lines = []
    for id, (first, last, age) in PEOPLE.items():
        row = f"<{BASE}people/{id}>"
        lines += [f"{row} {TYPE} <{BASE}Person> .", f'{row} {LABEL} "{first} {last}" .']
        lines += [f'{row} <{BASE}first> "{first}" .', f'{row} <{BASE}last> "{last}" .']
        for name, number in (("id", id), ("age", age)):
            lines.append(f'{row} <{BASE}{name}> "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> .')
    for id, title in GAMES.items():
        row = f"<{BASE}games/{id}>"
        lines += [f"{row} {TYPE} <{BASE}Game> .", f'{row} {LABEL} "{title}" .']
        lines.append(f'{row} <{BASE}gid> "{id}"^^<http://www.w3.org/2001/XMLSchema#integer> .')
    lines += [f"<{BASE}people/{person}> <{BASE}plays> <{BASE}games/{game}> ." for person, game in PLAYS]
    return "\n".join(lines) + "\n"


def question(id: str, text: str, sql: str, *ids: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "db": "club",
        "question": text,
        "sql": sql,
        "answers": list(ids),
        "answer_ids": [BASE + name if "/" in name else name for name in ids],
        "columns": 1,
        **more,
    }


JOINED = "people AS p JOIN plays AS x ON p.id = x.pid JOIN games AS g ON x.game = g.gid"
QUESTIONS = [
    question("players", "Who plays Go?", f"SELECT p.first, p.last FROM {JOINED} WHERE g.title = 'Go'")
    | {"columns": 2, "rows": [["Ann", "Lee"]], "answers": ["Ann"], "answer_ids": [BASE + "people/1"]},
    question(
        "games", "Which games does Ann Lee play?",
        f"SELECT g.title FROM {JOINED} WHERE p.first = 'Ann' AND p.last = 'Lee'", "games/10", "games/11",
    ),
    question(
        "idle", "Who plays nothing?",
        "SELECT id FROM people WHERE id NOT IN (SELECT pid FROM plays)", "people/3",
    ),
    question(
        "older", "Who is older than thirty?", "SELECT id FROM people WHERE age > 30", "people/2", "people/3"
    ),
    question(
        "most", "Which game has the most players?",
        "SELECT g.title FROM plays AS x JOIN games AS g ON x.game = g.gid GROUP BY x.game "
        "ORDER BY count(*) DESC LIMIT 1", "games/10",
    ),
    question("wrong", "How many people are there?", "SELECT count(*) FROM people", "7"),
    question("odd", "Whose age doubled is 40?", "SELECT id FROM people WHERE age * 2 = 40", "people/1"),
    question("doubt", "What?", "SELECT first FROM people GROUP BY last", "Ann", doubtful="column not fixed"),
]  # fmt: skip
PROGRAMS = {
    "players": "(AND club:Person (JOIN club:plays <http://example.org/club/games/11>))",
    "games": "(AND club:Game (JOIN club:plays_inv <http://example.org/club/people/1>))",
    "idle": "(NOT club:Person (HAS club:plays))",
    "older": "(AND club:Person (GT club:age 30))",
    "most": "(ARGMAX club:Game (COUNT club:plays_inv))",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spider")
    (folder / "mapping.json.gz").write_bytes(gzip.compress(json.dumps(mapping()).encode()))
    lines = "".join(json.dumps(item) + "\n" for item in QUESTIONS)
    (folder / "questions.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    graph = folder / "club.nt"
    graph.write_text(facts())
    (folder / "indexes").mkdir()
    build_index([graph], folder / "indexes" / "club")
    return folder


@pytest.fixture(scope="module")
def records(source: Path) -> dict[str, dict[str, Any]]:
    out = source / "records.jsonl"
    done = call("convert", "spider", source, "--out", out, "--kb", source / "indexes", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["questions"], summary["converted"]) == (8, 5)
    assert summary["not_converted"] == {
        "finds other answers than those recorded": 1,
        "compares what is no column": 1,
        "is marked doubtful": 1,
    }
    return {record["id"]: record for record in map(json.loads, out.read_text().splitlines())}


@pytest.mark.parametrize("id", list(PROGRAMS))
def test_questions_become_programs(id: str, records: dict[str, dict[str, Any]]) -> None:
    shown = records[id]["program"]
    for name in ("Person", "Game", "plays", "age"):
        shown = shown.replace(f"<{BASE}{name}>_inv", f"club:{name}_inv").replace(
            f"<{BASE}{name}>", f"club:{name}"
        )
    assert shown.replace("^^http://www.w3.org/2001/XMLSchema#integer", "") == PROGRAMS[id]


def test_what_a_question_names_is_found_in_it(records: dict[str, dict[str, Any]]) -> None:
    def told(id: str) -> list[tuple[str, str]]:
        return [(entity["id"].rpartition("/")[2], entity["mention"]) for entity in records[id]["entities"]]

    assert told("players") == [("11>", "Go")]
    assert told("games") == [("1>", "Ann Lee")]
    ((value, mention),) = told("older")
    assert (value, mention) == ("XMLSchema#integer", "thirty")


def test_answers_that_differ_leave_no_program(records: dict[str, dict[str, Any]]) -> None:
    assert records["wrong"]["program"] is None
    assert records["wrong"]["answers"] == ["7"]
    assert "doubt" not in records


def test_a_folder_without_the_index_says_how_to_make_it(source: Path, tmp_path: Path) -> None:
    done = call("convert", "spider", source, "--out", tmp_path / "out.jsonl", "--kb", tmp_path)
    assert done.returncode == 2
    assert "arcaneqa index" in done.stderr
    assert "club.nt.gz" in done.stderr


def test_a_database_that_is_not_there_is_named(source: Path) -> None:
    from arcaneqa.lab.datasets import spider

    with Index(source / "indexes" / "club") as kb, pytest.raises(InputError, match="it has club"):
        next(spider.read(source, "shop", kb))


def test_a_mapping_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "mapping.json.gz").write_bytes(gzip.compress(b'{"club": {"style": "bare_iris"}}'))
    done = call("convert", "spider", tmp_path, "--out", tmp_path / "out.jsonl", "--kb", tmp_path)
    assert done.returncode == 2
    assert "mapping of the database “club”" in done.stderr
