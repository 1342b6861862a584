"""What can go wrong, as every route describes and answers it: a status and one sentence."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from arcaneqa.apps.http.contract import Problem
from arcaneqa.apps.http.gate import Busy
from arcaneqa.apps.http.safety import HEADERS
from arcaneqa.kb.endpoint.client import Unsupported
from arcaneqa.support.errors import ArcaneError, BudgetExceeded, EndpointError, NotFound

Responses = dict[int | str, dict[str, Any]]
UNAUTHORISED: Responses = {401: {"model": Problem, "description": "The bearer token is missing or wrong."}}
MISUNDERSTOOD: Responses = {422: {"model": Problem, "description": "The request is not of the right form."}}
CROWDED: Responses = {
    429: {"model": Problem, "description": "Too many such requests wait; see Retry-After."},
    503: {"model": Problem, "description": "The work would take more time or space than a request gets."},
}
UNSUPPORTED: Responses = {
    501: {"model": Problem, "description": "The endpoint behind this service cannot do this."}
}
UNKNOWN: Responses = {404: {"model": Problem, "description": "Nothing here is called so."}}
PROBLEMS: Responses = {
    **UNAUTHORISED,
    **MISUNDERSTOOD,
    **CROWDED,
    400: {"model": Problem, "description": "The request makes no sense for this knowledge base."},
    408: {"model": Problem, "description": "The body did not come in time."},
    413: {"model": Problem, "description": "The body is too long."},
}


def answer_problems(app: FastAPI) -> None:
    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        headers = {"Retry-After": str(error.retry_after)}
        return JSONResponse({"detail": str(error)}, 429, headers)

    @app.exception_handler(ArcaneError)
    async def refused(_: Request, error: ArcaneError) -> JSONResponse:
        return JSONResponse({"detail": _sayable(str(error))}, _status(error))

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": _sentence(error)}, 422)

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        # Answered outside of every middleware, so the headers are put on here; the server logs the error.
        headers = {name.decode(): value.decode() for name, value in HEADERS}
        return JSONResponse({"detail": "The service failed; its log says why."}, 500, headers)


def _sentence(error: RequestValidationError) -> str:
    """Where and what is wrong, without repeating what was sent."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return _sayable(f"{where}: {first['msg']}.")


def _sayable(sentence: str) -> str:
    return sentence.encode("utf-8", "replace").decode()


def _status(error: ArcaneError) -> int:
    """Whose fault it is: this service's limits, the endpoint behind it, or the request."""
    match error:
        case BudgetExceeded():
            return 503
        case Unsupported():
            return 501
        case EndpointError():
            return 502
        case NotFound():
            return 404
    return 400
