"""The pictures of the page in docs/images, made in a real Chromium: `make pictures`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

HOME = Path(__file__).parents[2]
IMAGES = HOME / "docs" / "images"
sys.path[:0] = [str(HOME)]

from arcaneqa.answer.arcaneqa import ArcaneQA  # noqa: E402
from arcaneqa.apps.http.app import create_app  # noqa: E402
from tests.apps.http.browsing import answered  # noqa: E402
from tests.apps.http.chromium import CHROMIUM, PATIENCE, QUIET  # noqa: E402
from tests.apps.http.service_world import serving  # noqa: E402


def ask(page: Page, url: str, question: str) -> None:
    page.goto(url)
    expect(page.locator("#examples button").first).to_be_visible()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    answered(page)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def desk(browser: Browser, url: str) -> None:
    with browser.new_context(viewport={"width": 1000, "height": 860}, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{url}/entity/demo:France")
        expect(page.locator("h1")).to_have_text("France")
        page.screenshot(path=IMAGES / "page-entity.png")
        ask(page, url, "how many countries are there for each continent?")
        page.screenshot(path=IMAGES / "page.png")
        ask(page, url, "what is the capital of Georgia?")
        page.locator(".mention").first.click()
        page.locator("#how summary").first.click()
        page.screenshot(path=IMAGES / "page-steps.png", full_page=True)


def phone(browser: Browser, url: str) -> None:
    small = {"width": 390, "height": 844}
    with browser.new_context(viewport=small, color_scheme="dark", reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        ask(page, url, "what is the capital of France?")
        page.screenshot(path=IMAGES / "page-phone.png")


def main() -> None:
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = create_app(ArcaneQA.load(), feedback_file=Path(folder) / "judgements.jsonl")
        with serving(app) as (url, _):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
            desk(browser, url)
            phone(browser, url)
            browser.close()


if __name__ == "__main__":
    main()
