"""What tests do on a page: ask, follow a link to a settled reading, wait."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

QUESTION = "what is the capital of France?"
AMBIGUOUS = "what is the capital of Georgia?"


def ask(page: Page, url: str, question: str) -> None:
    page.goto(url)
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    answered(page)


def run(page: Page, url: str, program: str, question: str = QUESTION) -> None:
    """A link to a question with its reading settled: what is shown does not depend on the model."""
    page.goto(f"{url}/?{urlencode({'q': question, 'p': program})}")
    answered(page)


def answered(page: Page) -> None:
    expect(page.locator("#answer[aria-busy=false]")).to_be_visible()


def text_of(path: Path | str) -> str:
    return Path(path).read_text(encoding="utf-8")
