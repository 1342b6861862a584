"""`locked.txt`: the base install with the checksum of every file an index has of each package.

`python -m recipes.lock`: what the package needs, in the versions of `constraints.txt`; checksums are those
that the package index itself lists. `pip install --require-hashes -r locked.txt` then takes nothing else.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx

from arcaneqa.support.errors import InputError
from arcaneqa.support.files import replacing

ROOT = Path(__file__).parents[1]
INDEX = "https://pypi.org/simple"
HEAD = "# Made by `python -m recipes.lock`; install with `pip install --require-hashes -r locked.txt`.\n"
_FILE = re.compile(r'href="[^"#]*/([^"/#]+)#sha256=([0-9a-f]{64})"')


def needed() -> list[tuple[str, str]]:
    """Name and version of all that the base needs, as pip would install it into an empty environment."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--dry-run",
        "--ignore-installed",
        "--report",
        "-",
    ]
    done = subprocess.run(
        [*command, "--ignore-installed", "-c", str(ROOT / "constraints.txt"), str(ROOT)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [item["metadata"] for item in json.loads(done.stdout)["install"]]
    return sorted((data["name"].lower(), data["version"]) for data in found if data["name"] != "arcaneqa")


def checksums(client: httpx.Client, name: str, version: str) -> list[str]:
    """Of every wheel and source archive of one version."""
    page = client.get(f"{INDEX}/{re.sub(r'[-_.]+', '-', name)}/", headers={"accept": "text/html"})
    page.raise_for_status()
    stem = "[-_.]+".join(map(re.escape, re.split(r"[-_.]+", name)))
    own = re.compile(rf"{stem}-{re.escape(version)}(-.*\.whl|\.tar\.gz|\.zip)", re.IGNORECASE)
    found = sorted({digest for file, digest in _FILE.findall(page.text) if own.fullmatch(file)})
    if not found:
        raise InputError(f"The index lists no file of {name} {version}.")
    return found


def main() -> None:
    with httpx.Client(timeout=60, follow_redirects=True) as client, replacing(ROOT / "locked.txt") as file:
        file.write(HEAD)
        for name, version in needed():
            listed = [f"--hash=sha256:{digest}" for digest in checksums(client, name, version)]
            hashes = " \\\n    ".join(listed)
            file.write(f"{name}=={version} \\\n    {hashes}\n")


if __name__ == "__main__":
    main()
