"""Benchmarks of what is found: links, answers, phrases, programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.lab.evaluation.metrics import Mode
from benchmarks.app import MEASUREMENTS, Document, app, publish, say


@app.command()
def linking(
    data: Annotated[Path, typer.Argument(help="Questions with their entities, as unified records.")],
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    learn: Annotated[
        bool,
        typer.Option(help="Train on nine tenths here and test on the rest, in place of bundled weights."),
    ] = False,
    most: Annotated[int, typer.Option(help="Use at most so many questions, the first ones.")] = 10_000,
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """How many gold entities and literals the linker finds.

    Example: python -m benchmarks linking dev.jsonl --kb my-kb
    """
    from itertools import islice

    from arcaneqa.kb.open import open_kb
    from arcaneqa.record import read_questions
    from benchmarks.linking import report

    with open_kb(kb) as opened:
        body = report(list(islice(read_questions(data), most)), opened, learn)
    options = f"{' --learn' if learn else ''} --most {most}"
    command_line = f"python -m benchmarks linking {data.name} --kb KB{options}"
    publish(document, f"linking {data.stem}", f"Linking: {data.stem}", command_line, body)


@app.command()
def dialogues(
    data: Annotated[Path, typer.Argument(help="Dialogues with their gold, as JSON lines.")] = Path(
        "demo/dialogues.jsonl"
    ),
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """How many follow-ups over the bundled knowledge base are answered rightly, and which are not.

    Example: python -m benchmarks dialogues
    """
    from arcaneqa.answer.arcaneqa import ArcaneQA
    from benchmarks.dialogues import ask, misses, report

    asked = list(ask(ArcaneQA.load(), data))
    body = report(asked)
    publish(document, "dialogues", "Follow-ups", "python -m benchmarks dialogues", body)
    typer.echo("\n".join(misses(asked)))


@app.command()
def needs(
    data: Annotated[
        Path, typer.Argument(help="What right answers need, as JSON lines; see benchmarks/needs.py.")
    ],
    kb: Annotated[str | None, typer.Option(help="Index folder; the demo if left out.")] = None,
) -> None:
    """How much of what right answers need is found by linking or offered as candidates.

    Example: python -m benchmarks needs northwind.jsonl --kb my-kb
    """
    from arcaneqa.kb.index import Index
    from arcaneqa.kb.open import open_kb
    from benchmarks.needs import report

    with open_kb(kb) as opened:
        assert isinstance(opened, Index)
        typer.echo(report(data, opened))


@app.command()
def forms(
    spider: Annotated[Path, typer.Argument(help="Folder of Spider's graphs, mapping and questions.")],
    wild: Annotated[Path, typer.Argument(help="Folder of files from the wild, each with questions.")],
    model: Annotated[Path | None, typer.Option(help="Model folder; the bundled one if left out.")] = None,
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """Whether questions that need a form beyond the paper's are answered right or refused by its name.

    Example: python -m benchmarks forms data/spider data/wild
    """
    from benchmarks.forms import report

    body = report(spider, wild, model, say)
    line = f"python -m benchmarks forms {spider.name} {wild.name}"
    publish(document, "forms", "Forms: answered right or refused by name", line, body)


@app.command()
def language(
    format: Annotated[str, typer.Argument(help="The dataset's format, as for `arcaneqa convert`.")],
    source: Annotated[Path, typer.Argument(help="The dataset's file, plain or .gz.")],
    kb: Annotated[str, typer.Option(help="Index folder.")],
    facts: Annotated[
        Path | None, typer.Option(help="The N-Triples of the index, to ask the published SPARQL there.")
    ] = None,
    most: Annotated[int | None, typer.Option(help="Use at most so many questions, the first ones.")] = None,
    document: Document = MEASUREMENTS / "language.md",
) -> None:
    """Take every program of a dataset through text, steps, execution and SPARQL.

    Example: python -m benchmarks language webqsp WebQSP.train.json --kb my-freebase --facts freebase.nt.gz
    """
    from itertools import islice

    from arcaneqa.kb.open import open_kb
    from arcaneqa.lab.datasets.convert import FORMATS, read_drafts
    from arcaneqa.support.errors import InputError
    from benchmarks.language import load, report

    if format not in FORMATS:
        raise InputError(f"There is no format “{format}”; give one of {', '.join(FORMATS)}.")
    with open_kb(kb) as opened:
        drafts = islice(read_drafts(format, source, opened.profile, opened), most)
        body = report(drafts, opened, None if facts is None else load(facts))
    file = f"{source.parent.name}/{source.name}"
    line = f"python -m benchmarks language {format} {file} --kb {Path(kb).name}"
    line += f" --facts {facts.parent.name}/{facts.name}" if facts else ""
    line += f" --most {most}" if most else ""
    title = f"{file}, first {most:,}" if most else file
    publish(document, f"language {title}", title, line, body)


@app.command()
def served(
    folders: Annotated[list[Path], typer.Argument(help="Each with one file kb.* and questions.jsonl.")],
    server: Annotated[list[str] | None, typer.Option(help="Oxigraph or Virtuoso; both if left out.")] = None,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Ask a file's questions over its index and over servers that hold the same file, and compare.

    Example: python -m benchmarks served museums/ rivers/
    """
    from benchmarks.served import run

    body = run(folders, server or ["Oxigraph", "Virtuoso"], say)
    line = f"python -m benchmarks served {' '.join(folder.name for folder in folders)}"
    publish(document, "served", "The same questions over an index and over servers", line, body)


@app.command()
def databases(
    source: Annotated[Path, typer.Argument(help="Folder with kb/, mapping.json.gz and questions.jsonl.gz.")],
    names: Annotated[list[str], typer.Argument(help="Which databases.")],
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Rebuild the tables of databases that are graphs, index them, and run all gold programs on both.

    Example: python -m benchmarks databases spider hr_1 dorm_1
    """
    from benchmarks.databases import run

    body = run(source, names, say)
    line = f"python -m benchmarks databases {source.name} {' '.join(names)}"
    publish(document, "databases", "Databases as graphs and as tables", line, body)


@app.command()
def chains(
    data: Annotated[Path, typer.Option(help="Folder that holds spider/kb.")],
    model: Annotated[
        Path | None, typer.Option(help="Checkpoint folder; the bundled one if left out.")
    ] = None,
    work: Annotated[Path, typer.Option(help="Folder for indexes; kept.")] = Path(".cache/chains"),
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """How many questions that walk along three relations are answered, and which are not.

    Example: python -m benchmarks chains --data data
    """
    from benchmarks.chains import misses, report, run

    rows = list(run(data, model, work))
    body = report(rows)
    command_line = f"python -m benchmarks chains --data DATA{'' if model is None else ' --model MODEL'}"
    typer.echo(misses(rows))
    publish(document, "chains", "Chains of three relations", command_line, body)


@app.command()
def phrases(
    kbs: Annotated[list[str] | None, typer.Argument(help="Index folders; the demo if left out.")] = None,
    pairs: Annotated[int, typer.Option(help="How many random pairs of different meaning.")] = 10_000,
) -> None:
    """Whether programs of different meaning have different phrases, with the classes they name and no other.

    Example: python -m benchmarks phrases my-kb
    """
    from arcaneqa.kb.open import open_kb
    from benchmarks.phrases import report

    for kb in kbs or [""]:
        with open_kb(kb or None) as opened:
            typer.echo(f"{Path(kb).name or 'demo'}: {report(opened, pairs)}")


Graphs = Annotated[
    list[str], typer.Argument(help="KB=QUESTIONS.jsonl, unified records; demo=… for the demo.")
]
Called = Annotated[str, typer.Option(help="What the graphs are called in the report.")]


def _with_questions(graphs: list[str]) -> list[tuple[str | None, Path]]:
    pairs = [graph.partition("=") for graph in graphs]
    return [(None if kb == "demo" else kb, Path(data)) for kb, _, data in pairs]


@app.command()
def parts(
    graphs: Graphs,
    model: Annotated[Path | None, typer.Option(help="The bundled one if left out.")] = None,
    name: Called = "the demo",
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """What the last decision, "none of these" and the proposals are worth.

    Example: python -m benchmarks parts demo=demo/questions.jsonl
    """
    from benchmarks.parts import report

    body = report(_with_questions(graphs), model)
    line = f"python -m benchmarks parts KB=QUESTIONS.jsonl… --name '{name}'"
    publish(document, f"parts {name}", f"What parts are worth: {name}", line, body)


@app.command()
def glance(
    data: Annotated[Path, typer.Argument(help="Questions with their answers, as unified records.")],
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    model: Annotated[Path | None, typer.Option(help="The bundled one if left out.")] = None,
    mode: Annotated[Mode, typer.Option(help="Whose rules to score by.")] = Mode.SEMANTIC,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """What the first glance at long lists spares, and what it costs.

    Example: python -m benchmarks glance demo/questions.jsonl
    """
    from arcaneqa.record import read_questions
    from benchmarks.glance import report

    body = report(list(read_questions(data)), kb, model, mode)
    options = "".join(
        f" --{name} {said}"
        for name, said in (("kb", kb and "KB"), ("model", model and "MODEL"), ("mode", mode.value))
        if said
    )
    whose = "" if model is None else f", {model.name}"
    name = f"glance {data.stem}{'' if model is None else ' other model'}"
    command_line = f"python -m benchmarks glance {data.name}{options}"
    publish(document, name, f"The first glance: {data.stem}{whose}", command_line, body)
