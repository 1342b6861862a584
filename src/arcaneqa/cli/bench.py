"""`arcaneqa bench …`: the benchmarks behind every figure in the docs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

command = typer.Typer(help="Measure this machine; tables go to docs/benchmarks.md.", no_args_is_help=True)


@command.command()
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
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/results.md"),
) -> None:
    """How many gold entities and literals the linker finds.

    Example: arcaneqa bench linking dev.jsonl --kb my-kb
    """
    from itertools import islice

    from arcaneqa.bench.linking import report
    from arcaneqa.bench.report import write_section
    from arcaneqa.kb.open import open_kb
    from arcaneqa.model.bundled import bundled_model
    from arcaneqa.model.scorer import ModelScorer
    from arcaneqa.record import read_questions

    spans = ModelScorer.load(model or bundled_model()).spans()
    with open_kb(kb) as opened:
        body = report(list(islice(read_questions(data), most)), opened, learn, spans)
    options = f"{' --learn' if learn else ''} --most {most}"
    command_line = f"arcaneqa bench linking {data.name} --kb KB{options}"
    write_section(document, f"linking {data.stem}", f"Linking: {data.stem}", command_line, body)
    typer.echo(body)


@command.command()
def losses(
    data: Annotated[Path, typer.Argument(help="Questions with their entities, as unified records.")],
    gold: Annotated[Path, typer.Argument(help="Predictions with given entities (`--entities gold`).")],
    linked: Annotated[Path, typer.Argument(help="Predictions with found entities.")],
    kb: Annotated[str | None, typer.Option(help="Index folder; the demo if left out.")] = None,
    model: Annotated[
        Path | None, typer.Option(help="The model that predicted; the bundled one if left out.")
    ] = None,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/results.md"),
) -> None:
    """What answers lose because entities have to be found, and where on the way.

    Example: arcaneqa bench losses dev.jsonl gold/predictions.jsonl linked/predictions.jsonl --kb my-kb
    """
    from arcaneqa.answer import ArcaneQA
    from arcaneqa.bench.losses import report
    from arcaneqa.bench.report import write_section

    qa = ArcaneQA.load(kb, model)
    body = report(data, gold, linked, qa.kb, qa.linker)
    command_line = f"arcaneqa bench losses {data.name} GOLD.jsonl LINKED.jsonl --kb KB"
    title = f"Where linking loses: {data.stem}"
    write_section(document, f"losses {data.stem}", title, command_line, body)
    typer.echo(body)


@command.command()
def names(
    labels: Annotated[int, typer.Option(help="How many names to make up, 10,000,000 say.")] = 0,
    compared: Annotated[int, typer.Option(help="How many to compare engines with.")] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Keep the names here, and use those of a former run.")
    ] = None,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """How fast the spans of a question are found among millions of names, and what other engines take.

    Example: arcaneqa bench names --labels 1000000 --compared 200000
    """
    from arcaneqa.bench.names import compare, measure, table
    from arcaneqa.bench.report import write_section

    if labels:
        body = table([(f"{labels:,} names, all spans", measure(labels, folder))])
        command_line = f"arcaneqa bench names --labels {labels}"
        write_section(document, "names", "Finding names", command_line, body)
        typer.echo(body)
    if compared:
        body = table(compare(compared))
        command_line = f"arcaneqa bench names --compared {compared}"
        title = f"Engines for names: {compared:,} of them"
        write_section(document, "name engines", title, command_line, body)
        typer.echo(body)


@command.command("kb")
def kb(
    triples: Annotated[int, typer.Option(help="Size of the graph that is made.")] = 5_000_000,
    alone: Annotated[bool, typer.Option("--alone", help="The index only, and on a tenth of it.")] = False,
    work: Annotated[Path, typer.Option(help="Folder for graphs and stores; kept.")] = Path(".cache/bench-kb"),
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """Ask every question of the index, DuckDB, Oxigraph and Virtuoso, and compare.

    Example: arcaneqa bench kb --triples 5000000
    """
    from arcaneqa.bench.kb import compare, grow

    (grow if alone else compare)(work.absolute(), triples, document, lambda line: typer.echo(line, err=True))


@command.command()
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
    timed: Annotated[int, typer.Option(help="Searches to time, of each kind.")] = 500,
    sampled: Annotated[int, typer.Option(help="Programs to walk the paper's way.")] = 200,
    document: Annotated[Path, typer.Option(help="Where the tables go.")] = Path("docs/benchmarks.md"),
) -> None:
    """How many gold programs induction can build, how fast, and that no search goes astray.

    Example: arcaneqa bench induction my-kb train.jsonl dev.jsonl --facts facts.nt.gz
    """
    from arcaneqa.bench.induction_report import report
    from arcaneqa.bench.report import write_section
    from arcaneqa.kb.open import open_kb

    with open_kb(kb) as opened:
        body = report(opened, data or [], facts, searches, timed, sampled)
    name = Path(kb).name
    if not data:
        line = f"arcaneqa bench induction {name} --searches {searches}"
        write_section(document, f"searches {name}", f"Random searches: {name}", line, body)
    else:
        files = " ".join(path.name for path in data)
        line = f"arcaneqa bench induction {name} {files}{f' --facts {facts.name}' if facts else ''}"
        line += f" --searches {searches} --timed {timed} --sampled {sampled}"
        write_section(document, f"induction {name}", f"Induction: {name}", line, body)
    typer.echo(body)


@command.command()
def ask(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="KB=QUESTIONS.jsonl, or KB alone to ask about random entities; demo is the bundled one."
        ),
    ],
    most: Annotated[int, typer.Option(help="Questions of each knowledge base.")] = 200,
    starts: Annotated[int, typer.Option(help="New processes to time, on the first knowledge base.")] = 5,
    document: Annotated[Path, typer.Option(help="Where the tables go.")] = Path("docs/benchmarks.md"),
) -> None:
    """How long a question takes, and on what: linking, induction, the model.

    Example: arcaneqa bench ask demo=demo/questions.jsonl my-kb
    """
    from arcaneqa.bench.ask import report
    from arcaneqa.bench.report import write_section

    body = report(sources, most, starts)
    named = " ".join("=".join(Path(part).name for part in source.split("=")) for source in sources)
    line = f"arcaneqa bench ask {named} --most {most} --starts {starts}"
    write_section(document, "ask", "A question", line, body)
    typer.echo(body)


@command.command()
def score(
    predictions: Annotated[int, typer.Option(help="How many predictions to make up.")] = 60_000,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """How long scoring takes, and how much memory.

    Example: arcaneqa bench score --predictions 60000
    """
    from arcaneqa.bench.report import write_section
    from arcaneqa.bench.score import measure, table

    body = table(measure(predictions))
    line = f"arcaneqa bench score --predictions {predictions}"
    write_section(document, "score", f"Scoring {predictions:,} predictions", line, body)
    typer.echo(body)


@command.command()
def language(
    format: Annotated[str, typer.Argument(help="The dataset's format, as for `arcaneqa convert`.")],
    source: Annotated[Path, typer.Argument(help="The dataset's file, plain or .gz.")],
    kb: Annotated[str, typer.Option(help="Index folder.")],
    facts: Annotated[
        Path | None, typer.Option(help="The N-Triples of the index, to ask the published SPARQL there.")
    ] = None,
    most: Annotated[int | None, typer.Option(help="Use at most so many questions, the first ones.")] = None,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/datasets.md"),
) -> None:
    """Take every program of a dataset through text, steps, execution and SPARQL.

    Example: arcaneqa bench language webqsp WebQSP.train.json --kb my-freebase --facts freebase.nt.gz
    """
    from itertools import islice

    from arcaneqa.bench.language import load, report
    from arcaneqa.bench.report import write_section
    from arcaneqa.datasets.convert import FORMATS, read_drafts
    from arcaneqa.errors import InputError
    from arcaneqa.kb.open import open_kb

    if format not in FORMATS:
        raise InputError(f"There is no format “{format}”; give one of {', '.join(FORMATS)}.")
    with open_kb(kb) as opened:
        drafts = islice(read_drafts(format, source, opened.profile, opened), most)
        body = report(drafts, opened, None if facts is None else load(facts))
    file = f"{source.parent.name}/{source.name}"
    line = f"arcaneqa bench language {format} {file} --kb {Path(kb).name}"
    line += f" --facts {facts.parent.name}/{facts.name}" if facts else ""
    line += f" --most {most}" if most else ""
    title = f"{file}, first {most:,}" if most else file
    write_section(document, f"language {title}", title, line, body)
    typer.echo(body)


@command.command()
def endpoint(
    facts: Annotated[Path, typer.Argument(help="N-Triples, plain or .gz; served and indexed here.")],
    data: Annotated[Path, typer.Argument(help="Questions with gold programs, as unified records.")],
    profile: Annotated[str, typer.Option(help="rdf, freebase or a JSON file.")] = "rdf",
    questions: Annotated[int, typer.Option(help="How many questions, spread over the file.")] = 200,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """Induce the same gold programs over the index, over Oxigraph and over Virtuoso, and compare.

    Example: arcaneqa bench endpoint facts.nt.gz dev.jsonl --profile freebase
    """
    from arcaneqa.bench.endpoint import run
    from arcaneqa.bench.report import write_section
    from arcaneqa.kb.profile import load_profile

    body = run(facts, data, load_profile(profile), questions, lambda line: typer.echo(line, err=True))
    line = f"arcaneqa bench endpoint {facts.name} {data.name} --profile {profile} --questions {questions}"
    write_section(document, f"endpoint {data.stem}", f"Induction over endpoints: {data.stem}", line, body)
    typer.echo(body)


@command.command()
def synth(
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    size: Annotated[int, typer.Option(help="How many pairs to make.")] = 10_000,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """How many question–program pairs are made in a minute.

    Example: arcaneqa bench synth --size 10000
    """
    from arcaneqa.bench.report import write_section
    from arcaneqa.bench.synth import report
    from arcaneqa.kb.open import open_kb

    with open_kb(kb) as opened:
        body = report(opened, size)
    command_line = f"arcaneqa bench synth{'' if kb is None else ' --kb KB'} --size {size}"
    write_section(document, "synth", "Making questions", command_line, body)
    typer.echo(body)


@command.command()
def types(
    data: Annotated[Path, typer.Argument(help="Questions with programs and answers, as unified records.")],
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    model: Annotated[Path | None, typer.Option(help="Checkpoint; the bundled one if left out.")] = None,
    most: Annotated[int, typer.Option(help="Use at most so many questions, the first ones.")] = 200,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/results.md"),
) -> None:
    """Answers without and with the classes a question seems to ask for as evidence.

    Example: arcaneqa bench types dev.jsonl --kb my-kb
    """
    from itertools import islice

    from arcaneqa.answer import ArcaneQA
    from arcaneqa.bench.report import write_section
    from arcaneqa.bench.types import report
    from arcaneqa.record import read_questions

    plain, typed = ArcaneQA.load(kb, model), ArcaneQA.load(kb, model, answer_types=True)
    body = report(list(islice(read_questions(data), most)), plain, typed)
    command_line = f"arcaneqa bench types {data.name} --kb KB --most {most}"
    write_section(document, f"types {data.stem}", f"Answer types: {data.stem}", command_line, body)
    typer.echo(body)


@command.command()
def anonymisation(
    data: Annotated[Path, typer.Argument(help="Questions with their answers, as unified records.")],
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    model: Annotated[Path | None, typer.Option(help="Checkpoint; the bundled one if left out.")] = None,
    most: Annotated[int, typer.Option(help="Use at most so many questions, the first ones.")] = 100,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/results.md"),
) -> None:
    """Answers with mentions as they are said, and with the kinds of things in their place.

    Example: arcaneqa bench anonymisation dev.jsonl --kb my-kb
    """
    from itertools import islice

    from arcaneqa.answer import ArcaneQA
    from arcaneqa.bench.anonymisation import report
    from arcaneqa.bench.report import write_section
    from arcaneqa.record import read_questions

    body = report(list(islice(read_questions(data), most)), ArcaneQA.load(kb, model))
    command_line = f"arcaneqa bench anonymisation {data.name} --kb KB --most {most}"
    write_section(document, f"anonymisation {data.stem}", f"Anonymisation: {data.stem}", command_line, body)
    typer.echo(body)


@command.command()
def train(
    sets: Annotated[list[Path], typer.Argument(help="Folders made by `arcaneqa prepare`.")],
    encoder: Annotated[str, typer.Option(help="As for `arcaneqa train`.")],
    batch: Annotated[int, typer.Option(help="Questions an update.")] = 128,
    updates: Annotated[int, typer.Option(help="Updates to time.")] = 30,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """How many questions a second training takes in, and where the time goes.

    Example: arcaneqa bench train prepared/train --encoder encoders/minilm
    """
    from arcaneqa.bench.train import run

    typer.echo(run(sets, encoder, batch, 32_768, updates, document))


@command.command()
def serve(
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    model: Annotated[
        Path | None, typer.Option(help="Checkpoint folder; the bundled one if left out.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long each row is measured.")] = 20.0,
    soak: Annotated[int, typer.Option(help="Only watch the memory while so many questions are asked.")] = 0,
    document: Annotated[Path, typer.Option(help="Where the table goes.")] = Path("docs/benchmarks.md"),
) -> None:
    """Throughput and p95 of the service with 1, 8, 64 clients and too many, batched and not.

    Example: arcaneqa bench serve --seconds 20
    """
    from arcaneqa.bench import serve as bench
    from arcaneqa.bench.report import write_section
    from arcaneqa.errors import InputError
    from arcaneqa.kb.open import open_kb
    from arcaneqa.synthesis.synthesize import synthesize

    with open_kb(kb) as opened:
        made = (question.question for question in synthesize(opened, max(soak, 3_000)))
        questions = list(dict.fromkeys(made))
    if not questions:
        raise InputError("No questions can be made up for this knowledge base, so there is nothing to ask.")
    options = [] if kb is None else ["--kb", kb]
    options += [] if model is None else ["--model", str(model)]
    where = "" if kb is None else " --kb KB"
    if soak:
        body = bench.soak(questions, options, soak)
        line = f"arcaneqa bench serve --soak {soak}{where}"
        write_section(document, "soak", f"Memory over {soak:,} questions", line, body)
    else:
        body = bench.report(questions, options, seconds)
        line = f"arcaneqa bench serve --seconds {seconds:g}{where}"
        write_section(document, "serve", "The service under load", line, body)
    typer.echo(body)
