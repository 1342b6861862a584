"""For all rooms: examples are not timed, because a busy machine is not a failure."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from arcaneqa.support import loops

# What is fast is tested, not what stands in for it while a machine compiles.
loops.use_always()

settings.register_profile("house", deadline=None)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def few_open_files() -> Iterator[None]:
    """An index's maps go when it is collected, which a process that holds a model does seldom, and never once
    `ask` has set aside what there is for the short time that it runs."""
    yield
    gc.unfreeze()
    if len(list(Path("/proc/self/fd").iterdir())) > 500:
        gc.collect()
