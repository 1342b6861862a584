"""Programs: what they find."""

from __future__ import annotations

from fastapi import APIRouter

from arcaneqa.service.contract import RunRequest, RunResponse
from arcaneqa.service.gate import Kind
from arcaneqa.service.house import House
from arcaneqa.service.problems import PROBLEMS


def programs(house: House) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/run")
    async def run(request: RunRequest) -> RunResponse:
        """Execute a program."""
        with house.gate.place(Kind.PROGRAM), house.visit() as desk:
            return await desk.run(request)

    return router
