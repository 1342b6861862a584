"""Any SPARQL 1.1 endpoint as a knowledge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcaneqa.kb.endpoint.endpoint import Endpoint
    from arcaneqa.kb.endpoint.opening import EndpointSettings
    from arcaneqa.kb.profile import Profile


def open_endpoint(
    url: str, profile: Profile | None = None, settings: EndpointSettings | None = None
) -> Endpoint:
    """Open an endpoint, e.g. `http://localhost:8890/sparql?default-graph-uri=http://example.org/facts`.

    The profile is found from the facts unless given; `settings` come from the environment unless given.
    """
    # Here and not above: whoever only writes SPARQL text from this package needs no HTTP.
    from arcaneqa.kb.endpoint.opening import opened

    return opened(url, profile, settings)


__all__ = ["open_endpoint"]
