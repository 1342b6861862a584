"""Judgements of answers, where the service was started with a file to keep them in."""

from __future__ import annotations

from fastapi import APIRouter

from arcaneqa.service.contract import FeedbackRequest, FeedbackResponse
from arcaneqa.service.current import Current
from arcaneqa.service.feedback import Feedback
from arcaneqa.service.gate import Kind
from arcaneqa.service.problems import PROBLEMS


def feedback(current: Current, kept: Feedback) -> APIRouter:
    router = APIRouter(responses=PROBLEMS)

    @router.post("/v1/feedback")
    async def judge(request: FeedbackRequest) -> FeedbackResponse:
        """Say whether a reading was right, and which would have been."""
        with current.gate.place(Kind.LOOK), current.visit() as answerer:
            return FeedbackResponse(kept=await answerer.look(lambda _: kept.keep(answerer.qa, request)))

    return router
