"""The knowledge base: what is in it, and entities by their names."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from arcaneqa.answered import MOST_CHARACTERS
from arcaneqa.service.contract import EntityHit, EntityResponse, KnowledgeBaseResponse
from arcaneqa.service.current import Current
from arcaneqa.service.gate import Kind
from arcaneqa.service.portrait import Portrait
from arcaneqa.service.problems import CROWDED, MISUNDERSTOOD, UNAUTHORISED, UNKNOWN, UNSUPPORTED


def knowledge(current: Current, keeps_feedback: bool) -> APIRouter:
    router = APIRouter(responses=UNAUTHORISED | CROWDED)

    @router.get("/v1/kb")
    async def knowledge_base() -> KnowledgeBaseResponse:
        """What this service knows about, with questions to try."""
        with current.gate.place(Kind.LOOK), current.visit() as answerer:
            known = await answerer.look(Portrait.knowledge_base)
            return known.model_copy(update={"keeps_feedback": keeps_feedback})

    @router.get("/v1/entities", responses=MISUNDERSTOOD | UNSUPPORTED)
    async def entities(
        q: Annotated[str, Query(min_length=1, max_length=200, description="The beginning of a name.")],
        limit: Annotated[int, Query(ge=1, le=50)] = 8,
    ) -> list[EntityHit]:
        """Entities by label, for completion."""
        with current.gate.place(Kind.LOOK), current.visit() as answerer:
            return await answerer.look(lambda portrait: portrait.entities(q, limit))

    @router.get("/v1/entity", responses=MISUNDERSTOOD | UNSUPPORTED | UNKNOWN)
    async def entity(
        id: Annotated[
            str,
            Query(min_length=1, max_length=MOST_CHARACTERS, description="Short name, IRI or name."),
        ],
        page: Annotated[int, Query(ge=0, le=100_000, description="0 for the first.")] = 0,
        relation: Annotated[
            str | None,
            Query(max_length=MOST_CHARACTERS, description="Only this relation, as `facts` names it."),
        ] = None,
        inverse: Annotated[bool, Query(description="Of that relation, what leads to the entity.")] = False,
    ) -> EntityResponse:
        """What is known of an entity: its classes and its facts by relation, in both directions."""
        with current.gate.place(Kind.LOOK), current.visit() as answerer:
            return await answerer.look(lambda portrait: portrait.entity(id, page, relation, inverse))

    return router
