"""The knowledge base: what is in it, and entities by their names."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from arcaneqa.service.contract import EntityHit, KnowledgeBaseResponse
from arcaneqa.service.gate import Kind
from arcaneqa.service.house import House
from arcaneqa.service.portrait import Portrait
from arcaneqa.service.problems import CROWDED, MISUNDERSTOOD, UNAUTHORISED, UNSUPPORTED


def knowledge(house: House) -> APIRouter:
    router = APIRouter(responses=UNAUTHORISED | CROWDED)

    @router.get("/v1/kb")
    async def knowledge_base() -> KnowledgeBaseResponse:
        """What this service knows about, with questions to try."""
        with house.gate.place(Kind.LOOK), house.visit() as desk:
            return await desk.look(Portrait.knowledge_base)

    @router.get("/v1/entities", responses=MISUNDERSTOOD | UNSUPPORTED)
    async def entities(
        q: Annotated[str, Query(min_length=1, max_length=200, description="The beginning of a name.")],
        limit: Annotated[int, Query(ge=1, le=50)] = 8,
    ) -> list[EntityHit]:
        """Entities by label, for completion."""
        with house.gate.place(Kind.LOOK), house.visit() as desk:
            return await desk.look(lambda portrait: portrait.entities(q, limit))

    return router
