"""The tables of `python -m benchmarks induction`."""

from __future__ import annotations

import gzip
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import Ranker, WordRanker
from arcaneqa.induction.search import SHORTLIST
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.record import read_questions
from arcaneqa.support.errors import InputError
from benchmarks.induction import (
    BEAM,
    Case,
    Gold,
    Soundness,
    Times,
    cases,
    measure_gold,
    measure_searches,
    most_connected,
    search_at_random,
    topics_of,
)
from benchmarks.sampling import IN_THE_PAPER, SAMPLE, Lost, Ways, measure_loss, measure_ways


def report(
    kb: KnowledgeBase,
    data: Sequence[Path],
    facts: Path | None,
    searches: int,
    timed: int,
    sampled: int,
    seed: int = 1,
) -> str:
    """Everything measured on one knowledge base, as Markdown; without questions, random searches only."""
    if not data:
        return _soundness(search_at_random(kb, searches, seed))
    induction = Induction(kb)
    given = {path.stem: cases(read_questions(path), kb) for path in data}
    rankers = _rankers()
    gold = {name: measure_gold(induction, found, rankers) for name, found in given.items()}
    parts = [_gold_table(gold), _sizes(gold, list(rankers))]
    every = [case for found in given.values() for case in found]
    parts.append(_times_table(_timed(induction, every, timed)))
    parts.append(_loss([measure_loss(kb, every, sample) for sample in (SAMPLE, IN_THE_PAPER)]))
    if facts is not None:
        parts.append(_ways(measure_with_server(kb, every, facts, sampled)))
    if searches:
        parts.append(_soundness(search_at_random(kb, searches, seed)))
    return "\n\n".join(parts)


def _rankers() -> dict[str, Ranker]:
    """By words alone, and at the bundled model's first glance as `arcaneqa ask` does it."""
    from arcaneqa.model.glance import Glance
    from arcaneqa.model.stored import bundled_model, read_stored

    glance = Glance.of(read_stored(bundled_model()))
    assert glance is not None
    return {"words": WordRanker(), "glance": glance}


def _timed(induction: Induction, every: Sequence[Case], timed: int) -> dict[str, Times]:
    rng = random.Random(1)
    some = rng.sample(list(every), min(timed, len(every)))
    asked = [(case.question.question, case.topics) for case in some]
    hubs = most_connected(induction.kb, 2 * timed)
    one = [("which?", topics_of(induction.kb, [hub])) for hub in hubs[:timed]]
    pairs = list(zip(hubs[::2], hubs[1::2], strict=False))
    two = [("which?", topics_of(induction.kb, pair)) for pair in pairs]
    return {
        "gold topics of the questions": measure_searches(induction, asked),
        "one of the most connected entities": measure_searches(induction, one),
        "two of the most connected entities": measure_searches(induction, two),
    }


def measure_with_server(kb: KnowledgeBase, every: Sequence[Case], facts: Path, sampled: int) -> Ways:
    from benchmarks.kb.engines import load_oxigraph, oxigraph_server

    if not facts.exists():
        raise InputError(f"{facts} does not exist; --facts takes the N-Triples the index was built from.")
    some = random.Random(2).sample(list(every), min(sampled, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        source = facts
        if facts.suffix == ".gz":
            source = Path(folder) / facts.stem
            with gzip.open(facts) as packed, source.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
        load_oxigraph(source, Path(folder) / "store")
        with oxigraph_server(Path(folder) / "store") as server:
            return measure_ways(kb, some, server.url)


def _gold_table(gold: dict[str, Gold]) -> str:
    rows = [
        "Gold programs built step by step from their own topics; the gold token must be in the exact "
        "admissible set of every step.",
        "",
        "| questions | programs | admissible | targets/s | not admissible, by reason |",
        "|---|---|---|---|---|",
    ]
    for name, found in gold.items():
        share = 100 * found.admissible / found.questions if found.questions else 0.0
        reasons = ", ".join(f"{reason} {count}" for reason, count in found.reasons.most_common())
        rows.append(f"| {name} | {found.questions:,} | {share:.2f}% | {found.rate:,.0f} | {reasons or '–'} |")
    return "\n".join(rows)


def _sizes(gold: dict[str, Gold], rankers: Sequence[str]) -> str:
    rows = [
        f"Sizes of the sets with a choice, and how often a shortlist of {SHORTLIST} keeps the gold name of a "
        "larger one:",
        "",
        f"| questions | median | p95 | largest | larger | {' | '.join(f'kept by {n}' for n in rankers)} |",
        "|---" * (5 + len(rankers)) + "|",
    ]
    for name, found in gold.items():
        sizes = np.array(found.sizes or [0])
        kept = [
            f"{100 * found.kept[ranker] / found.shortlisted:.1f}%" if found.shortlisted else "–"
            for ranker in rankers
        ]
        rows.append(
            f"| {name} | {np.median(sizes):.0f} | {np.percentile(sizes, 95):.0f} | {sizes.max():,} "
            f"| {found.shortlisted:,} | {' | '.join(kept)} |"
        )
    return "\n".join(rows)


def _times_table(times: dict[str, Times]) -> str:
    rows = [
        f"A search's own time (beam {BEAM}, scorer not counted, processor time), in ms:",
        "",
        "| start | searches | median | p95 | longest | steps |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in times.items():
        rows.append(
            f"| {name} | {found.searches} | {found.median:.1f} | {found.p95:.1f} | {found.longest:.1f} "
            f"| {found.steps:.0f} |"
        )
    return "\n".join(rows)


def _loss(losses: Sequence[Lost]) -> str:
    rows = [
        "The paper's way, sampled entities in place of exact sets (samples of what samples lead to):",
        "",
        "| sample | programs | choices of relation or class | over larger sets | not seen | programs lost |",
        "|---|---|---|---|---|---|",
    ]
    for found in losses:
        rows.append(
            f"| {found.sample} | {found.questions:,} | {found.choices:,} | {found.large:,} | {found.lost:,} "
            f"| {found.lost_questions:,} ({100 * found.lost_questions / max(found.questions, 1):.2f}%) |"
        )
    return "\n".join(rows)


def _ways(found: Ways) -> str:
    programs = max(found.programs, 1)
    return (
        f"Its look-ups along {found.programs} gold programs (relations, types and neighbours of {SAMPLE} "
        "sampled entities, each a query to an Oxigraph server on this machine, warm): "
        f"{found.queries / programs:.0f} queries and {1000 * found.server_seconds / programs:,.1f} ms a "
        "program. Here every admissible token of every step of the same programs, exact, takes "
        f"{1000 * found.own_seconds / programs:.1f} ms: **{found.ratio:.0f} times** less, by the clock."
    )


def _soundness(found: Soundness) -> str:
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in found.functions.most_common())
    return (
        f"{found.searches:,} searches with drawn scores from drawn entities (hubs among them), values and "
        f"names: {found.programs:,} programs (with {kinds}), {found.wrong} ill typed, empty or other than "
        f"the search said, {found.dead_ends} dead ends."
    )
