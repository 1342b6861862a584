"""The benchmarks behind every figure in the docs: `python -m benchmarks NAME …`, in the project's folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.errors import ArcaneError

MEASUREMENTS = Path("docs/measurements")
Document = Annotated[Path, typer.Option(help="Where the table goes.")]

app = typer.Typer(
    help="Measure this machine; tables go to docs/measurements/.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.command()
def linking(
    data: Annotated[Path, typer.Argument(help="Questions with their entities, as unified records.")],
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    learn: Annotated[
        bool,
        typer.Option(help="Train on nine tenths here and test on the rest, in place of bundled weights."),
    ] = False,
    model: Annotated[
        Path | None, typer.Option(help="Model whose encoder judges mentions; the bundled one if left out.")
    ] = None,
    most: Annotated[int, typer.Option(help="Use at most so many questions, the first ones.")] = 10_000,
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """How many gold entities and literals the linker finds.

    Example: python -m benchmarks linking dev.jsonl --kb my-kb
    """
    from itertools import islice

    from arcaneqa.figures import write_section
    from arcaneqa.kb.open import open_kb
    from arcaneqa.model.scorer import ModelScorer
    from arcaneqa.model.stored import bundled_model
    from arcaneqa.record import read_questions
    from benchmarks.linking import report

    spans = ModelScorer.load(model or bundled_model()).spans()
    with open_kb(kb) as opened:
        body = report(list(islice(read_questions(data), most)), opened, learn, spans)
    options = f"{' --learn' if learn else ''} --most {most}"
    command_line = f"python -m benchmarks linking {data.name} --kb KB{options}"
    write_section(document, f"linking {data.stem}", f"Linking: {data.stem}", command_line, body)
    typer.echo(body)


@app.command()
def encoder(
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How fast and how truly the encoder is read, compiled and by torch.

    Example: python -m benchmarks encoder
    """
    from arcaneqa.figures import write_section
    from benchmarks.encoder import report

    body = report()
    write_section(document, "encoder", "The encoder", "python -m benchmarks encoder", body)
    typer.echo(body)


@app.command()
def dialogues(
    data: Annotated[Path, typer.Argument(help="Dialogues with their gold, as JSON lines.")] = Path(
        "demo/dialogues.jsonl"
    ),
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/results.md"
    ),
) -> None:
    """How many follow-ups over the bundled knowledge base are answered rightly, and which are not.

    Example: python -m benchmarks dialogues
    """
    from arcaneqa.answer import ArcaneQA
    from arcaneqa.figures import write_section
    from benchmarks.dialogues import ask, misses, report

    asked = list(ask(ArcaneQA.load(), data))
    body = report(asked)
    write_section(document, "dialogues", "Follow-ups", "python -m benchmarks dialogues", body)
    typer.echo("\n".join([body, *misses(asked)]))


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
    from arcaneqa.model.scorer import ModelScorer
    from arcaneqa.model.stored import bundled_model
    from benchmarks.needs import report

    spans = ModelScorer.load(bundled_model()).spans()
    with open_kb(kb) as opened:
        assert isinstance(opened, Index)
        typer.echo(report(data, opened, spans))


@app.command()
def found_names(
    data: Annotated[Path, typer.Argument(help="Folder with mapping.json.gz and kb/DB.nt.gz, as of Spider.")],
) -> None:
    """How many name columns of databases that were written without labels are found by themselves.

    Example: python -m benchmarks found-names spider
    """
    from benchmarks.found_names import report

    typer.echo(report(data))


@app.command()
def losses(
    data: Annotated[Path, typer.Argument(help="Questions with their entities, as unified records.")],
    gold: Annotated[Path, typer.Argument(help="Predictions with given entities (`--entities gold`).")],
    linked: Annotated[Path, typer.Argument(help="Predictions with found entities.")],
    kb: Annotated[str | None, typer.Option(help="Index folder; the demo if left out.")] = None,
    model: Annotated[
        Path | None, typer.Option(help="The model that predicted; the bundled one if left out.")
    ] = None,
    document: Document = MEASUREMENTS / "results.md",
) -> None:
    """What answers lose because entities have to be found, and where on the way.

    Example: python -m benchmarks losses dev.jsonl gold/predictions.jsonl linked/predictions.jsonl --kb my-kb
    """
    from arcaneqa.answer import ArcaneQA
    from arcaneqa.figures import write_section
    from benchmarks.losses import report

    qa = ArcaneQA.load(kb, model)
    body = report(data, gold, linked, qa.kb, qa.linker)
    command_line = f"python -m benchmarks losses {data.name} GOLD.jsonl LINKED.jsonl --kb KB"
    title = f"Where linking loses: {data.stem}"
    write_section(document, f"losses {data.stem}", title, command_line, body)
    typer.echo(body)


@app.command()
def names(
    labels: Annotated[int, typer.Option(help="How many names to make up, 10,000,000 say.")] = 0,
    compared: Annotated[int, typer.Option(help="How many to compare engines with.")] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Keep the names here, and use those of a former run.")
    ] = None,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How fast the spans of a question are found among millions of names, and what other engines take.

    Example: python -m benchmarks names --labels 1000000 --compared 200000
    """
    from arcaneqa.figures import write_section
    from benchmarks.names import compare, measure, table

    if labels:
        body = table([(f"{labels:,} names, all spans", measure(labels, folder))])
        command_line = f"python -m benchmarks names --labels {labels}"
        write_section(document, "names", "Finding names", command_line, body)
        typer.echo(body)
    if compared:
        body = table(compare(compared))
        command_line = f"python -m benchmarks names --compared {compared}"
        title = f"Engines for names: {compared:,} of them"
        write_section(document, "name engines", title, command_line, body)
        typer.echo(body)


@app.command("kb")
def kb(
    triples: Annotated[int, typer.Option(help="Size of the graph that is made.")] = 5_000_000,
    alone: Annotated[bool, typer.Option("--alone", help="The index only, and on a tenth of it.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="QUESTION", help="Only this one; may be given several times.")
    ] = None,
    work: Annotated[Path, typer.Option(help="Folder for graphs and stores; kept.")] = Path(".cache/bench-kb"),
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Ask every question of the index, DuckDB, Oxigraph and Virtuoso, and compare.

    Example: python -m benchmarks kb --triples 5000000
    """
    from benchmarks.kb import compare, grow

    def say(line: str) -> None:
        typer.echo(line, err=True)

    if alone:
        grow(work.absolute(), triples, document, say)
    else:
        compare(work.absolute(), triples, only or [], document, say)


@app.command()
def induction(
    kb: Annotated[str, typer.Argument(help="Index folder.")],
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="Questions with gold programs; without any, random searches only."),
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option(help="The N-Triples of the index, to ask an Oxigraph server the paper's way."),
    ] = None,
    searches: Annotated[int, typer.Option(help="Random searches whose programs are executed.")] = 10_000,
    seed: Annotated[int, typer.Option(help="What they are drawn with.")] = 1,
    timed: Annotated[int, typer.Option(help="Searches to time, of each kind.")] = 500,
    sampled: Annotated[int, typer.Option(help="Programs to walk the paper's way.")] = 200,
    document: Annotated[Path, typer.Option(help="Where the tables go.")] = Path(
        "docs/measurements/benchmarks.md"
    ),
) -> None:
    """How many gold programs induction can build, how fast, and that no search goes astray.

    Example: python -m benchmarks induction my-kb train.jsonl dev.jsonl --facts facts.nt.gz
    """
    from arcaneqa.figures import write_section
    from arcaneqa.kb.open import open_kb
    from benchmarks.induction_report import report

    with open_kb(kb) as opened:
        body = report(opened, data or [], facts, searches, timed, sampled, seed)
    name = Path(kb).name
    if not data:
        line = f"python -m benchmarks induction {name} --searches {searches} --seed {seed}"
        write_section(document, f"searches {name}", f"Random searches: {name}", line, body)
    else:
        files = " ".join(path.name for path in data)
        line = f"python -m benchmarks induction {name} {files}{f' --facts {facts.name}' if facts else ''}"
        line += f" --searches {searches} --timed {timed} --sampled {sampled}"
        write_section(document, f"induction {name}", f"Induction: {name}", line, body)
    typer.echo(body)


@app.command()
def forms(
    spider: Annotated[Path, typer.Argument(help="Folder of Spider's graphs, mapping and questions.")],
    wild: Annotated[Path, typer.Argument(help="Folder of files from the wild, each with questions.")],
    model: Annotated[Path | None, typer.Option(help="Model folder; the bundled one if left out.")] = None,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/results.md"
    ),
) -> None:
    """Whether questions that need a form beyond the paper's are answered right or refused by its name.

    Example: python -m benchmarks forms data/spider data/wild
    """
    from arcaneqa.figures import write_section
    from benchmarks.forms import report

    body = report(spider, wild, model, lambda line: typer.echo(line, err=True))
    line = f"python -m benchmarks forms {spider.name} {wild.name}"
    write_section(document, "forms", "Forms: answered right or refused by name", line, body)
    typer.echo(body)


@app.command()
def score(
    predictions: Annotated[int, typer.Option(help="How many predictions to make up.")] = 60_000,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How long scoring takes, and how much memory.

    Example: python -m benchmarks score --predictions 60000
    """
    from arcaneqa.figures import write_section
    from benchmarks.score import measure, table

    body = table(measure(predictions))
    line = f"python -m benchmarks score --predictions {predictions}"
    write_section(document, "score", f"Scoring {predictions:,} predictions", line, body)
    typer.echo(body)


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

    from arcaneqa.datasets.convert import FORMATS, read_drafts
    from arcaneqa.errors import InputError
    from arcaneqa.figures import write_section
    from arcaneqa.kb.open import open_kb
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
    write_section(document, f"language {title}", title, line, body)
    typer.echo(body)


@app.command()
def endpoint(
    facts: Annotated[Path, typer.Argument(help="N-Triples, plain or .gz; served and indexed here.")],
    data: Annotated[Path, typer.Argument(help="Questions with gold programs, as unified records.")],
    profile: Annotated[str, typer.Option(help="rdf, freebase or a JSON file.")] = "rdf",
    questions: Annotated[int, typer.Option(help="How many questions, spread over the file.")] = 200,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Induce the same gold programs over the index, over Oxigraph and over Virtuoso, and compare.

    Example: python -m benchmarks endpoint facts.nt.gz dev.jsonl --profile freebase
    """
    from arcaneqa.figures import write_section
    from arcaneqa.kb.profiles import load_profile
    from benchmarks.endpoint import run

    body = run(facts, data, load_profile(profile), questions, lambda line: typer.echo(line, err=True))
    line = (
        f"python -m benchmarks endpoint {facts.name} {data.name} --profile {profile} --questions {questions}"
    )
    write_section(document, f"endpoint {data.stem}", f"Induction over endpoints: {data.stem}", line, body)
    typer.echo(body)


@app.command()
def served(
    folders: Annotated[list[Path], typer.Argument(help="Each with one file kb.* and questions.jsonl.")],
    server: Annotated[list[str] | None, typer.Option(help="Oxigraph or Virtuoso; both if left out.")] = None,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/benchmarks.md"
    ),
) -> None:
    """Ask a file's questions over its index and over servers that hold the same file, and compare.

    Example: python -m benchmarks served museums/ rivers/
    """
    from arcaneqa.figures import write_section
    from benchmarks.served import run

    body = run(folders, server or ["Oxigraph", "Virtuoso"], lambda line: typer.echo(line, err=True))
    line = f"python -m benchmarks served {' '.join(folder.name for folder in folders)}"
    write_section(document, "served", "The same questions over an index and over servers", line, body)
    typer.echo(body)


@app.command()
def databases(
    source: Annotated[Path, typer.Argument(help="Folder with kb/, mapping.json.gz and questions.jsonl.gz.")],
    names: Annotated[list[str], typer.Argument(help="Which databases.")],
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/benchmarks.md"
    ),
) -> None:
    """Rebuild the tables of databases that are graphs, index them, and run all gold programs on both.

    Example: python -m benchmarks databases spider hr_1 dorm_1
    """
    from arcaneqa.figures import write_section
    from benchmarks.databases import run

    body = run(source, names, lambda line: typer.echo(line, err=True))
    line = f"python -m benchmarks databases {source.name} {' '.join(names)}"
    write_section(document, "databases", "Databases as graphs and as tables", line, body)
    typer.echo(body)


@app.command()
def harvesting(
    size: Annotated[int, typer.Option(help="How many names.")] = 1_000_000,
    killed: Annotated[bool, typer.Option(help="Kill it half way, and start it again.")] = False,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/benchmarks.md"
    ),
) -> None:
    """Fetch the names of a Virtuoso server: seconds and memory.

    Example: python -m benchmarks harvesting --size 1000000
    """
    from arcaneqa.figures import write_section
    from benchmarks.harvesting import run

    body = run(size, killed, lambda line: typer.echo(line, err=True))
    line = f"python -m benchmarks harvesting --size {size}{' --killed' if killed else ''}"
    name, title = f"harvesting{' killed' if killed else ''}", f"Fetching {size:,} names of an endpoint"
    write_section(document, name, title, line, body)
    typer.echo(body)


@app.command("table-speed")
def table_speed(
    rows: Annotated[int, typer.Option(help="Rows of ten columns.")] = 1_000_000,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path(
        "docs/measurements/benchmarks.md"
    ),
) -> None:
    """Index a CSV, and the same facts as N-Triples.

    Example: python -m benchmarks table-speed --rows 1000000
    """
    from arcaneqa.figures import write_section
    from benchmarks.table_speed import run

    body = run(rows)
    line = f"python -m benchmarks table-speed --rows {rows}"
    write_section(document, "table-speed", f"A CSV of {rows:,} rows and ten columns", line, body)
    typer.echo(body)


@app.command()
def synth(
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    size: Annotated[int, typer.Option(help="How many pairs to make.")] = 10_000,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How many question–program pairs are made in a minute.

    Example: python -m benchmarks synth --size 10000
    """
    from arcaneqa.figures import write_section
    from arcaneqa.kb.open import open_kb
    from benchmarks.synth import report

    with open_kb(kb) as opened:
        body = report(opened, size)
    command_line = f"python -m benchmarks synth{'' if kb is None else ' --kb KB'} --size {size}"
    write_section(document, "synth", "Making questions", command_line, body)
    typer.echo(body)


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
    from arcaneqa.figures import write_section
    from benchmarks.chains import misses, report, run

    rows = list(run(data, model, work))
    body = report(rows)
    command_line = f"python -m benchmarks chains --data DATA{'' if model is None else ' --model MODEL'}"
    write_section(document, "chains", "Chains of three relations", command_line, body)
    typer.echo(misses(rows))
    typer.echo(body)


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


@app.command()
def train(
    sets: Annotated[list[Path], typer.Argument(help="Folders made by `arcaneqa prepare`.")],
    encoder: Annotated[str, typer.Option(help="As for `arcaneqa train`.")],
    batch: Annotated[int, typer.Option(help="Questions an update.")] = 128,
    updates: Annotated[int, typer.Option(help="Updates to time.")] = 30,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How many questions a second training takes in, and where the time goes.

    Example: python -m benchmarks train prepared/train --encoder encoders/minilm
    """
    from benchmarks.train import run

    typer.echo(run(sets, encoder, batch, 32_768, updates, document))


if __name__ == "__main__":
    try:
        app()
    except ArcaneError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(2)
