"""On your own machine: `ask` looks nothing up, connects to nobody, writes only to its own cache folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hostile.limited import ARCANEQA, environment

_WRITES = re.compile(r"\b(O_WRONLY|O_RDWR|O_CREAT)\b")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALLS = "connect,sendto,sendmsg,socket,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,symlink"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="`make test-hostile` installs strace")
def test_ask_is_quiet(tmp_path: Path) -> None:
    """All that is done with the network or a name, as the system sees it, for the first question in a new
    home, which also compiles for the processor and indexes the demonstration. (What Python keeps of the
    program itself lies beside the program, unless it is told not to.)"""
    home, log = tmp_path / "home", tmp_path / "calls"
    home.mkdir()
    variables = environment(home)
    variables |= {"XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    variables["XDG_DATA_HOME"] = str(home / "data")
    variables["TMPDIR"] = str(tmp_path)
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [*ARCANEQA, "ask", "what is the capital of France?"]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={_CALLS}", "-o", str(log), *command],
        capture_output=True,
        text=True,
        env=variables,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout
    calls = log.read_text(errors="replace").splitlines()
    assert len(calls) > 100, "nothing was seen"
    assert not [call for call in calls if "AF_INET" in call], "it connects, or is about to"
    assert not [call for call in calls if "resolv.conf" in call], "it looks something up"
    allowed = (str(home / "cache" / "arcaneqa"), "/dev/", "/proc/self/")
    written = sorted({path for call in calls for path in _written(call) if not path.startswith(allowed)})
    assert not [path for path in written if not _is_a_folder_above(path, home)], "it writes elsewhere"
    assert sorted(path.name for path in home.iterdir()) == ["cache"]
    assert [path.name for path in (home / "cache").iterdir()] == ["arcaneqa"]


def _written(call: str) -> list[str]:
    """Paths that a call makes or opens for writing, if it succeeded."""
    if re.search(r"= -1 E", call):
        return []
    if re.search(r"\bopen(at)?\(", call) and not _WRITES.search(call):
        return []
    if re.search(r"\b(socket|connect|sendto|sendmsg)\(", call):
        return []
    return [path for path in _PATH.findall(call) if path.startswith("/")]


def _is_a_folder_above(path: str, home: Path) -> bool:
    return Path(path) in (home, home / "cache")


@pytest.mark.slow
def test_ask_needs_no_network() -> None:
    """The same with no network at all, where the system allows to take it away."""
    apart = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("this system does not let us make a namespace without a network")
    done = subprocess.run(
        [*apart, *ARCANEQA, "ask", "what is the capital of France?"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout
