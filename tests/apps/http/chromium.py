"""A real Chromium, and pages that it opens: nothing leaves the origin, and the console stays empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from tests.apps.http.service_world import answering, serving, small_world

CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 60_000
"""Milliseconds; a machine that does other work as well is slow, not wrong."""
QUIET += ["--disable-sync", "--no-first-run"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        opened = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    with serving(create_app(ArcaneQA.load())) as (url, _):
        yield url


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Small, its answers anyhow, with labels that would like to be markup."""
    qa, _ = answering(small_world(tmp_path_factory.mktemp("world")))
    with serving(create_app(qa)) as (url, _):
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1000, "height": 900}, reduced_motion="reduce") as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened = context.new_page()
        opened.set_default_timeout(PATIENCE)
        complaints: list[str] = []
        asked: list[str] = []

        def dismissed(dialog: Dialog) -> None:
            complaints.append(dialog.message)
            dialog.dismiss()

        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("dialog", dismissed)
        opened.on("request", lambda request: asked.append(request.url))
        yield opened
        assert complaints == []
        origins = {address.removeprefix("blob:").split("/")[2] for address in asked}
        assert origins == {opened.url.split("/")[2]}
