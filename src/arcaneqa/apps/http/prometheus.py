"""Counters for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from arcaneqa.answer.answer import Answer
from arcaneqa.apps.http.current import Current
from arcaneqa.apps.http.safety import App, Message, Receive, Scope, Send
from arcaneqa.induction.scorer import Reads


class Metrics:
    """A registry of its own, so that several services can live in one process."""

    def __init__(self, current: Current) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "arcaneqa_requests", "Requests by route and status.", ["route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "arcaneqa_request_seconds", "Seconds to the response.", ["route"], registry=self.registry
        )
        self._outcomes = Counter(
            "arcaneqa_questions",
            "Questions by what came of them: answer, ask (it asks back) or refuse.",
            ["outcome"],
            registry=self.registry,
        )
        self._confidence = Histogram(
            "arcaneqa_confidence",
            "Confidence of the best reading.",
            ["outcome"],
            buckets=[tenth / 10 for tenth in range(1, 11)],
            registry=self.registry,
        )
        current.told = self.hear
        running = Gauge("arcaneqa_questions_running", "Questions being searched.", registry=self.registry)
        running.set_function(lambda: current.answerer.engine.load[0])
        waiting = Gauge("arcaneqa_questions_waiting", "Questions in the queue.", registry=self.registry)
        waiting.set_function(lambda: current.answerer.engine.load[1])
        for name, said in (
            ("calls", "Calls of the encoder."),
            ("pieces", "Word pieces that the encoder read."),
            ("seconds", "Seconds that the encoder read, for all threads together."),
        ):
            read = Gauge(f"arcaneqa_encoder_{name}", said, registry=self.registry)
            read.set_function(partial(_figure, lambda: current.answerer.qa.scorer.reads, name))
        outdated = Gauge(
            "arcaneqa_index_outdated", "1 where the index was replaced since.", registry=self.registry
        )
        outdated.set_function(lambda: float(current.is_outdated))

    def hear(self, answer: Answer) -> None:
        outcome = answer.outcome.value
        self._outcomes.labels(outcome).inc()
        if answer.confidence is not None:
            self._confidence.labels(outcome).observe(answer.confidence)

    def observe(self, route: str, status: int, seconds: float) -> None:
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


def _figure(reads: Callable[[], Reads], name: str) -> float:
    return float(getattr(reads(), name))


class MeasuredApp:
    """Counts requests and their seconds, streams to their end."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.observe(route, status, time.perf_counter() - started)
