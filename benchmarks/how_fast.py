"""Benchmarks of seconds and memory: the index, names, induction, endpoints, training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.app import MEASUREMENTS, Document, app, publish, say


@app.command()
def encoder(
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How fast and how truly the encoder is read, compiled and by torch.

    Example: python -m benchmarks encoder
    """
    from benchmarks.encoder import report

    body = report()
    publish(document, "encoder", "The encoder", "python -m benchmarks encoder", body)


@app.command()
def quicker(
    other: Annotated[Path, typer.Argument(help="The `src` folder of the checkout to compare with.")],
    asked: Annotated[
        list[str],
        typer.Argument(help="KB=QUESTIONS.jsonl, or THEIRS,OURS=QUESTIONS.jsonl where indexes differ."),
    ],
    most: Annotated[int, typer.Option(help="Questions of each file.")] = 60,
    seconds: Annotated[float, typer.Option(help="Of load at a time; 0 leaves the service out.")] = 12.0,
    same_model: Annotated[
        bool, typer.Option("--same-model", help="Both ask with the other's bundled model.")
    ] = False,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How many times as quick as another checkout, asked in turn with it.

    Example: python -m benchmarks quicker ../before/src demo=demo/questions.jsonl
    """
    from benchmarks.quicker import report

    body = report(other, asked, most, seconds, same_model)
    files = " ".join(f"KB={Path(one.partition('=')[2]).name}" for one in asked)
    line = f"python -m benchmarks quicker OTHER/src {files} --most {most} --seconds {seconds:g}"
    if same_model:
        publish(
            document,
            "quicker same model",
            "Against the version before, with its model",
            f"{line} --same-model",
            body,
        )
    else:
        publish(document, "quicker", "Against the version before, each with its own model", line, body)


@app.command()
def builds(
    other: Annotated[Path, typer.Argument(help="The `src` folder of the checkout to compare with.")],
    files: Annotated[list[Path], typer.Argument(help="RDF files that both can index.")],
    profile: Annotated[str | None, typer.Option(help="For both; if left out, each does as it does.")] = None,
    rounds: Annotated[int, typer.Option(help="Builds of each file by each checkout.")] = 3,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Processor time of builds, in turn with another checkout.

    Example: python -m benchmarks builds ../before/src facts.nt.gz --profile freebase
    """
    from benchmarks.builds import report

    options = [] if profile is None else ["--profile", profile]
    body = report(other, files, options, rounds)
    line = " ".join(["python -m benchmarks builds OTHER/src", *(file.name for file in files), *options])
    taken = "each with the profile it takes" if profile is None else f"profile {profile}"
    title = f"Builds against the version before, {taken}"
    publish(document, f"builds {profile or ''}".strip(), title, line, body)


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
    from benchmarks.names import compare, measure, table

    if labels:
        body = table([(f"{labels:,} names, all spans", measure(labels, folder))])
        command_line = f"python -m benchmarks names --labels {labels}"
        publish(document, "names", "Finding names", command_line, body)
    if compared:
        body = table(compare(compared))
        command_line = f"python -m benchmarks names --compared {compared}"
        title = f"Engines for names: {compared:,} of them"
        publish(document, "name engines", title, command_line, body)


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
    from arcaneqa.kb.open import open_kb
    from benchmarks.induction_report import report

    with open_kb(kb) as opened:
        body = report(opened, data or [], facts, searches, timed, sampled, seed)
    name = Path(kb).name
    if not data:
        line = f"python -m benchmarks induction {name} --searches {searches} --seed {seed}"
        publish(document, f"searches {name}", f"Random searches: {name}", line, body)
    else:
        files = " ".join(path.name for path in data)
        line = f"python -m benchmarks induction {name} {files}{f' --facts {facts.name}' if facts else ''}"
        line += f" --searches {searches} --timed {timed} --sampled {sampled}"
        publish(document, f"induction {name}", f"Induction: {name}", line, body)


@app.command()
def score(
    predictions: Annotated[int, typer.Option(help="How many predictions to make up.")] = 60_000,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How long scoring takes, and how much memory.

    Example: python -m benchmarks score --predictions 60000
    """
    from benchmarks.score import measure, table

    body = table(measure(predictions))
    line = f"python -m benchmarks score --predictions {predictions}"
    publish(document, "score", f"Scoring {predictions:,} predictions", line, body)


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
    from arcaneqa.kb.profiles import load_profile
    from benchmarks.endpoint import run

    body = run(facts, data, load_profile(profile), questions, say)
    line = (
        f"python -m benchmarks endpoint {facts.name} {data.name} --profile {profile} --questions {questions}"
    )
    publish(document, f"endpoint {data.stem}", f"Induction over endpoints: {data.stem}", line, body)


@app.command()
def harvesting(
    size: Annotated[int, typer.Option(help="How many names.")] = 1_000_000,
    killed: Annotated[bool, typer.Option(help="Kill it half way, and start it again.")] = False,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Fetch the names of a Virtuoso server: seconds and memory.

    Example: python -m benchmarks harvesting --size 1000000
    """
    from benchmarks.harvesting import run

    body = run(size, killed, say)
    line = f"python -m benchmarks harvesting --size {size}{' --killed' if killed else ''}"
    name, title = f"harvesting{' killed' if killed else ''}", f"Fetching {size:,} names of an endpoint"
    publish(document, name, title, line, body)


@app.command("table-speed")
def table_speed(
    rows: Annotated[int, typer.Option(help="Rows of ten columns.")] = 1_000_000,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """Index a CSV, and the same facts as N-Triples.

    Example: python -m benchmarks table-speed --rows 1000000
    """
    from benchmarks.table_speed import run

    body = run(rows)
    line = f"python -m benchmarks table-speed --rows {rows}"
    publish(document, "table-speed", f"A CSV of {rows:,} rows and ten columns", line, body)


@app.command()
def synth(
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    size: Annotated[int, typer.Option(help="How many pairs to make.")] = 10_000,
    document: Document = MEASUREMENTS / "benchmarks.md",
) -> None:
    """How many question–program pairs are made in a minute.

    Example: python -m benchmarks synth --size 10000
    """
    from arcaneqa.kb.open import open_kb
    from benchmarks.synth import report

    with open_kb(kb) as opened:
        body = report(opened, size)
    command_line = f"python -m benchmarks synth{'' if kb is None else ' --kb KB'} --size {size}"
    publish(document, "synth", "Making questions", command_line, body)


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
