"""For everybody: by keyboard alone, on a phone, in the dark, at 200%, and as axe sees it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from tests.apps.http.browsing import AMBIGUOUS, QUESTION, answered, ask, run
from tests.apps.http.service_world import serving

pytestmark = pytest.mark.browser
pytest_plugins = ["tests.apps.http.chromium"]
PLACE = """(() => { const e = document.activeElement;
    return e.closest(`#ask, #past, #marked, #items, #readings, #take, #feedback, #steps, #graph,
        [role=tablist], #panel, #how`)?.id || (e.closest('[role=tablist]') ? 'tabs' : '') })()"""
TABLE = "(SORT (PER demo:Country demo:continent COUNT) COUNT DESC)"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("feedback") / "judgements.jsonl"
    with serving(create_app(ArcaneQA.load(), feedback_file=file)) as (url, _):
        yield url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_axe_finds_nothing_wrong(page: Page, judged: str, scheme: str, width: int) -> None:
    """Labels, roles, contrast, order of headings: on every page, with everything opened."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    audit = Axe()
    page.goto(judged)
    expect(page.locator("#examples button").first).to_be_visible()
    assert _violations(audit, page) == []
    ask(page, judged, AMBIGUOUS)
    page.locator(".mention").first.click()
    expect(page.get_by_text("Wrong")).to_be_visible()
    _open_everything(page)
    page.get_by_text("Wrong").click()
    assert _violations(audit, page) == []
    run(page, judged, TABLE)
    assert _violations(audit, page) == []
    ask(page, judged, "who is the midwife of France?")
    _open_everything(page)
    assert _violations(audit, page) == []
    page.goto(f"{judged}/entity/demo:France")
    expect(page.locator("h1")).to_have_text("France")
    assert _violations(audit, page) == []
    page.goto(f"{judged}/docs")
    expect(page.locator("#operations summary").first).to_be_visible()
    _open_everything(page)
    assert _violations(audit, page) == []


def _open_everything(page: Page) -> None:
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")


def _violations(audit: Axe, page: Page) -> list[str]:
    found = audit.run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def test_the_keyboard_reaches_everything_in_order(page: Page, judged: str) -> None:
    ask(page, judged, AMBIGUOUS)
    expect(page.locator("#examples button").first).to_be_visible()
    expect(page.locator("#feedback button").first).to_be_visible()
    page.locator("#how").evaluate("how => { how.open = true; }")
    page.get_by_label("Your question").focus()
    reached: list[str] = []
    for _ in range(90):
        page.keyboard.press("Tab")
        place = page.evaluate(PLACE)
        if place and (not reached or reached[-1] != place):
            reached.append(place)
        if place == "panel":
            break
    expected = ["ask", "past", "marked", "items", "readings", "take", "feedback", "how", "steps", "graph"]
    assert reached == [*expected, "tabs", "panel"]


def test_everything_by_keyboard_alone(page: Page, judged: str) -> None:
    """From a question to its trace, another reading, a judgement, a file, and the page of the answer."""
    page.goto(judged)
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(AMBIGUOUS)
    page.keyboard.press("Enter")
    answered(page)
    expect(page.locator("#feedback button").first).to_be_visible()
    capital = page.locator("#items").inner_text()
    _tab_to(page, "#how > summary")
    page.keyboard.press("Enter")
    expect(page.locator("#graph svg")).to_be_visible()
    _tab_to(page, "#readings summary", back=True)
    page.keyboard.press("Enter")
    _tab_to(page, "#readings button")
    words = page.locator("#readings button").first.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("#paraphrase")).to_have_text(f"Read as {words}")
    page.get_by_label("Your question").focus()
    _tab_to(page, "#free")
    page.keyboard.press("Enter")
    expect(page.locator("#items")).to_have_text(capital)
    expect(page.locator("#feedback button").first).to_be_visible()
    page.get_by_label("Your question").focus()
    _tab_to(page, "#take button >> text=CSV")
    with page.expect_download():
        page.keyboard.press("Enter")
    _tab_to(page, "#feedback button")
    page.keyboard.press("Space")
    expect(page.locator("#feedback [role=status]")).to_contain_text("written down")
    page.get_by_label("Your question").focus()
    _tab_to(page, "#items a")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(capital)


def _tab_to(page: Page, target: str, back: bool = False) -> None:
    wanted = page.locator(target).first.element_handle()
    for _ in range(90):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("element => document.activeElement === element", wanted):
            return
    raise AssertionError(f"the keyboard does not reach {target}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(page: Page, judged: str, scheme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for place in _everywhere(page, judged):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        assert abs(_light(ink) - _light(paper)) > 150
        assert (_light(paper) < 60) == (scheme == "dark")


def test_twice_as_large(browser: Browser, judged: str) -> None:
    """A window of 1280 by 1024 at 200%, as browsers do it, and text of twice its size alone."""
    zoomed = ViewportSize(width=640, height=512)
    with browser.new_context(viewport=zoomed, device_scale_factor=2, reduced_motion="reduce") as context:
        page = context.new_page()
        for place in _everywhere(page, judged):
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{place}, larger"


def _everywhere(page: Page, url: str) -> Iterator[str]:
    """Each page in turn, with everything opened."""
    ask(page, url, QUESTION)
    _open_everything(page)
    yield "an answer"
    run(page, url, TABLE)
    yield "a chart"
    run(page, url, "(SHOW demo:Country SELF demo:capital demo:population demo:currency demo:area)")
    yield "a wide table"
    page.goto(f"{url}/entity/demo:France")
    expect(page.locator("h1")).to_have_text("France")
    yield "an entity"
    page.goto(f"{url}/docs")
    expect(page.locator("#operations summary").first).to_be_visible()
    _open_everything(page)
    yield "the API"


def test_the_api_is_described_and_can_be_tried(page: Page, judged: str) -> None:
    described = page.request.get(f"{judged}/openapi.json").json()["paths"]
    page.goto(f"{judged}/docs")
    expect(page.locator("#operations summary").first).to_be_visible()
    titles = page.locator("#operations h2").all_inner_texts()
    assert titles == [f"{method.upper()} {path}" for path, methods in described.items() for method in methods]
    first = page.locator("#operations details").first
    first.locator("summary").click()
    first.get_by_role("button", name="Try it").click()
    expect(first.locator("pre")).to_contain_text('"label": "Paris"')


def test_where_nothing_is_kept_the_page_says_so(page: Page, site: str) -> None:
    ask(page, site, QUESTION)
    expect(page.locator("#about")).to_contain_text("facts")
    expect(page.locator("#feedback")).to_be_empty()
    expect(page.locator("footer")).to_contain_text("not kept")


def _light(colour: str) -> float:
    parts = [float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3]]
    return sum(parts) / 3
