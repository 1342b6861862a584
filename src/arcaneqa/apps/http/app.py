"""The HTTP API and the page, over one knowledge base and one model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from arcaneqa import __version__
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.current import Current
from arcaneqa.apps.http.feedback import Feedback
from arcaneqa.apps.http.problems import answer_problems
from arcaneqa.apps.http.prometheus import Measured, Metrics
from arcaneqa.apps.http.routes import PAGE, feedback, knowledge, operations, pages, programs, questions
from arcaneqa.apps.http.safety import Safety
from arcaneqa.support.memory import give_back_now_and_then


def create_app(
    qa: ArcaneQA,
    *,
    token: str | None = None,
    seconds: float = 30.0,
    together: int = 16,
    waiting: int = 64,
    hosts: Collection[str] = (),
    feedback_file: Path | None = None,
) -> FastAPI:
    """`hosts` are names, beside those of this machine, that requests may call the service by; judgements are
    kept in `feedback_file`, or not at all."""
    current = Current(qa, seconds, together, waiting)
    kept = None if feedback_file is None else Feedback(feedback_file)
    metrics = Metrics(current)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        beside = (give_back_now_and_then(), current.look_out(), current.warm_up())
        asides = [asyncio.create_task(one) for one in beside]
        yield
        for aside in asides:
            aside.cancel()
        await current.close()

    app = FastAPI(
        title="ArcaneQA",
        version=__version__,
        summary="Ask a knowledge base in English; every answer comes with the program that found it.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.current = current
    app.add_middleware(Safety, token=token, hosts=hosts)
    app.add_middleware(Measured, metrics=metrics)  # added last, so outermost: it sees refusals too
    answer_problems(app)
    routers = [
        questions(current),
        programs(current),
        knowledge(current, kept is not None),
        operations(current, metrics),
    ]
    for router in (*routers, *([] if kept is None else [feedback(current, kept)]), pages()):
        app.include_router(router)

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    return app
