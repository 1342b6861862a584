"""The ways an endpoint can fail; each is an `EndpointError` with a sentence for the user."""

from __future__ import annotations

from arcaneqa.errors import EndpointError


class Unreachable(EndpointError):
    """No connection: refused, unknown host, a certificate that does not fit."""


class TimedOut(EndpointError):
    """The deadline passed before the whole answer was there."""


class Rejected(EndpointError):
    """The server answered, but with an error status or with redirects that lead nowhere."""


class Garbled(EndpointError):
    """The body is not a whole SPARQL result."""


class Oversized(EndpointError):
    """The answer is larger than the limit, or the server cut it short."""


class Unsupported(EndpointError):
    """The server does not do this, or not within a time worth waiting."""
