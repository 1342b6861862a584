"""A PostgreSQL server of our own, on a socket in a folder, for as long as a test needs it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
IS_THERE = bool(_PROGRAMS) or shutil.which("pg_ctl") is not None
_USER = "postgres"
"""Who runs it where we are root, as whom it does not start."""


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Its address, with a password that is wanted."""
    data, password = folder / "data", folder / "password"
    password.write_text("open sesame\n")
    folder.chmod(0o777)
    if os.getuid() == 0:
        os.chown(password, pwd.getpwnam(_USER).pw_uid, -1)
    _run("initdb", "-D", data, "-U", "reader", "--auth=scram-sha-256", f"--pwfile={password}", "-E", "UTF8")
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    _run("pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start")
    try:
        yield f"postgresql://reader:open%20sesame@/postgres?host={folder}"
    finally:
        _run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _run(program: str, *arguments: object) -> None:
    path = _PROGRAMS[-1] / program if _PROGRAMS else program
    user = {"user": _USER} if os.getuid() == 0 else {}
    command = [str(path), *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **user)  # type: ignore[call-overload]
