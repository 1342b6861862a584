"""The pages people see: questions, an entity, the API. Each is a file; what it shows comes from the API."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

PAGE = Path(__file__).parents[1] / "page"


def pages() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def questions() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @router.api_route("/entity/{name:path}", methods=["GET", "HEAD"])
    async def entity(name: str) -> FileResponse:  # noqa: ARG001 - the page reads its own address
        return FileResponse(PAGE / "entity.html")

    @router.api_route("/docs", methods=["GET", "HEAD"])
    async def api() -> FileResponse:
        return FileResponse(PAGE / "api.html")

    return router
