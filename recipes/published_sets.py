"""The published datasets as prepared sets, beside those of `training_data.py`.

    python recipes/published_sets.py DATA --work FOLDER

DATA is laid out as `fragment.py` says, with simplequestions/ beside. Of WebQSP and CWQ the tenth that is
measured on stays out; GrailQA's dev part becomes a set to choose a checkpoint by. Questions of one dataset
asked of another's facts teach that none of the readings is right. Each set is made unless it is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fragment import BENCHMARKS, Benchmark, convert, index, records, run

SIMPLE = Benchmark(
    "simple", "SimpleQuestions", "freebase", "simplequestions", "simplequestions/train.jsonl.gz"
)
ALL = {benchmark.name: benchmark for benchmark in (*BENCHMARKS, SIMPLE)}
STEPS = {"grailqa": 5000, "lcquad": 4000, "webqsp": 3000, "cwq": 9000, "simple": 8000}
READINGS = {"grailqa": 5000, "lcquad": 4000, "webqsp": 3000, "cwq": 3500, "simple": 1500}
"""How many questions are prepared each way."""
STRANGERS = {"grailqa": "lcquad", "lcquad": "grailqa"}
DEMO = 3000
"""Made-up questions over the demo knowledge base; half of them are prepared as readings."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    options = parser.parse_args()
    for kb in dict.fromkeys(benchmark.kb for benchmark in ALL.values()):
        index(options, kb)
    for benchmark in ALL.values():
        convert(options, benchmark)
    for name, most in STEPS.items():
        prepare(options, name, "steps", most)
    for name, most in READINGS.items():
        prepare(options, name, "readings", most)
    out = options.work / "sets" / "grailqa-steps-dev"
    if not out.exists():
        run(
            "prepare",
            records(options, ALL["grailqa"], "dev"),
            "--kb",
            kb_of(options, "grailqa"),
            "--out",
            out,
        )
    demo(options)


def prepare(options: argparse.Namespace, name: str, way: str, most: int) -> None:
    out = options.work / "sets" / f"{name}-{way}"
    if out.exists():
        return
    topics = "gold,linked" if way == "steps" else "readings"
    stranger = STRANGERS.get(name) if way == "readings" else None
    others = [] if stranger is None else ["--strange", records(options, ALL[stranger], "train")]
    some = ["--workers", 1, "--topics", topics, "--limit", most, *others]
    run("prepare", records(options, ALL[name], "train"), "--kb", kb_of(options, name), "--out", out, *some)


def kb_of(options: argparse.Namespace, name: str) -> Path:
    return Path(options.work) / "kb" / ALL[name].kb


def demo(options: argparse.Namespace) -> None:
    data = options.work / "records" / "demo.jsonl"
    if not data.exists():
        run("synth", "--out", data, "--size", DEMO, "--seed", 21)
    for way, extra in (("steps", []), ("readings", ["--topics", "readings", "--limit", DEMO // 2])):
        if not (out := options.work / "sets" / f"demo-{way}").exists():
            run("prepare", data, "--out", out, *extra)


if __name__ == "__main__":
    main()
