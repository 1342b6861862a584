"""`arcaneqa train`: a model from prepared sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    sets: Annotated[list[Path], typer.Argument(help="Folders made by `arcaneqa prepare`.")],
    out: Annotated[Path, typer.Option(help="Folder of the model; its log lies beside it, in OUT.run.")],
    encoder: Annotated[
        str | None, typer.Option(help="Hugging Face folder or name, a model, or static:VECTORS.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", help="Go on from this model, or from the `bundled` one.")
    ] = None,
    dev: Annotated[list[Path] | None, typer.Option(help="Prepared set to choose the best by.")] = None,
    weights: Annotated[
        str | None, typer.Option(help="How often each set is seen in an epoch, e.g. 4,1,0.5.")
    ] = None,
    epochs: Annotated[float, typer.Option(help="Passes over the mixture.")] = 10,
    minutes: Annotated[float | None, typer.Option(help="End after so long, with the best model.")] = None,
    pause: Annotated[
        float | None, typer.Option(help="Stop this call after so many minutes; call again to go on.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Questions an update.")] = 128,
    part_tokens: Annotated[int, typer.Option(help="Encoder tokens held in memory at a time.")] = 262_144,
    call_tokens: Annotated[int, typer.Option(help="Encoder tokens a call.")] = 32_768,
    candidates: Annotated[
        int, typer.Option(help="Larger candidate sets are sampled anew each time; 0 reads all.")
    ] = 64,
    blanks: Annotated[float, typer.Option(help="Share of a question's words that is hidden.")] = 0.0,
    rate: Annotated[float, typer.Option(help="Peak learning rate of the decoder.")] = 1e-3,
    encoder_rate: Annotated[float, typer.Option(help="Peak learning rate of the encoder.")] = 1e-4,
    patience: Annotated[int | None, typer.Option(help="End after so many dev checks without a best.")] = None,
    check_every: Annotated[int | None, typer.Option(help="Updates between dev checks; an epoch's.")] = None,
    save_every: Annotated[float, typer.Option(help="Minutes between saves of the run's state.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Of order, sampling and dropout.")] = 1,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto.")] = "auto",
    half: Annotated[bool, typer.Option(" /--no-half", help="fp32 where bf16 would be faster.")] = True,
    storage: Annotated[str, typer.Option(help="int8 (compact), mixed or float32.")] = "int8",
    model: Annotated[str, typer.Option(help='The model\'s choices as JSON, e.g. {"types": false}.')] = "{}",
) -> None:
    """Train on one or several prepared sets. A stopped run goes on with the same command.

    Example: arcaneqa train prepared/grailqa --dev prepared/dev --encoder encoders/minilm --out my-model
    """
    from arcaneqa.support.errors import needs
    from arcaneqa.support.terminal import say

    with needs("Training", "train"):
        from arcaneqa.lab.training.loop import TrainingSettings
        from arcaneqa.lab.training.train import model_config, numbers, train

    began = _model(start)
    config = model_config(model, encoder, began)
    settings = TrainingSettings(
        sets=tuple(sets),
        out=out,
        weights=numbers(weights),
        dev=tuple(dev or ()),
        epochs=epochs,
        minutes=minutes,
        pause=pause,
        batch=batch,
        part_tokens=part_tokens,
        call_tokens=call_tokens,
        candidates=candidates,
        blanks=blanks,
        rate=rate,
        encoder_rate=encoder_rate,
        half=half,
        patience=patience,
        check_every=check_every,
        save_every=save_every,
        seed=seed,
        device=device,
        storage=storage,
    )
    progress = train(settings, encoder, began, config)
    best = "" if dev is None else f"; best {progress.best:.2f} on dev"
    say(f"{progress.step:,} updates in {progress.seconds:.0f} s{best}: {out}")


def _model(start: str | None) -> Path | None:
    if start != "bundled":
        return None if start is None else Path(start)
    from arcaneqa.model.stored import bundled_model

    return bundled_model()
