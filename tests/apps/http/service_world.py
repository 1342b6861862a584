"""A small world with a hostile label, a scorer that never varies, and a real server on a free port."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import uvicorn
from fastapi import FastAPI

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.connections import PatientProtocol
from arcaneqa.induction.scorer import Decision, Scorer, Scores
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.verdict.fitted import Fitted

HOSTILE = '<img src=x onerror="alert(1)"><b>Bold</b> town'
_FACTS = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Country a rdfs:Class ; rdfs:label "country" .
ex:City a rdfs:Class ; rdfs:label "city" .
ex:capital rdfs:label "capital" .
ex:population rdfs:label "population" .
ex:country rdfs:label "country" .
"""
_NAMES = ("France", "Norway", "Peru", "Kenya", "Japan", "Chile")


def facts() -> str:
    lines = [_FACTS]
    for number, name in enumerate(_NAMES):
        lines.append(
            f'ex:{name} a ex:Country ; rdfs:label "{name}" ; ex:capital ex:c{number} ; '
            f"ex:population {1000 + number} ."
        )
        lines.append(
            f'ex:c{number} a ex:City ; rdfs:label "{name} City" ; ex:country ex:{name} ; '
            f"ex:population {100 + number} ."
        )
    label = HOSTILE.replace('"', '\\"')
    lines.append(f'ex:bad a ex:City ; rdfs:label "{label}" ; ex:country ex:France ; ex:population 7 .')
    return "\n".join(lines)


class SteadyScorer:
    """The same decision always gets the same scores; `seconds` is how long a call takes."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.sizes: list[int] = []

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        time.sleep(self.seconds)
        self.sizes.append(len(decisions))
        return [self._score(decision) for decision in decisions]

    def _score(self, decision: Decision) -> Scores:
        texts = [f"{decision.question}|{decision.context}|{c.kind}|{c.text}" for c in decision.candidates]
        logits = np.array([zlib.crc32(text.encode()) % 1000 / 200 for text in texts])
        logits -= np.log(np.exp(logits).sum())
        return Scores(logits.astype(np.float32), state=object())


class Contrary:
    """Likes best what another scorer likes least."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [self._turned(scores) for scores in self._scorer.score(decisions)]

    def _turned(self, scores: Scores) -> Scores:
        logits = -scores.log_probs
        return Scores((logits - np.logaddexp.reduce(logits)).astype(np.float32), scores.state)


def small_world(folder: Path) -> Path:
    (folder / "facts.ttl").write_text(facts(), encoding="utf-8")
    build_index([folder / "facts.ttl"], folder / "kb")
    return folder / "kb"


def answering(kb: Path | KnowledgeBase, seconds: float = 0.0) -> tuple[ArcaneQA, SteadyScorer]:
    scorer = SteadyScorer(seconds)
    opened = kb if isinstance(kb, KnowledgeBase) else Index(kb)
    return ArcaneQA(opened, scorer, Fitted(answer=0.0)), scorer


@contextmanager
def serving(app: FastAPI) -> Iterator[tuple[str, uvicorn.Server]]:
    """A real server in a thread; leaving stops it gracefully."""
    config = uvicorn.Config(
        app, port=0, http=PatientProtocol, log_level="error", access_log=False, timeout_graceful_shutdown=10
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", server
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the server did not stop"
