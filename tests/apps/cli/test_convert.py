"""`arcaneqa convert`, `run` and `sparql` as people call them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.profile import FREEBASE_PROFILE

NS = "http://rdf.freebase.com/ns/"
FACTS = [
    ("m.1", "type.object.name", '"Ada"@en'), ("m.2", "type.object.name", '"Bob"@en'),
    ("m.3", "type.object.name", '"Male"@en'), ("m.1", "p.p.brother", "m.2"), ("m.1", "p.p.brother", "m.1"),
    ("m.1", "p.p.brother", "m.4"), ("m.2", "p.p.gender", "m.3"), ("m.1", "p.p.gender", "m.3"),
    ("m.2", "type.object.type", "p.p"), ("m.4", "type.object.type", "p.p"),
    ("m.2", "p.p.height", '"1.9"^^<http://www.w3.org/2001/XMLSchema#float>'),
]  # fmt: skip


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("arcaneqa")
    return subprocess.run([script, *map(str, arguments)], capture_output=True, text=True, check=False)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    lines = (f"<{NS}{s}> <{NS}{p}> {o if o.startswith(chr(34)) else f'<{NS}{o}>'} .\n" for s, p, o in FACTS)
    (folder / "facts.nt").write_text("".join(lines), encoding="utf-8")
    build_index([folder / "facts.nt"], folder / "index", profile=FREEBASE_PROFILE)
    return folder / "index"


def grailqa(**changes: Any) -> dict[str, Any]:
    item = {
        "qid": 7,
        "question": "who is the brother of ada?",
        "answer": [{"answer_argument": "m.9"}],
        "function": "none",
        "num_edge": 1,
        "level": "zero-shot",
        "s_expression": "(AND p.p (JOIN (R p.p.brother) m.1))",
        "graph_query": {
            "nodes": [{"nid": 1, "node_type": "entity", "id": "m.1", "friendly_name": "Ada"}],
            "edges": [],
        },
    }
    return item | changes


def test_grailqa_without_a_knowledge_base(tmp_path: Path) -> None:
    source, out = tmp_path / "dev.json.gz", tmp_path / "out.jsonl"
    source.write_bytes(gzip.compress(json.dumps([grailqa(), grailqa(qid=8, s_expression="(JOIN")]).encode()))
    done = call("convert", "grailqa", source, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["questions"], summary["converted"]) == (2, 1)
    assert sum(summary["not_converted"].values()) == 1
    good, bad = records(out)
    assert good["program"] == "(AND p.p (JOIN p.p.brother_inv m.1))"
    assert good["answers"] == ["m.9"]
    assert good["entities"] == [{"id": "m.1", "mention": "ada", "start": 22, "end": 25}]
    assert (good["id"], good["level"], good["function"], good["relations"]) == ("7", "zero-shot", "none", 1)
    assert bad["program"] is None


def test_a_query_graph_stands_in_for_a_program(tmp_path: Path) -> None:
    nodes = [
        {"nid": 0, "node_type": "class", "id": "p.p", "question_node": 1, "function": "count"},
        {"nid": 1, "node_type": "entity", "id": "m.1", "question_node": 0, "function": "none"},
        {
            "nid": 2,
            "node_type": "literal",
            "id": "1.5^^http://www.w3.org/2001/XMLSchema#float",
            "question_node": 0,
            "function": ">=",
        },
    ]
    edges = [
        {"start": 1, "end": 0, "relation": "p.p.brother"},
        {"start": 0, "end": 2, "relation": "p.p.height"},
    ]
    source, out = tmp_path / "graphq.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps([grailqa(s_expression=None, graph_query={"nodes": nodes, "edges": edges})]))
    assert call("convert", "graphq", source, "--out", out).returncode == 0
    (record,) = records(out)
    height = "(GE p.p.height 1.5^^http://www.w3.org/2001/XMLSchema#float)"
    assert record["program"] == f"(COUNT (AND p.p (AND {height} (JOIN p.p.brother_inv m.1))))"


def test_answers_are_recomputed(kb: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "dev.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps([grailqa(), grailqa(qid=9, s_expression="(JOIN p.p.nothing m.1)")]))
    done = call("convert", "grailqa", source, "--out", out, "--kb", kb)
    assert done.returncode == 0, done.stderr
    assert "names a relation this knowledge base does not have" in done.stdout
    assert [record["answers"] for record in records(out)] == [["m.2", "m.4"], ["m.9"]]


def parse_(sparql: str, answers: list[str], quality: str = "Complete") -> dict[str, Any]:
    return {
        "Sparql": f"PREFIX ns: <{NS}>\nSELECT DISTINCT ?x\nWHERE {{\n{sparql}\n}}\n",
        "PotentialTopicEntityMention": "ada",
        "TopicEntityName": "Ada",
        "TopicEntityMid": "m.1",
        "Constraints": [],
        "Answers": [{"AnswerArgument": answer} for answer in answers],
        "AnnotatorComment": {"QuestionQuality": "Good", "ParseQuality": quality},
    }


def test_webqsp(kb: Path, tmp_path: Path) -> None:
    brother = "FILTER (?x != ns:m.1)\nns:m.1 ns:p.p.brother ?x .\n?x ns:p.p.gender ns:m.3 ."
    union = "{ ns:m.1 ns:p.p.brother ?x } UNION { ns:m.1 ns:p.p.gender ?x }"
    parses = [parse_(brother, ["m.7"]), parse_(union, ["m.8"])]
    questions = [
        {"QuestionId": "a", "RawQuestion": "who is ada's brother?", "Parses": parses},
        {"QuestionId": "b", "RawQuestion": "who is what?", "Parses": [parse_(union, [], "Partial")]},
        {"QuestionId": "c", "RawQuestion": "who is who?", "Parses": [parse_(union, ["m.8"])]},
    ]
    source, out = tmp_path / "WebQSP.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"Version": "1.0", "Questions": questions}, indent=2))
    done = call("convert", "webqsp", source, "--out", out, "--kb", kb)
    assert done.returncode == 0, done.stderr
    assert "good and complete" in done.stdout
    assert "alternatives" in done.stdout
    first, second = records(out)
    # Nobody said "male", so it is implied; the two parses keep their answers.
    assert first["program"] == "(CONS (JOIN p.p.brother_inv m.1) p.p.gender m.3)"
    assert first["exclude_mentioned"]
    assert first["answers"] == ["m.2"]
    assert first["answer_sets"] == [["m.2"], ["m.8"]]
    assert first["entities"] == [{"id": "m.1", "mention": "ada", "start": 7, "end": 10}]
    assert (second["id"], second["program"], second["answers"]) == ("c", None, ["m.8"])


def test_cwq(kb: Path, tmp_path: Path) -> None:
    sparql = (
        f"PREFIX ns: <{NS}>\nSELECT DISTINCT ?x WHERE {{ FILTER (?x != ?c)\nns:m.1 ns:p.p.brother ?x . }}"
    )
    good = sparql.replace("FILTER (?x != ?c)", "FILTER (?x != ns:m.1)")
    items = [
        {
            "ID": "a",
            "question": "Ada's brother?",
            "sparql": good,
            "answers": [{"answer_id": "m.2", "answer": "Bob"}],
        },
        {"ID": "b", "question": "Ada's brother?", "sparql": sparql, "answers": []},
    ]
    source, out = tmp_path / "cwq.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps(items))
    assert call("convert", "cwq", source, "--out", out).returncode == 0
    first, second = records(out)
    assert (first["program"], first["answers"]) == ("(JOIN p.p.brother_inv m.1)", ["m.2"])
    assert (second["program"], second["answers"]) == (None, [])
    assert call("convert", "cwq", source, "--out", out, "--kb", kb).returncode == 0
    assert records(out)[0]["answers"] == ["m.2", "m.4"]


def test_simplequestions_and_records(kb: Path, tmp_path: Path) -> None:
    host = "www.freebase.com/"
    source, out, again = tmp_path / "annotated_fb_data_train.txt", tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    source.write_text(f"{host}m/1\t{host}p/p/brother\t{host}m/2\twho is ada's brother?\n")
    assert call("convert", "simplequestions", source, "--out", out, "--kb", kb).returncode == 0
    (record,) = records(out)
    assert record["program"] == "(JOIN p.p.brother_inv m.1)"
    assert call("convert", "records", out, "--out", again, "--kb", kb).returncode == 0
    assert records(again) == [record]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.json", "[{"),
        ("number.json", "5"),
        ("other.json", '[{"some": "thing"}]'),
        ("bytes.json", b"\xff\xfe\x00"),
        ("torn.json.gz", gzip.compress(b"[" * 1000, mtime=0)[:20]),
        ("deep.json", "[" * 100_000),
        ("empty.json", ""),
    ],
)
@pytest.mark.parametrize("format", ["grailqa", "webqsp", "cwq", "simplequestions", "records"])
def test_bad_files_are_one_sentence(format: str, name: str, content: str | bytes, tmp_path: Path) -> None:
    from arcaneqa.lab.datasets.convert import read_drafts
    from arcaneqa.support.errors import InputError

    source = tmp_path / name
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    if name == "empty.json" and format == "records":
        assert list(read_drafts(format, source, FREEBASE_PROFILE, None)) == []
        return
    with pytest.raises(InputError, match=name):
        list(read_drafts(format, source, FREEBASE_PROFILE, None))


def test_a_failed_conversion_leaves_the_old_file(tmp_path: Path) -> None:
    source, out = tmp_path / "dev.json", tmp_path / "out.jsonl"
    source.write_text(json.dumps([grailqa(), {"no": "question"}]))
    out.write_text("old")
    done = call("convert", "grailqa", source, "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dev.json", "out.jsonl"]


def test_run(kb: Path) -> None:
    brothers = "(JOIN p.p.brother_inv m.1)"
    done = call("run", brothers, "--kb", kb, "--exclude-mentioned")
    assert (done.returncode, done.stdout.splitlines()) == (0, ["m.2\tBob", "m.4"])
    found = json.loads(call("run", f"(COUNT {brothers})", "--kb", kb, "--json").stdout)
    assert found["answers"][0]["value"] == "3"
    assert found["paraphrase"] == "the number of brothers of Ada"
    nothing = call("run", "(JOIN p.p.brother m.4)", "--kb", kb, "--exclude-mentioned")
    assert nothing.returncode == 0
    nothing = call("run", "(JOIN p.p.brother m.9)", "--kb", kb)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    wrong = call("run", "(JOIN p.p.brothr m.1)", "--kb", kb)
    assert wrong.returncode == 2
    assert "p.p.brother" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


def test_sparql() -> None:
    program = '(JOIN a.b "} DROP ALL # \\" \\\\ \\n")'
    done = call("sparql", program, "--profile", "freebase", "--exclude-mentioned")
    assert done.returncode == 0
    store = pyoxigraph.Store()
    text = pyoxigraph.Literal('} DROP ALL # " \\ \n')
    store.add(pyoxigraph.Quad(pyoxigraph.NamedNode(NS + "m.1"), pyoxigraph.NamedNode(NS + "a.b"), text))
    solutions = store.query(done.stdout)
    assert isinstance(solutions, pyoxigraph.QuerySolutions)
    assert [str(solution["x"]) for solution in solutions] == [f"<{NS}m.1>"]
    assert call("sparql", "(JOIN", "--profile", "freebase").returncode == 2
