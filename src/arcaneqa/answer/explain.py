"""An answer drawn in the terminal: the result first, then the walk that led to it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.entity_facts import Facts
from arcaneqa.answer.support import Fact
from arcaneqa.induction.found import Considered
from arcaneqa.record import AnswerItem, Outcome, Reading
from arcaneqa.record import Table as Rows

MOST_SHOWN = 20
"""Answers, or rows, on one screen."""
MOST_CANDIDATES = 5
"""Of each step, the likeliest ones."""


LEAST_SHOWN = 0.05
"""Confidence from which on another reading is worth a line under an answer."""
LEAST_OFFERED = 0.02
"""The same under a refusal: what is meant in one case of a hundred only distracts from the reason."""


def draw_answer(
    console: Console, answer: Answer, threshold: float | None = None, is_talk: bool = False
) -> None:
    """The answer, the program in words, how sure, how long; at a threshold of one's own, what to expect. In a
    conversation, readings to choose from in place of programs."""
    if answer.reason is not None:
        heading = "Not sure." if answer.outcome is Outcome.ASK else "No answer."
        console.print(Text.assemble((heading, "bold yellow"), f" {answer.reason}"))
    elif answer.facts is None or answer.items != (answer.facts.entity,):
        draw_items(console, answer)
    if answer.facts is not None:
        draw_facts(console, answer.facts)
    if answer.carried is not None:
        console.print(Text("carried  ", style="dim") + Text(answer.carried))
    if answer.paraphrase is not None and answer.facts is None and answer.reason is None:
        console.print(Text("read as  ", style="dim") + Text(answer.paraphrase))
    if answer.program is not None and answer.reason is None and not is_talk:
        console.print(Text("program  ", style="dim") + Text(answer.program, style="cyan"))
    if answer.not_used:
        console.print(Text("not used ", style="dim") + Text(", ".join(answer.not_used), style="yellow"))
    if is_talk:
        first = 1 if answer.program is None or answer.outcome is Outcome.ASK else 2
        is_given = answer.outcome is Outcome.ANSWER
        likely = [one for one in answer.readings if not is_given or one.program != answer.program]
        draw_readings(console, likely, first, LEAST_SHOWN)
    elif answer.reason is not None and (
        worth := [one for one in answer.readings if one.confidence >= LEAST_OFFERED]
    ):
        console.print(Text("It may mean (for `arcaneqa run`):", style="dim"))
        for reading in worth:
            sure_of = Text(f"  {reading.confidence:4.0%}  ", style="dim")
            console.print(sure_of + Text(reading.paraphrase) + Text(f"  {reading.program}", style="cyan"))
    sure = "" if answer.confidence is None else f"{answer.confidence:.0%} sure · "
    known = threshold is not None and answer.reason is None and answer.expected is not None
    expected = f"{answer.expected:.0%} of answers from {threshold:.2f} on are right · " if known else ""
    console.print(Text(f"{sure}{expected}{answer.seconds * 1000:,.0f} ms", style="dim"))


def draw_items(console: Console, answer: Answer, start: int = 0, is_whole: bool = False) -> None:
    """As many answers as a screen holds, from `start` on, with their telling columns or all."""
    shown = answer.shown(is_whole, most=start + MOST_SHOWN)
    if shown is not None:
        console.print(_table(shown.table, start))
    else:
        for item in answer.items[start : start + MOST_SHOWN]:
            console.print(_item(item, answer.unit))
    rows = len(answer.items) if shown is None else shown.total
    if rows > start + MOST_SHOWN:
        console.print(f"… and {rows - start - MOST_SHOWN:,} more")
    if shown is not None and shown.more:
        others = ", ".join(shown.more[:MOST_CANDIDATES])
        more = len(shown.more) - MOST_CANDIDATES
        console.print(Text(f"also: {others}{f' and {more} more columns' if more > 0 else ''}", style="dim"))


def draw_support(console: Console, facts: Sequence[Fact]) -> None:
    """The facts that make an answer so, as many as a screen holds, and where they are from."""
    table = Table(title="because", title_justify="left", title_style="dim", show_header=False, box=None)
    for fact in facts[:MOST_SHOWN]:
        subject, predicate, object_, source = fact.words
        table.add_row(Text(subject), Text(predicate, style="cyan"), Text(object_), Text(source, style="dim"))
    console.print(table)
    if len(facts) > MOST_SHOWN:
        console.print(Text(f"… and {len(facts) - MOST_SHOWN:,} more facts", style="dim"))


def draw_readings(console: Console, readings: Sequence[Reading], first: int = 1, least: float = 0.0) -> None:
    """What a question may mean, each with the number that chooses it; unlikely ones are left out."""
    for number, reading in enumerate(readings, first):
        if reading.confidence < least:
            continue
        likely = f"{reading.confidence:4.0%}  "
        console.print(Text.assemble((f"  {number}  ", "bold"), (likely, "dim"), reading.paraphrase))


def draw_facts(console: Console, facts: Facts) -> None:
    """An entity: what it is, then a line a relation; what points at it comes last."""
    name = Text(facts.entity.label or facts.entity.id or "", style="bold")
    console.print(name + Text(f"  {facts.entity.id}", style="dim"))
    if facts.classes:
        console.print(Text(", ".join(facts.classes), style="dim"))
    table = Table(show_header=False, box=None)
    for relation in facts.relations:
        label = relation.heading
        shown = ", ".join(item.label or item.value or item.id or "" for item in relation.values)
        more = relation.total - len(relation.values)
        table.add_row(
            Text(label, style="cyan"), Text(shown + (f" … {relation.total:,} in all" if more else ""))
        )
    console.print(table)
    if facts.namesakes:
        others = ", ".join(f"{item.label} {item.id}" for item in facts.namesakes)
        console.print(Text(f"Others of that name: {others}", style="dim"))


def draw_walk(console: Console, answer: Answer) -> None:
    """Each step with a choice: its likeliest candidates, the one taken, the size of what it led to."""
    if answer.trace is None:
        return
    for topic in answer.trace.topics:
        mention = answer.question[topic.start : topic.end]
        console.print(Text(f"“{mention}” may be {topic.text}" if mention else topic.text, style="dim"))
    for number, step in enumerate(answer.trace.steps, 1):
        if len(step.candidates) > 1:
            console.print(_step(number, step))
        elif step.size is not None:
            console.print(Text(f"    → {step.size:,} found", style="green"))


def _table(table: Rows, start: int = 0) -> Table:
    shown = Table(box=None, header_style="dim")
    for column in table.columns:
        shown.add_column(Text(column))
    for row in table.labels[start : start + MOST_SHOWN]:
        shown.add_row(*(Text(cell or "") for cell in row))
    return shown


def _item(item: AnswerItem, unit: str | None) -> Text:
    if item.id is None:
        return Text(f"{item.label}{f' {unit}' if unit else ''}", style="bold")
    return Text(item.label or item.id, style="bold") + Text(f"  {item.id}", style="dim")


def _step(number: int, step: Considered) -> Table:
    table = Table(
        title=f"{number}. {step.context or 'start'}", title_justify="left", show_header=False, box=None
    )
    shown = step.to_json(MOST_CANDIDATES)
    for candidate in shown["candidates"]:
        name = (
            candidate["text"]
            if candidate["variable"] is None
            else f"#{candidate['variable']} {candidate['text']}"
        )
        bar = "█" * max(1, round(20 * candidate["probability"]))
        style = "bold green" if candidate["chosen"] else ""
        table.add_row(
            Text("▸" if candidate["chosen"] else " "),
            Text(name, style=style),
            Text(candidate["types"], style="dim"),
            Text(f"{candidate['probability']:.0%}", justify="right"),
            Text(bar, style="green" if candidate["chosen"] else "blue"),
        )
    if (more := shown["considered"] - len(shown["candidates"])) > 0:
        table.add_row("", Text(f"… {more} more", style="dim"))
    return table
