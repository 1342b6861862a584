"""Fit a model's confidence over many graphs, each left out in turn.

    python recipes/calibrate.py MODEL GRAPH… --work DIR [--questions 1500] [--plot PNG]

A GRAPH is `QUESTIONS.jsonl=KB` (an empty KB is the bundled one), or a folder of `recipes/holes.py`, in
which some questions have no answer; one that gets by another way the answer it had is left out. A folder of
such folders counts as one graph (`recipes/calibration_graphs.py` makes all of them). Every graph
gives equally many questions, as far as it has them; some of each are asked of the next graph as well, where
none of its answers is right. An answer counts as right if its set is the gold one, or reads like it.

How sure to be of a graph's answers is told by a fit on all the others: that is what the figures are about,
and what a stranger's graph will see. The threshold is the highest at which at most one in 400 of all right
answers is withheld. Where the last decision is nearly sure that none of the readings is meant, an answer
needs more: as little as withholds, together with the threshold, as many of the right ones as one in 100
allows; beyond what was seen nothing is asked for. Writes `confidence.json`
into MODEL, and into DIR what was predicted: the same model asks only once.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import numpy as np
from evened import even
from numpy.typing import NDArray

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.judgement.confidence import RIDGES, SURELY_NONE, Confidence
from arcaneqa.judgement.evidence import FEATURES
from arcaneqa.judgement.refusals import ASKS_FOR
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.evaluation.metrics import expected_calibration_error, reliability
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines

THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
WITHHELD, WITHHELD_IF_NONE = 0.0025, 0.01
"""Shares of all right answers: by the threshold, and with what is asked for where none is meant."""
NONE_AT = FEATURES.index("log-odds that none is meant")
STRANGE = 0.15
"""The share of a graph's questions that are asked of another one."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Questions and the index that they are asked of."""

    questions: Path
    kb: str | None

    @classmethod
    def of(cls, folder: Path) -> Part:
        return cls(folder / "questions.jsonl", str(folder / "index"))

    def sample(self, most: int) -> list[Question]:
        """The same ones every time, and not the first of a file, which are alike."""
        known = [question for question in read_questions(self.questions) if question.answers is not None]
        return sorted(known, key=lambda question: crc32(question.id.encode()))[:most]

    @cached_property
    def had(self) -> dict[str, frozenset[str]]:
        """The answers of questions before something was taken out."""
        lines = (line for _, line in read_lines(self.questions))
        return {line["id"]: frozenset(map(number, line["had"])) for line in lines if line.get("had")}


@dataclass(frozen=True)
class Graph:
    """Left out of a fit as a whole."""

    name: str
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, text: str) -> Graph:
        folder = Path(text)
        if (folder / "questions.jsonl").exists():
            return cls(folder.name, (Part.of(folder),))
        if folder.is_dir():
            return cls(
                folder.name, tuple(Part.of(own.parent) for own in sorted(folder.glob("*/questions.jsonl")))
            )
        path, _, kb = text.partition("=")
        return cls(Path(path).stem, (Part(Path(path), kb or None),))

    def sample(self, most: int) -> list[Question]:
        each = max(1, most // len(self.parts))
        return [question for part in self.parts for question in part.sample(each)][:most]

    @property
    def known_by(self) -> str:
        return f"{self.name}-{crc32(b''.join(part.questions.read_bytes() for part in self.parts)):08x}"


@dataclass(frozen=True)
class Example:
    """What was known of an answer, whether it was right, and whether there was a right one."""

    graph: str
    evidence: tuple[float, ...]
    is_right: bool
    has_answer: bool


def examples(
    qa: ArcaneQA, name: str, part: Part, asked: Sequence[tuple[Question, bool]]
) -> Iterator[Example]:
    for (question, is_strange), answer in zip(asked, qa.ask_many([q for q, _ in asked]), strict=True):
        # What is refused for its form is refused however sure a reading is.
        if answer.evidence is not None and not (answer.reason or "").startswith(ASKS_FOR):
            gold = frozenset() if is_strange else frozenset(map(number, question.answers or ()))
            read = found(qa, answer)
            if gold or is_strange or read != part.had.get(question.id):
                is_right = bool(gold) and is_same(qa, read, gold)
                yield Example(name, answer.evidence, is_right, bool(gold))


def is_same(qa: ArcaneQA, one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether who reads the answers would call them the same: a row of one table and the row of another that
    carries its name are told apart by nobody."""
    return one == two or read_as(qa, one) == read_as(qa, two)


def read_as(qa: ArcaneQA, answers: frozenset[str]) -> frozenset[str]:
    said = set()
    for text in answers:
        try:
            node = qa.kb.node(qa.names.read(text))
        except ArcaneError:
            node = None
        label = None if node is None else qa.kb.labels(np.array([node], np.int64))[0]
        said.add(even(label or text))
    return frozenset(said)


def found(qa: ArcaneQA, answer: Answer) -> frozenset[str]:
    """The answers of the best reading, also where it was refused."""
    try:
        program = parse(answer.program or answer.readings[0].program, qa.names, qa.kb.schema)
        return frozenset(map(number, answer_terms(execute(program, qa.kb), qa.kb)))
    except (ArcaneError, IndexError):
        return frozenset()


def number(text: str) -> str:
    """Numbers to six digits, whatever their spelling."""
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text


def gathered(model: Path, graphs: Sequence[Graph], most: int, work: Path) -> list[Example]:
    weights = b"".join(path.read_bytes() for path in sorted(model.glob("*.safetensors")))
    folder = work / blake2b(weights + repr(FEATURES).encode(), digest_size=8).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    each = max(1, most // len(graphs))
    rows: list[Example] = []
    loaded: ArcaneQA | None = None
    for place, graph in enumerate(graphs):
        kept = folder / f"{graph.known_by}-{each}.json"
        if not kept.exists():
            loaded = loaded or ArcaneQA.load(None, model)
            strange = graphs[place - 1].sample(round(STRANGE * each)) if len(graphs) > 1 else []
            kept.write_text(json.dumps([vars(one) for one in answered(loaded, graph, each, strange)]))
        own = [
            Example(**(row | {"evidence": tuple(row["evidence"])})) for row in json.loads(kept.read_text())
        ]
        rows += own
        right = sum(one.is_right for one in own)
        print(f"{graph.name}: {right} right of {sum(one.has_answer for one in own)}", flush=True)
    return rows


def answered(loaded: ArcaneQA, graph: Graph, most: int, strange: Sequence[Question]) -> Iterator[Example]:
    """Questions of a graph, and of another one, spread over its parts."""
    for place, part in enumerate(graph.parts):
        qa = loaded.over(open_kb(part.kb))
        # Everything is to be answered that can be.
        qa.confidence = replace(qa.confidence, threshold=0.0)
        own = part.sample(max(1, most // len(graph.parts)))
        asked = [(q, False) for q in own] + [(q, True) for q in strange[place :: len(graph.parts)]]
        yield from examples(qa, graph.name, part, asked)
        qa.kb.close()


def left_out(rows: Sequence[Example], ridge: float) -> Numbers:
    """How sure to be of each answer, by a fit on the answers of all other graphs."""
    sure = np.zeros(len(rows))
    names = [one.graph for one in rows]
    for name in dict.fromkeys(names):
        fitted = fit([one for one in rows if one.graph != name], ridge)
        for place in [place for place, other in enumerate(names) if other == name]:
            sure[place] = fitted.weigh(np.array(rows[place].evidence))
    return sure


def fit(rows: Sequence[Example], ridge: float, threshold: float = 0.05) -> Confidence:
    evidence = [np.array(one.evidence) for one in rows]
    return Confidence.fit(evidence, [one.is_right for one in rows], threshold, ridge)


def needed_if_none(sure: Numbers, none: NDArray[np.bool_], threshold: float) -> float:
    """The confidence to ask for of right answers where `none` is meant, in hundredths: the highest that is
    allowed, or the lowest that withholds no fewer of them, for what lies beyond was not seen."""
    most, needed, withheld = WITHHELD_IF_NONE * len(sure), threshold, 0
    for hundredths in range(round(100 * threshold), 100):
        lost = int(((sure < threshold) | (none & (sure < hundredths / 100))).sum())
        if withheld < lost <= most:
            needed, withheld = hundredths / 100, lost
    return needed


def loss(sure: Numbers, right: NDArray[np.bool_]) -> float:
    chance = np.clip(np.where(right, sure, 1 - sure), 1e-9, 1)
    return float(-np.log(chance).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="folder for predictions")
    parser.add_argument("--questions", type=int, default=1500, help="of all graphs together")
    parser.add_argument("--plot", type=Path, help="draw confidence against accuracy into this file")
    arguments = parser.parse_args()
    graphs = [Graph.of(text) for text in arguments.graphs]
    rows = gathered(arguments.model, graphs, arguments.questions, arguments.work)
    right = np.array([one.is_right for one in rows])
    has_answer = np.array([one.has_answer for one in rows])
    ridge = min(RIDGES, key=lambda ridge: loss(left_out(rows, ridge), right))
    sure = left_out(rows, ridge)
    # In hundredths, and never more than asked for.
    threshold = math.floor(100 * float(np.quantile(sure[right], WITHHELD))) / 100 if right.any() else 0.05
    none = np.array([one.evidence[NONE_AT] for one in rows]) > math.log(SURELY_NONE / (1 - SURELY_NONE))
    if_none = needed_if_none(sure[right], none[right], threshold)
    error = expected_calibration_error(sure.tolist(), right.tolist())
    print(f"\n{len(rows)} answers over {len(graphs)} graphs, each left out in turn (ridge {ridge:g}):")
    print(
        f"expected calibration error {error:.3f}, threshold {threshold:.2f}, {if_none:.2f} if none is meant"
    )
    refused = (sure < threshold) | (none & (sure < if_none))
    print(f"these refuse {refused[~has_answer].mean():.0%} of those without an answer")
    for low, high, size, mean, accuracy in reliability(sure.tolist(), right.tolist()):
        print(f"  {low:.1f} to {high:.1f}: {size:5} answers, {mean:.0%} sure, {accuracy:.0%} right")
    expected = []
    for limit in sorted({*THRESHOLDS, threshold}):
        given = sure >= limit
        precision = float(right[given].mean()) if given.any() else 1.0
        expected.append((limit, round(precision, 3)))
        print(
            f"  at {limit:.2f}: {precision:.0%} of the answers are right, "
            f"{(right & given).sum() / max(right.sum(), 1):.0%} of the right ones are given, "
            f"{(~given & ~has_answer).sum() / max((~has_answer).sum(), 1):.0%} of those without one refused"
        )
    if arguments.plot is not None:
        from arcaneqa.lab.evaluation.report import draw_calibration

        draw_calibration(arguments.plot, sure.tolist(), right.tolist())
    fitted = fit(rows, ridge, threshold)
    replace(fitted, expected=tuple(expected), if_none=if_none).save(arguments.model)


if __name__ == "__main__":
    main()
