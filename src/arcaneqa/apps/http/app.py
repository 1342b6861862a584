"""The HTTP API and the page, over one knowledge base and one model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles

from arcaneqa import __version__
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.current import Current
from arcaneqa.apps.http.feedback import Feedback
from arcaneqa.apps.http.gate import Limits
from arcaneqa.apps.http.problems import answer_problems
from arcaneqa.apps.http.prometheus import MeasuredApp, Metrics
from arcaneqa.apps.http.routes import PAGE, feedback, knowledge, operations, pages, programs, questions
from arcaneqa.apps.http.safety import Safety
from arcaneqa.support.memory import give_back_now_and_then


def create_app(
    qa: ArcaneQA,
    *,
    token: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - it is frozen
    hosts: Collection[str] = (),
    feedback_file: Path | None = None,
    source: Path | None = None,
) -> FastAPI:
    """`hosts` are names, beside those of this machine, that requests may call the service by; judgements are
    kept in `feedback_file`, or not at all; the index is made anew when the file `source` changes."""
    current = Current(qa, limits, source)
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
        generate_unique_id_function=lambda route: route.name,
        lifespan=lifespan,
    )
    app.state.current = current
    app.add_middleware(Safety, token=token, hosts=hosts)
    app.add_middleware(MeasuredApp, metrics=metrics)  # added last, so outermost: it sees refusals too
    answer_problems(app)
    routers = [
        questions(current),
        programs(current),
        knowledge(current, kept is not None),
        operations(current, metrics),
    ]
    if kept is not None:
        routers.append(feedback(current, kept))
    bearer = HTTPBearer(auto_error=False, description="The token that the service was started with.")
    for router in routers:
        app.include_router(router, dependencies=[] if token is None else [Depends(bearer)])
    app.include_router(pages())

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    return app
