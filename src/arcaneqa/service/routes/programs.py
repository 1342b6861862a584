"""Programs: what they find."""

from __future__ import annotations

from fastapi import APIRouter

from arcaneqa.service.contract import RunRequest, RunResponse
from arcaneqa.service.current import Current
from arcaneqa.service.gate import Kind
from arcaneqa.service.problems import PROBLEMS


def programs(current: Current) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/run")
    async def run(request: RunRequest) -> RunResponse:
        """Execute a program."""
        with current.gate.place(Kind.PROGRAM), current.visit() as answerer:
            return await answerer.run(request)

    return router
