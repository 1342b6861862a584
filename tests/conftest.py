"""For all rooms: examples are not timed, because a busy machine is not a failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
