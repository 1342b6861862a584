"""For those who run the service: is it alive, how is it doing, and a change to a new index."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from arcaneqa.service.contract import ReloadResponse
from arcaneqa.service.current import Current
from arcaneqa.service.problems import UNAUTHORISED, UNSUPPORTED
from arcaneqa.service.prometheus import Metrics


def operations(current: Current, metrics: Metrics) -> APIRouter:
    router = APIRouter()

    @router.post("/v1/reload", responses=UNAUTHORISED | UNSUPPORTED)
    async def reload() -> ReloadResponse:
        """Answer from the index that is in the folder now; requests under way end with the old one."""
        return ReloadResponse(reloaded=await current.reload())

    @router.get("/healthz", response_class=PlainTextResponse)
    async def health() -> str:
        return "ok"

    @router.get("/readyz", response_class=PlainTextResponse)
    async def ready(response: Response) -> str:
        if current.answerer.engine.is_closing:
            response.status_code = 503
            return "closing"
        return "ready"

    @router.get("/metrics", response_class=PlainTextResponse)
    async def measured() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router
