"""Whether compiled loops are used, or their twins in numpy.

To compile them takes a machine many seconds, once; to load them takes a process LOADING seconds. So a process
uses the twins until what it spent on them would have loaded the loops, and where nothing is compiled yet
other processes compile beside it. `support.compiled`, and whatever imports it, is loaded only afterwards.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from arcaneqa.support.files import cache_folder, is_only_ours
from arcaneqa.support.processor import identity

LOADING = 0.25
"""Seconds that a process takes to load the loops of one question."""
PARTS = ("encoder", "others")
"""What is compiled by a process of its own: the encoder takes longer than all else."""
_COMPILER = "arcaneqa.apps.compiling"
FOLDER = "compiled"
_LOOKING = 0.2
"""Seconds between two looks at whether the loops are compiled."""
NICE = 10
"""Whoever asks meanwhile has the processors first."""
_LONGEST = 300.0
"""Seconds after which compiling beside has failed: then loops are compiled where they are needed."""
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX", "NUMBA_OPT", "NUMBA_DISABLE_JIT")


class _Account:
    """What this process spent on twins so far, and what it knows of the loops."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.compiling = 0.0
        self.begin()

    def begin(self) -> None:
        self.spent = 0.0
        self.is_loaded = False
        self.looked = float("-inf")
        self.children: list[subprocess.Popen[bytes]] = []
        self.until = float("inf")


_account = _Account()


def are_worth(seconds: float) -> bool:
    """Whether to use compiled loops for what takes so long without them; from then on always."""
    if _account.is_loaded:
        return True
    with _account.lock:
        _account.spent += seconds
        now = time.monotonic()
        if now - _account.looked >= _LOOKING:
            _account.looked = now
            if not _are_compiled():
                _compile_beside(now)
        _account.is_loaded = _account.spent >= LOADING and (_are_compiled() or now >= _account.until)
    return _account.is_loaded


def are_used() -> bool:
    """Whether this process uses the loops already."""
    return _account.is_loaded


def use_always(is_wanted: bool = True) -> None:
    """Use the loops from now on, wherever they have to be compiled; or begin anew."""
    with _account.lock:
        _account.begin()
        _account.is_loaded = is_wanted


def wait(seconds: float = _LONGEST) -> None:
    """Until the loops are compiled, and use them from then on."""
    until = time.monotonic() + seconds
    while not are_worth(LOADING) and time.monotonic() < until:
        time.sleep(_LOOKING)


def are_being_compiled() -> bool:
    """Whether answers take longer because the loops are not compiled yet."""
    return not _account.is_loaded and not _are_compiled()


def working_time() -> float:
    """Seconds on a clock that stands still for what this process compiled: on a new machine that takes longer
    than a question may."""
    return time.monotonic() - _account.compiling


def compiled_for(seconds: float) -> None:
    """Told by `support.compiled`."""
    _account.compiling += seconds


@cache
def folder() -> Path | None:
    """Where what was compiled is kept, never beside the package, which may belong to somebody else: where
    NUMBA_CACHE_DIR says so, or in the user's cache. None where neither can be written, or others may write
    there: what is loaded runs."""
    try:
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        found = Path(chosen) if chosen else cache_folder(FOLDER)
        found.mkdir(parents=True, exist_ok=True)
        trial = found / ".writable"
        trial.touch()
        trial.unlink(missing_ok=True)
        return found if is_only_ours(found) else None
    except OSError:
        return None


def is_done(part: str) -> Path | None:
    """The file that says so of a part; None where nothing can be kept."""
    where = folder()
    return None if where is None else where / f"{part}-{_key()}.done"


def _are_compiled() -> bool:
    marks = [is_done(part) for part in PARTS]
    return all(mark is not None and mark.exists() for mark in marks)


def _compile_beside(now: float) -> None:
    """Each part in a process of its own, which goes on when this one ends."""
    if _account.children:
        if all(child.poll() is not None for child in _account.children):
            _account.until = now  # they ended and it is not done
        return
    if folder() is None or not sys.executable:
        _account.until = now
        return
    _account.until = now + _LONGEST
    from arcaneqa.support.terminal import note

    for part in PARTS:
        mark = is_done(part)
        if mark is None or mark.exists():
            continue
        command = [sys.executable, "-m", _COMPILER, part]
        with suppress(OSError):
            _account.children.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )
    if sys.stderr.isatty():  # somebody waits; a script may never
        note("Compiling for this processor, once; until then answers take a little longer.")


@cache
def _key() -> str:
    """Of what must not change for compiled loops to be of use: sources, interpreter, compiler, processor."""
    own = Path(__file__).parent.parent
    sources = [*sorted((own / "int8").glob("*.py")), *sorted((own / "kb" / "index").glob("*.py"))]
    if (compiler := find_spec("numba")) is not None and compiler.origin is not None:
        sources.append(Path(compiler.origin).with_name("_version.py"))
    found = [f"{path} {(told := path.stat()).st_mtime_ns} {told.st_size}" for path in sources]
    found += [sys.version, identity()]
    found += [os.environ.get(name, "") for name in _SETTINGS]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]
