"""The whole way on fragments of knowledge bases, in one command: index, convert, train, evaluate, publish.

    python recipes/fragment.py DATA                                      (the bundled model)
    python recipes/fragment.py DATA --model MODEL
    python recipes/fragment.py DATA --encoder ENCODER --minutes 60       (trains one first)

DATA is the folder with freebase-fragment/, grailqa/, webqsp/, cwq/ and lcquad/. Every step leaves its result
under --work and is not repeated: an interrupted run goes on where it stopped. Figures go to
docs/measurements/results.md.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from results import publish

HOME = Path(__file__).resolve().parents[1]
ARCANEQA = Path(sys.executable).with_name("arcaneqa")
LIMITS = {
    "grailqa": """Genuine GrailQA questions over the facts that their gold queries imply and invented
distractors, split so that whole domains are missing from training. Not comparable with the paper's
tables.""",
    "webqsp": """A tenth of WebQSP's training questions, left out of training, over a fragment of Freebase
whose neighbourhoods are partly thin. Not comparable with the paper's tables.""",
    "cwq": """A tenth of the ComplexWebQuestions that could be rebuilt on the fragment, left out of training.
Not comparable with published figures.""",
    "lcquad": """LC-QuAD's questions over a knowledge base rebuilt from their gold queries with invented
objects and distractors. Not comparable with published figures.""",
}


@dataclass(frozen=True)
class Benchmark:
    """`train` and `dev` come as two files, or `dev` is None and a tenth of `train` is held out."""

    name: str
    title: str
    kb: str
    format: str
    train: str
    dev: str | None = None


BENCHMARKS = (
    Benchmark(
        "grailqa",
        "GrailQA on its fragment",
        "grailqa",
        "grailqa",
        "grailqa/train.json.gz",
        "grailqa/dev.json.gz",
    ),
    Benchmark("webqsp", "WebQSP on the fragment", "freebase", "webqsp", "webqsp/executable-train.jsonl.gz"),
    Benchmark(
        "cwq", "ComplexWebQuestions on the fragment", "freebase", "cwq", "cwq/reconstructed-train.jsonl.gz"
    ),
    Benchmark(
        "lcquad",
        "LC-QuAD on its fragment",
        "lcquad",
        "records",
        "lcquad/train.jsonl.gz",
        "lcquad/dev.jsonl.gz",
    ),
)
SOURCES = {
    "freebase": ("freebase-fragment/freebase-fragment.nt.gz", "freebase"),
    "grailqa": ("grailqa/kb.nt.gz", "freebase"),
    "lcquad": ("lcquad/kb.nt.gz", "rdf"),
}
ONTOLOGY = "freebase-fragment"


def main() -> None:
    options = arguments()
    chosen = [benchmark for benchmark in BENCHMARKS if benchmark.name in options.only]
    check(options.data, chosen)
    for kb in dict.fromkeys(benchmark.kb for benchmark in chosen):
        index(options, kb)
    for benchmark in chosen:
        convert(options, benchmark)
    model = train(options, chosen) if options.encoder else options.model
    for benchmark in chosen:
        evaluate(options, benchmark, model)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser.add_argument("data", type=Path, help="folder with the datasets")
    parser.add_argument(
        "--work", type=Path, default=Path("scratch/fragment"), help="where steps leave their results"
    )
    parser.add_argument("--model", type=Path, help="a trained model; the bundled one if left out")
    parser.add_argument(
        "--encoder", help="encoder to train: a Hugging Face folder or name, or static:VECTORS"
    )
    parser.add_argument("--minutes", type=float, default=60, help="time for training")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="some of the benchmarks")
    parser.add_argument("--entities", nargs="+", choices=["gold", "linked"], default=["gold", "linked"])
    parser.add_argument("--limit", type=int, help="evaluate only so many questions of each benchmark")
    parser.add_argument("--results", type=Path, default=HOME / "docs" / "measurements" / "results.md")
    options = parser.parse_args()
    if options.model is not None and options.encoder is not None:
        parser.error("give --model MODEL, or --encoder ENCODER to train one, not both")
    return options


def check(data: Path, chosen: list[Benchmark]) -> None:
    """Say everything that is missing at once."""
    needed = [ONTOLOGY + "/fb_roles.gz", ONTOLOGY + "/fb_types.gz", ONTOLOGY + "/reverse_properties.gz"]
    for benchmark in chosen:
        needed += [SOURCES[benchmark.kb][0], benchmark.train, *filter(None, [benchmark.dev])]
    missing = [name for name in dict.fromkeys(needed) if not (data / name).exists()]
    if missing:
        sys.exit(f"{data} lacks {', '.join(missing)}; see recipes/README.md for what the folder holds.")


def run(*command: object) -> None:
    words = [str(ARCANEQA), *map(str, command)]
    print("$", shlex.join(["arcaneqa", *words[1:]]), flush=True)
    if (code := subprocess.run(words, check=False).returncode) != 0:
        sys.exit(
            f"this step failed with exit code {code}; mend it and run the recipe again, it goes on from here."
        )


def index(options: argparse.Namespace, kb: str) -> None:
    source, profile = SOURCES[kb]
    if not (out := options.work / "kb" / kb).exists():
        extra = ["--ontology", options.data / ONTOLOGY] if profile == "freebase" else []
        run("index", options.data / source, "--out", out, "--profile", profile, *extra)


def convert(options: argparse.Namespace, benchmark: Benchmark) -> None:
    kb = options.work / "kb" / benchmark.kb
    parts = {"train": benchmark.train} | ({"dev": benchmark.dev} if benchmark.dev else {})
    for part, source in parts.items():
        if not (out := records(options, benchmark, part)).exists():
            whole = out.with_suffix(".all") if benchmark.dev is None else out
            run("convert", benchmark.format, options.data / source, "--out", whole, "--kb", kb)
            if benchmark.dev is None:
                split(whole, records(options, benchmark, "dev"), out)


def records(options: argparse.Namespace, benchmark: Benchmark, part: str) -> Path:
    folder = Path(options.work) / "records"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{benchmark.name}-{part}.jsonl"


def split(whole: Path, dev: Path, train: Path) -> None:
    """Every question goes by its id alone, so that the tenth is the same everywhere."""
    with whole.open() as lines, dev.open("w") as held, train.open("w") as kept:
        for line in lines:
            (held if crc32(str(json.loads(line)["id"]).encode()) % 10 == 0 else kept).write(line)
    whole.unlink()


def train(options: argparse.Namespace, chosen: list[Benchmark]) -> Path:
    """One model for all benchmarks that were chosen."""
    sets: dict[str, list[Path]] = {"train": [], "dev": []}
    for benchmark in chosen:
        for part, folders in sets.items():
            out = options.work / "prepared" / f"{benchmark.name}-{part}"
            if not out.exists():
                kb = options.work / "kb" / benchmark.kb
                run("prepare", records(options, benchmark, part), "--kb", kb, "--out", out)
            folders.append(out)
    model = Path(options.work) / "model"
    if not (model / "arcaneqa.json").exists():
        dev = [word for folder in sets["dev"] for word in ("--dev", folder)]
        run(
            "train",
            *sets["train"],
            *dev,
            "--encoder",
            options.encoder,
            "--minutes",
            options.minutes,
            "--out",
            model,
        )
    return model


def evaluate(options: argparse.Namespace, benchmark: Benchmark, model: Path | None) -> None:
    data = records(options, benchmark, "dev")
    if options.limit is not None:
        lines = data.read_text().splitlines(keepends=True)
        data = data.with_name(f"{benchmark.name}-dev-{options.limit}.jsonl")
        # Spread over the whole file, which is ordered by domain.
        data.write_text("".join(lines[:: max(1, len(lines) // options.limit)][: options.limit]))
    reports = {}
    named = [] if model is None else ["--model", model]
    named += ["--ontology", options.data / ONTOLOGY] if SOURCES[benchmark.kb][1] == "freebase" else []
    kb = options.work / "kb" / benchmark.kb
    for entities in options.entities:
        report = options.work / "reports" / f"{model.name if model else 'bundled'}-{data.stem}-{entities}"
        run("evaluate", data, "--kb", kb, *named, "--entities", entities, "--report", report)
        reports[f"{entities} entities"] = report
    shown = ["python", "recipes/fragment.py", "DATA", "--only", benchmark.name]
    shown += ["--model", model.name] if model is not None else []
    shown += ["--limit", str(options.limit)] if options.limit is not None else []
    publish(
        options.results, benchmark.name, benchmark.title, " ".join(shown), reports, LIMITS[benchmark.name]
    )


if __name__ == "__main__":
    main()
