"""`arcaneqa serve` in a process of its own, as people start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.lab.bench.serve import server
from arcaneqa.support.errors import ArcaneError

SOURCE = Path(__file__).parents[2] / "strangers" / "brewery.ttl"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([SOURCE], folder)
    return folder


def test_it_answers_who_has_the_token(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame\n")
    with server(["--kb", str(kb), "--token-file", str(tmp_path / "token")]) as (url, _):
        asked = {"question": "Who owns the Seeblick Brewery?"}
        assert httpx.post(f"{url}/v1/ask", json=asked, timeout=60).status_code == 401
        allowed = {"Authorization": "Bearer open sesame"}
        body = httpx.post(f"{url}/v1/ask", json=asked, headers=allowed, timeout=60).raise_for_status().json()
    assert [item["label"] for item in body["answers"]] == ["Lukas Huber"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--kb", "nowhere"], "nowhere"),
        (["--token-file", "/nowhere/token"], "cannot be read"),
        (["--model", "nowhere"], "not a model"),
    ],
)
def test_what_it_cannot_serve_is_a_sentence(options: list[str], sentence: str) -> None:
    with pytest.raises(ArcaneError, match=sentence) as refused, server(options):
        pass
    assert "Traceback" not in str(refused.value)


def test_the_page_is_opened_where_it_is_served(tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    code = (
        "import sys, time; from pathlib import Path; from arcaneqa.apps.http.server import *\n"
        "with listen(sys.argv[1], 0) as listening:\n"
        "    show_when_ready(listening); print(listening.getsockname()[1])\n"
        "    while not Path(sys.argv[2]).exists(): time.sleep(0.01)\n"
    )
    for host, called in (("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "localhost")):
        seen.unlink(missing_ok=True)
        paths = os.pathsep.join(place for place in sys.path if place)
        done = subprocess.run(
            [sys.executable, "-c", code, host, str(seen)],
            env={**os.environ, "BROWSER": f"{browser} %s", "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert seen.read_text() == f"http://{called}:{done.stdout.strip()}"
