"""The page in a real Chromium: asked, watched, steered, attacked, and photographed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from arcaneqa.answer import ArcaneQA
from arcaneqa.service.app import create_app
from tests.service.service_world import HOSTILE, answering, serving, small_world

pytestmark = pytest.mark.browser
CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]
IMAGES = Path(__file__).parents[2] / "docs" / "images"
QUESTION = "what is the capital of France?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    with serving(create_app(ArcaneQA.load())) as (url, _):
        yield url


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    qa, _ = answering(small_world(tmp_path_factory.mktemp("world")))
    with serving(create_app(qa)) as (url, _):
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Whatever a test does: nothing leaves the origin, and the console stays empty."""
    with browser.new_context(viewport={"width": 1000, "height": 900}, reduced_motion="reduce") as context:
        opened = context.new_page()
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
        assert {address.split("/")[2] for address in asked} == {opened.url.split("/")[2]}


def _ask(page: Page, url: str, question: str) -> None:
    page.goto(url)
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).not_to_be_empty(timeout=30_000)


def test_ask_and_watch(page: Page, demo: str) -> None:
    _ask(page, demo, QUESTION)
    expect(page.locator("#items")).to_contain_text("Paris")
    expect(page.locator("#sure")).to_contain_text("sure")
    expect(page.locator("#marked .mention").first).to_have_text("France")
    assert page.locator("#steps > li").count() >= 3
    expect(page.locator("#graph svg")).to_be_visible()
    page.locator(".heat summary").first.click()
    shades = page.locator(".heat i").evaluate_all("cells => new Set(cells.map(c => c.style.opacity)).size")
    assert shades > 2
    page.get_by_role("tab", name="SPARQL").click()
    expect(page.locator("#panel")).to_contain_text("SELECT DISTINCT")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel")).to_contain_text('"question"')


def test_steps_appear_before_the_answer(page: Page, demo: str) -> None:
    page.goto(demo)
    page.evaluate(
        """() => { window.seen = [];
        const note = (id) => new MutationObserver(() => window.seen.push(id))
            .observe(document.getElementById(id), { childList: true });
        note("steps"); note("items"); }"""
    )
    page.get_by_label("Your question").fill("how many lakes are in Finland?")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#panel")).not_to_be_empty(timeout=30_000)
    seen = page.evaluate("window.seen")
    assert seen.count("steps") > 2
    assert "steps" in seen[: seen.index("items")]


def test_another_reading_and_its_permalink(page: Page, demo: str) -> None:
    _ask(page, demo, QUESTION)
    before = page.locator("#panel").inner_text()
    relation = page.locator("#steps > li", has_text="Along which relation").first
    other = relation.locator(".candidate[aria-pressed=false]").first
    name = other.locator(".name").inner_text()
    other.click()
    expect(page.locator("#panel")).not_to_have_text(before, timeout=30_000)
    expect(relation.locator(".candidate[aria-pressed=true] .name")).to_have_text(name)
    expect(page.locator("#held")).to_be_visible()
    link, program = page.url, page.locator("#panel").inner_text()
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#panel")).to_have_text(program, timeout=30_000)
    page.locator("#free").click()
    expect(page.locator("#panel")).to_have_text(before, timeout=30_000)


def test_another_entity_and_its_permalink(page: Page, demo: str) -> None:
    _ask(page, demo, "what is the capital of Georgia?")
    before = page.locator("#panel").inner_text()
    other = "demo:Georgia" if "demo:Georgia_state" in before else "demo:Georgia_state"
    page.locator(".mention", has_text="Georgia").click()
    expect(page.locator("#alternatives")).to_contain_text("South Georgia")
    page.screenshot(path=IMAGES / "page-entity.png")
    page.locator(f"#alternatives button[title='{other}']").click()
    expect(page.locator("#panel")).to_contain_text(f"{other})", timeout=30_000)
    expect(page.locator("#held")).to_be_visible()
    link, program = page.url, page.locator("#panel").inner_text()
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#panel")).to_have_text(program, timeout=30_000)
    page.locator(".mention", has_text="Georgia").click()
    expect(page.locator("#alternatives [aria-pressed=true]")).to_have_count(1)
    page.locator("#alternatives button", has_text="nothing").click()
    expect(page.locator(".mention.dropped")).to_be_visible(timeout=30_000)
    page.locator("#free").click()
    expect(page.locator("#panel")).to_have_text(before, timeout=30_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_axe_finds_nothing_wrong(page: Page, demo: str, scheme: str, width: int) -> None:
    """Labels, roles, contrast, order of headings: on the empty page, and with everything opened."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(demo)
    expect(page.locator("#examples button").first).to_be_visible(timeout=30_000)
    audit = Axe()
    assert _violations(audit, page) == []
    _ask(page, demo, "which countries border Georgia?")
    page.locator(".mention").first.click()
    for summary in page.locator("summary").all():
        summary.click()
    assert _violations(audit, page) == []
    page.get_by_label("Your question").fill("why is the sky blue?")
    page.keyboard.press("Enter")
    expect(page.locator("#items .none")).not_to_be_empty(timeout=30_000)
    assert _violations(audit, page) == []


def _violations(audit: Axe, page: Page) -> list[str]:
    found = audit.run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def test_the_keyboard_reaches_everything_in_order(page: Page, demo: str) -> None:
    _ask(page, demo, QUESTION)
    expect(page.locator("#examples button").first).to_be_visible(timeout=30_000)
    page.get_by_label("Your question").focus()
    reached: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "(() => { const e = document.activeElement; return e.closest('#ask, #answer, #marked, #steps, "
            "#graph, [role=tablist], #panel')?.id || e.closest('[role=tablist]') && 'tabs' || '' })()"
        )
        if place and (not reached or reached[-1] != place):
            reached.append(place)
        if place == "panel":
            break
    assert reached == ["ask", "answer", "marked", "steps", "graph", "tabs", "panel"]


def test_completion_by_keyboard(page: Page, demo: str) -> None:
    page.goto(demo)
    page.get_by_label("Your question").press_sequentially("what is the capital of Parag")
    expect(page.locator("#completions li").first).to_contain_text("Paraguay")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your question")).to_have_value("what is the capital of Paraguay")
    expect(page.locator("#completions")).to_be_hidden()


def test_an_abstention_explains_itself(page: Page, demo: str) -> None:
    page.goto(demo)
    page.get_by_label("Your question").fill("why is the sky blue?")
    page.keyboard.press("Enter")
    expect(page.locator("#items .none")).not_to_be_empty(timeout=30_000)


def test_hostile_text_stays_text(page: Page, hostile: str) -> None:
    page.goto(hostile)
    page.get_by_label("Your question").press_sequentially("where is bold")
    expect(page.locator("#completions li").first).to_contain_text("<img src=x")
    question = f"which cities are in France {HOSTILE}"
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).not_to_be_empty(timeout=30_000)
    expect(page.locator("#marked")).to_have_text(question)
    assert page.locator("main img, main b, main script").count() == 0


def test_a_damaged_permalink_is_no_accident(page: Page, hostile: str) -> None:
    page.goto(f"{hostile}/#q=capital+of+Peru&c=%7Bbroken")
    expect(page.locator("#panel")).not_to_be_empty(timeout=30_000)


def test_the_token_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    qa, _ = answering(small_world(tmp_path))
    # Not the fixture's page: Chromium itself reports a refused request on the console.
    with serving(create_app(qa, token="secret")) as (url, _), browser.new_context() as context:
        page = context.new_page()
        page.goto(url)
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Unlock").click()
        expect(page.locator("#problem")).to_contain_text("bearer token")
        page.get_by_label("Token").fill("secret")
        page.get_by_role("button", name="Unlock").click()
        expect(page.locator("#about")).to_contain_text("facts")
        expect(page.locator("#locked")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(page: Page, demo: str, scheme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    _ask(page, demo, QUESTION)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert abs(_light(ink) - _light(paper)) > 150
    assert (_light(paper) < 60) == (scheme == "dark")
    if scheme == "dark":
        page.screenshot(path=IMAGES / "page-phone.png")


def test_the_picture(page: Page, demo: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 1400})
    _ask(page, demo, "which countries border Germany?")
    expect(page.locator("#items")).to_contain_text("Poland")
    page.locator(".heat summary").first.click()
    page.locator("h1").click()
    page.screenshot(path=IMAGES / "page.png", full_page=True)


def _light(colour: str) -> float:
    parts = [float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3]]
    return sum(parts) / 3
