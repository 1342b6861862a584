"""Programs: what they find."""

from __future__ import annotations

from fastapi import APIRouter, Response

from arcaneqa.service.contract import RunRequest, RunResponse
from arcaneqa.service.current import Current
from arcaneqa.service.gate import Kind
from arcaneqa.service.problems import PROBLEMS

MEDIA = {"csv": "text/csv", "tsv": "text/tab-separated-values", "md": "text/markdown"}


def programs(current: Current) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/run", response_model=RunResponse)
    async def run(request: RunRequest) -> Response | RunResponse:
        """Execute a program."""
        with current.gate.place(Kind.PROGRAM), current.visit() as answerer:
            if request.format == "json":
                return await answerer.run(request)
            headers = {"Content-Disposition": f'attachment; filename="answers.{request.format}"'}
            return Response(await answerer.file(request), media_type=MEDIA[request.format], headers=headers)

    return router
