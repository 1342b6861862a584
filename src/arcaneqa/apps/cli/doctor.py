"""`arcaneqa doctor`: does everything work here?"""

from __future__ import annotations

import typer

_EXTRAS = {
    "serve": ("fastapi", "uvicorn", "prometheus_client"),
    "tables": ("duckdb",),
    "mcp": ("mcp",),
    "evaluate": ("matplotlib", "networkx"),
    "train": ("torch", "transformers"),
}
_QUESTION, _ANSWER = "what is the capital of France?", "Paris"


def command() -> None:
    """Say what is installed and where things are kept, and ask a test question; exit code 1 if that fails.

    Example: arcaneqa doctor
    """
    import os
    import platform
    import time
    from importlib.util import find_spec

    from arcaneqa import __version__
    from arcaneqa.model.stored import bundled_model
    from arcaneqa.support import loops
    from arcaneqa.support.errors import ArcaneError
    from arcaneqa.support.files import cache_place
    from arcaneqa.support.terminal import say

    say(f"arcaneqa  {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for extra, packages in _EXTRAS.items():
        missing = [package for package in packages if find_spec(package) is None]
        state = f"not installed: pip install 'arcaneqa[{extra}]'" if missing else "installed"
        say(f"{extra:<9} {state}")
    try:
        cache = cache_place()
        home = next(place for place in (cache, *cache.parents) if place.exists())
        hint = "" if os.access(home, os.W_OK) else " (cannot be written; set XDG_CACHE_HOME)"
        say(f"cache     {cache}{hint}")
    except OSError as error:
        say(f"cache     {error.strerror}; set XDG_CACHE_HOME")
    say(f"model     {bundled_model()}")
    started = time.perf_counter()
    try:
        from arcaneqa.answer.arcaneqa import ArcaneQA

        answer = ArcaneQA.load().ask(_QUESTION)
    except ArcaneError as error:
        say(f"question  failed: {error}")
        raise typer.Exit(1) from None
    found = ", ".join(item.label or "" for item in answer.items) or answer.reason
    say(f"question  {_QUESTION} {found} ({time.perf_counter() - started:.1f} s from opening to answer)")
    loops.wait()
    say(f"loops     compiled in {loops.folder() or 'each process anew: nothing can be kept'}")
    raise typer.Exit(0 if found == _ANSWER else 1)
