"""The paper's comparisons on the knowledge bases at hand: five tables, in one command.

    python recipes/paper_tables.py DATA OUT                     everything, one stage after the other
    python recipes/paper_tables.py DATA OUT --stage prepare     up to the sets that training needs
    python -m baselines.training OUT/prepared OUT/models --encoder MODEL      the training alone, on a GPU
    python recipes/paper_tables.py DATA OUT --endpoint URL      also times GrailQA's facts behind SPARQL

DATA is the folder that `recipes/fragment.py` reads. Every step leaves its result under OUT and is not
repeated, so a run that was stopped goes on. All methods have the same encoder, training questions, number of
updates and linked entities (`baselines/`). The tables go to OUT/tables.md and, with --document, into a page.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from arcaneqa.kb.interface import KnowledgeBase
    from arcaneqa.record import Question
    from baselines.asking import Asked

HOME = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOME), str(HOME / "recipes")]
Item = TypeVar("Item")
STAGES = ("data", "prepare", "train", "ask", "tables")
# Side by side what learns from the same programs.
SETS = (("ours",), ("paper",), ("typed",), ("whole",), ("suggested", "ranking"), ("staged",))


def main() -> None:
    options = arguments()
    first, last = STAGES.index(options.first), STAGES.index(options.stage)
    for stage, act in zip(STAGES, (convert, prepare, train, ask, tables), strict=True):
        if first <= STAGES.index(stage) <= last:
            print(f"# {stage}", file=sys.stderr, flush=True)
            act(options)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--stage", choices=STAGES, default="tables", help="the last one that is run")
    parser.add_argument("--first", choices=STAGES, default="data", help="the first one that is run")
    parser.add_argument("--encoder", help="to train on; the bundled model's if left out")
    parser.add_argument("--questions", type=int, default=1000, help="training questions of each dataset")
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--together", type=int, default=5, help="models that train at a time")
    parser.add_argument("--device", default="auto", help="to train on; given by name, to ask on as well")
    parser.add_argument("--limit", type=int, help="ask only so many dev questions of each dataset")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--datasets", nargs="+", default=["grailqa", "webqsp", "lcquad"])
    parser.add_argument("--entities", nargs="*", default=["linked", "gold"])
    parser.add_argument("--timed", type=int, default=30, help="GrailQA questions for the efficiency table")
    parser.add_argument("--endpoint", help="SPARQL endpoint with GrailQA's facts, to time there as well")
    parser.add_argument("--document", type=Path, help="page whose sections are replaced by the tables")
    options = parser.parse_args()
    options.work = options.out / "work"
    return options


def convert(options: argparse.Namespace) -> None:
    import fragment

    for benchmark in (one for one in fragment.BENCHMARKS if one.name in options.datasets):
        fragment.index(options, benchmark.kb)
        fragment.convert(options, benchmark)


def prepare(options: argparse.Namespace) -> None:
    import fragment

    from arcaneqa.lab.paper.preparing import PaperPlan, PaperPreparer
    from arcaneqa.lab.training.prepare import GOLD, LINKED, READINGS, Plan, Preparer
    from arcaneqa.lab.training.prepare import prepare as prepare_ours
    from baselines.anonymise import anonymise_records
    from baselines.preparing import prepare as prepare_other
    from baselines.training import KINDS

    for benchmark in (one for one in fragment.BENCHMARKS if one.name in options.datasets):
        data = [training_part(fragment.records(options, benchmark, "train"), options.questions)]
        kb = str(options.work / "kb" / benchmark.kb)

        def place(kind: str, name: str = benchmark.name) -> Path:
            return Path(options.out) / "prepared" / f"{kind}-{name}"

        for kinds in SETS:
            missing = {kind: place(kind) for kind in kinds if not place(kind).exists()}
            if not missing:
                continue
            if kinds[0] in ("ours", "paper"):
                is_paper = kinds[0] == "paper"
                plan = PaperPlan() if is_paper else Plan((GOLD, LINKED, READINGS), holes=0.0)
                preparer = PaperPreparer if is_paper else Preparer
                prepare_ours(data, kb, place(kinds[0]), plan, options.workers, preparer=preparer)
            else:
                prepare_other(list(missing), data, kb, list(missing.values()))
            print(f"{benchmark.name}: {', '.join(missing)} prepared", file=sys.stderr, flush=True)
        if benchmark.name == "webqsp" and not (out := options.out / "prepared" / KINDS).exists():
            hidden = data[0].with_name(f"{data[0].stem}-kinds.jsonl")
            anonymise_records(data[0], kb, hidden)
            prepare_ours([hidden], kb, out, PaperPlan(), options.workers, preparer=PaperPreparer)


def training_part(records: Path, most: int) -> Path:
    """So many questions of a file, spread over all of it: GrailQA's is ordered by domain."""
    out = records.with_name(f"{records.stem}-{most}.jsonl")
    with records.open(encoding="utf-8") as lines:
        out.write_text("".join(spread(list(lines), most)), encoding="utf-8")
    return out


def spread(items: list[Item], most: int | None) -> list[Item]:
    if most is None or most >= len(items):
        return items
    return [items[place * len(items) // most] for place in range(most)]


def train(options: argparse.Namespace) -> None:
    from arcaneqa.model.stored import bundled_model

    words = [sys.executable, "-m", "baselines.training", options.out / "prepared", options.out / "models"]
    words += ["--encoder", options.encoder or bundled_model(), "--updates", options.updates]
    words += ["--batch", options.batch, "--together", options.together, "--device", options.device]
    words += ["--only", *options.methods] if options.methods else []
    subprocess.run([str(word) for word in words], check=True, cwd=HOME)


def ask(options: argparse.Namespace) -> None:
    from baselines.asking import ask_all, read_lines
    from baselines.methods import ALL

    for dataset in options.datasets:
        questions = dev_questions(options, dataset)
        places = dict.fromkeys(options.entities, questions)
        if dataset == "grailqa" and options.timed:
            # One after the other, and so few that a quiet machine is enough for all methods.
            some = spread(questions, options.timed)
            places |= {"index": some} | ({"endpoint": some} if options.endpoint else {})
        for name in options.methods or ALL:
            trained = ALL[name].trained
            done = options.out / "models" / f"{trained.model or name}.done"
            if not done.exists():
                continue
            if trained.is_anonymous and dataset != "webqsp":
                continue
            for place, chosen in places.items():
                out = lines_of(options, name, dataset, place)
                if len(read_lines(out)) >= len(chosen):
                    continue
                asked = opened(options, name, dataset, place)
                if place in ("index", "endpoint"):
                    # The first question of a process pays for loading; it is not one of those timed.
                    asked.line(next(one for one in reversed(questions) if one not in chosen), "linked")
                for number in ask_all(asked, chosen, "gold" if place == "gold" else "linked", out):
                    if number % 25 == 0 or number == len(chosen):
                        print(f"{out.stem}: {number} of {len(chosen)}", file=sys.stderr, flush=True)


def served(options: argparse.Namespace, index: Path) -> KnowledgeBase:
    """The facts come from the server, the schema from the index: both offer the same."""
    import fragment

    from arcaneqa.kb.endpoint import open_endpoint
    from arcaneqa.kb.endpoint.opening import EndpointSettings

    schema = options.out / "schema.json"
    words = [str(fragment.ARCANEQA), "info", str(index), "--json"]
    schema.write_bytes(subprocess.run(words, check=True, capture_output=True).stdout)
    return open_endpoint(
        options.endpoint, settings=replace(EndpointSettings.from_environment(), schema=schema)
    )


def lines_of(options: argparse.Namespace, method: str, dataset: str, place: str) -> Path:
    return Path(options.out) / "lines" / f"{method}-{dataset}-{place}.jsonl"


def dev_questions(options: argparse.Namespace, dataset: str) -> list[Question]:
    import fragment

    from arcaneqa.record import read_questions

    (benchmark,) = (one for one in fragment.BENCHMARKS if one.name == dataset)
    return spread(list(read_questions(fragment.records(options, benchmark, "dev"))), options.limit)


def opened(options: argparse.Namespace, method: str, dataset: str, place: str) -> Asked:
    import fragment

    from arcaneqa.answer.arcaneqa import ArcaneQA
    from arcaneqa.lab.evaluation.judge import Judge, TolerantNames
    from arcaneqa.lab.evaluation.metrics import Mode
    from arcaneqa.lab.paper.answering import PaperQA
    from arcaneqa.language.equivalence import Ontology
    from baselines.asking import Asked, CountedKb, CountedScorer
    from baselines.methods import ALL

    (benchmark,) = (one for one in fragment.BENCHMARKS if one.name == dataset)
    index = options.work / "kb" / benchmark.kb
    chosen = ALL[method]
    # What is timed is timed on the processor.
    device = "cpu" if options.device == "auto" or place in ("index", "endpoint") else options.device
    own = chosen.trained.model or method
    kind = PaperQA if chosen.trained.is_paper else ArcaneQA
    first = kind.load(index, options.out / "models" / own, device=device)
    counted = CountedKb(served(options, index) if place == "endpoint" else first.kb)

    def over_counted(model: str) -> tuple[ArcaneQA, CountedScorer]:
        qa = kind.load(first.kb, options.out / "models" / model, device=device)
        scorer = CountedScorer(qa)
        facts = cast("KnowledgeBase", counted)
        return kind(facts, scorer, qa.fitted, first.linker, qa.settings), scorer

    qa, scorer = over_counted(own)
    second = over_counted(chosen.second) if chosen.second else None
    search = chosen.search(qa, None if second is None else second[0])
    is_freebase = fragment.SOURCES[benchmark.kb][1] == "freebase"
    ontology: Any = Ontology.of(first.kb)
    if is_freebase:
        ontology = Ontology.load(options.data / fragment.ONTOLOGY, TolerantNames(first.kb.profile))
    judge = Judge(Mode.SEMANTIC, ontology, first.kb.profile)
    scorers = [scorer] if second is None else [scorer, second[1]]
    is_anonymous = chosen.trained.is_anonymous and dataset == "webqsp"
    return Asked(qa, first, search, scorers, counted, judge, is_anonymous)


def tables(options: argparse.Namespace) -> None:
    from arcaneqa.lab.figures import write_section
    from baselines.asking import read_lines
    from baselines.tables import TABLES
    from baselines.training import METHODS

    runs, parts = {}, []
    for path in sorted((options.out / "lines").glob("*.jsonl")):
        method, dataset, place = path.stem.split("-")
        runs[method, dataset, place] = read_lines(path)
    asked = {run[0] for run in runs}
    for key, (title, make) in TABLES.items():
        says = {n: m.says for n, m in METHODS.items() if n in asked or key == "published"}
        body = make(runs, says)
        parts.append(f"## {title}\n\n{body}\n")
        # A table of nothing is two lines.
        if options.document is not None and body.count("\n") > 1:
            write_section(options.document, f"paper {key}", title, shown_command(options), body)
    (options.out / "tables.md").write_text("\n".join(parts), encoding="utf-8")
    print(options.out / "tables.md")


def shown_command(options: argparse.Namespace) -> str:
    line = f"python recipes/paper_tables.py DATA OUT --updates {options.updates} --batch {options.batch}"
    line += f" --questions {options.questions}"
    return line + f" --timed {options.timed}" + (f" --limit {options.limit}" if options.limit else "")


if __name__ == "__main__":
    main()
