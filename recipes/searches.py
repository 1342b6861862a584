"""What searches find for the questions of `recipes/calibration_graphs.py`, kept: a fit asks the model only
once."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from arcaneqa.answer.arcaneqa import SECONDS, ArcaneQA
from arcaneqa.induction.found import Considered, Found, SearchOutcome, Trace
from arcaneqa.induction.search import SHORTLIST, Search
from arcaneqa.kb.open import open_kb
from arcaneqa.links import Links
from arcaneqa.support.files import read_lines

STRANGE = 0.15
"""The share of a graph's questions that are asked of another one."""
TOGETHER = 16


@dataclass(frozen=True)
class Searched:
    """A question, what was linked and found, and what it asks of: `answers` by name, `ids` where they are
    known. A `strange` question was meant for another graph, a `lost` one had its answers before something was
    taken out."""

    id: str
    kb: str
    links: Links
    outcome: SearchOutcome
    answers: tuple[str, ...]
    ids: tuple[str, ...]
    lost: str | None
    strange: bool


def kept(model: Path, graphs: Path, work: Path, most: int) -> dict[str, list[Searched]]:
    """By graph, of each at most so many questions; what is not there yet is searched for."""
    weights = b"".join(path.read_bytes() for path in sorted(model.glob("*.safetensors")))
    folder = work / f"{blake2b(weights, digest_size=8).hexdigest()}-{most}"
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.parent.name for path in graphs.glob("*/asked.jsonl"))
    others = zip(names, [names[-1], *names], strict=False)
    missing = [pair for pair in others if not (folder / f"{pair[0]}.pickle").exists()]
    missing.sort(key=lambda pair: -(graphs / pair[0] / "asked.jsonl").stat().st_size)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name in pool.map(partial(_search, model, graphs, folder, most), missing):
            print(name, flush=True)
    return {name: pickle.loads((folder / f"{name}.pickle").read_bytes()) for name in names}


def questions(graphs: Path, name: str, most: int) -> list[dict[str, Any]]:
    """The same ones every time, and not the first of a file, which are alike."""
    lines = [line for _, line in read_lines(graphs / name / "asked.jsonl")]
    return sorted(lines, key=lambda line: crc32(line["id"].encode()))[:most]


def _search(model: Path, graphs: Path, folder: Path, most: int, pair: tuple[str, str]) -> str:
    name, other = pair
    loaded = ArcaneQA.load(None, model)
    own = questions(graphs, name, most)
    by_kb: dict[str, list[tuple[dict[str, Any], bool]]] = defaultdict(list)
    for line in own:
        by_kb[line["kb"]].append((line, False))
    kbs = sorted(by_kb)
    for place, line in enumerate(questions(graphs, other, round(STRANGE * len(own)))):
        if not line.get("lost"):
            by_kb[kbs[place % len(kbs)]].append((line, True))
    found = [one for kb in kbs for one in _searched(loaded, graphs / name / kb, by_kb[kb])]
    (folder / f"{name}.pickle").write_bytes(pickle.dumps(found))
    return f"{name}: {len(found)}"


def _searched(loaded: ArcaneQA, kb: Path, lines: Sequence[tuple[dict[str, Any], bool]]) -> Iterator[Searched]:
    with open_kb(kb) as opened:
        qa = loaded.over(opened)
        limit = None if qa.settings.exact else SHORTLIST
        search = Search(qa.induction, qa.scorer, qa.settings.beam, limit, qa.settings.ranker)
        for start in range(0, len(lines), TOGETHER):
            group = lines[start : start + TOGETHER]
            links = [qa.linker.link(line["question"]) for line, _ in group]
            asked = [(one.read, [qa.topics(one.question, one, None)]) for one in links]
            outcomes = search.run_many(asked, len(group), SECONDS * len(group))
            for (line, strange), one, outcome in zip(group, links, outcomes, strict=True):
                slim = replace(outcome, found=tuple(map(_slim, outcome.found)))
                answers, ids = (tuple(map(str, line.get(key) or ())) for key in ("answers", "answer_ids"))
                yield Searched(line["id"], str(kb), one, slim, answers, ids, line.get("lost"), strange)


def _slim(found: Found) -> Found:
    """With what was chosen at each step only, and how many there were besides."""
    steps = [
        Considered(
            "",
            [step.candidates[step.choice]],
            step.log_probs[[step.choice]].astype(np.float32),
            0,
            step.size,
            step.left_out + len(step.candidates) - 1,
            step.level,
        )
        for step in found.trace.steps
    ]
    return replace(found, trace=Trace(found.trace.topics, steps))
