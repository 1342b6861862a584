"""The page in a real Chromium: asked, watched, steered, attacked."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arcaneqa.apps.http.app import create_app
from tests.apps.http.browsing import AMBIGUOUS, QUESTION, answered, ask, run
from tests.apps.http.service_world import HOSTILE, answering, serving, small_world

pytestmark = pytest.mark.browser
pytest_plugins = ["tests.apps.http.chromium"]


def test_ask_and_watch(page: Page, site: str) -> None:
    ask(page, site, QUESTION)
    expect(page.locator("#items")).to_have_text("Paris")
    expect(page.locator("#sure")).to_contain_text("sure")
    expect(page.locator("#marked .mention").first).to_have_text("France")
    assert not page.locator("#how").evaluate("how => how.open"), "the trace is closed until asked for"
    expect(page.locator("#graph svg")).not_to_be_visible()
    page.get_by_text("How it got there").click()
    expect(page.locator("#graph svg")).to_be_visible()
    assert page.locator("#steps > li").count() >= 3
    page.locator(".heat summary").first.click()
    shades = page.locator(".heat i").evaluate_all("cells => new Set(cells.map(c => c.style.opacity)).size")
    assert shades > 2
    page.get_by_role("tab", name="SPARQL").click()
    expect(page.locator("#panel")).to_contain_text("SELECT DISTINCT")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel")).to_contain_text('"question"')


def test_steps_appear_before_the_answer(page: Page, site: str) -> None:
    page.goto(site)
    page.evaluate(
        """() => { window.seen = [];
        const note = (id) => new MutationObserver(() => window.seen.push(id))
            .observe(document.getElementById(id), { childList: true });
        note("steps"); note("items"); }"""
    )
    page.get_by_label("Your question").fill("how many lakes are in Finland?")
    page.get_by_role("button", name="Ask").click()
    answered(page)
    seen = page.evaluate("window.seen")
    assert seen.count("steps") > 2
    assert "steps" in seen[: seen.index("items")]


def test_another_step_and_its_link(page: Page, site: str) -> None:
    ask(page, site, QUESTION)
    page.get_by_text("How it got there").click()
    before = page.locator("#panel").inner_text()
    relation = page.locator("#steps > li", has_text="Along which relation").first
    other = relation.locator(".candidate[aria-pressed=false]").first
    name = other.locator(".name").inner_text()
    other.click()
    expect(page.locator("#panel")).not_to_have_text(before)
    expect(relation.locator(".candidate[aria-pressed=true] .name")).to_have_text(name)
    expect(page.locator("#held")).to_be_visible()
    link, program = page.url, page.locator("#panel").inner_text()
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#panel")).to_have_text(program)
    page.locator("#free").click()
    expect(page.locator("#panel")).to_have_text(before)


def test_another_entity_and_its_link(page: Page, site: str) -> None:
    ask(page, site, "what is the capital of Georgia?")
    before = page.locator("#panel").text_content() or ""
    other = "demo:Georgia" if "demo:Georgia_state" in before else "demo:Georgia_state"
    page.locator(".mention", has_text="Georgia").click()
    expect(page.locator("#alternatives")).to_contain_text("South Georgia")
    page.locator(f"#alternatives button[title='{other}']").click()
    expect(page.locator("#panel")).to_contain_text(f"{other})")
    expect(page.locator("#held")).to_be_visible()
    link, program = page.url, page.locator("#panel").text_content() or ""
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#panel")).to_have_text(program)
    page.locator(".mention", has_text="Georgia").click()
    expect(page.locator("#alternatives [aria-pressed=true]")).to_have_count(1)
    page.locator("#alternatives button", has_text="nothing").click()
    expect(page.locator(".mention.dropped")).to_be_visible()
    page.locator("#free").click()
    expect(page.locator("#panel")).to_have_text(before)


def test_a_reading_settles_the_question(page: Page, site: str) -> None:
    ask(page, site, AMBIGUOUS)
    first = page.locator("#paraphrase").inner_text()
    page.get_by_text("It might also mean").click()
    reading = page.locator("#readings button").first
    words = reading.inner_text()
    reading.click()
    expect(page.locator("#paraphrase")).to_have_text(f"Read as {words}")
    expect(page.locator("#sure")).to_have_text("Your choice")
    expect(page.locator("#readings")).to_contain_text(first.removeprefix("Read as "))
    expect(page.locator("#graph svg")).to_have_count(1)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#paraphrase")).to_have_text(f"Read as {words}")
    page.go_back()
    page.goto(link)
    page.locator("#free").click()
    expect(page.locator("#paraphrase")).to_have_text(first)


def test_what_is_not_used_is_marked(page: Page, site: str) -> None:
    question = "what is the capital of France (1812, 777)?"
    ask(page, site, question)
    told = page.request.post(f"{site}/v1/ask", data={"question": question}).json()["not_used"]
    assert told
    marked = page.locator("#marked .unused").all_inner_texts()
    assert sorted(marked) == sorted(told)


def test_a_refusal_shows_what_is_missing(page: Page, site: str) -> None:
    ask(page, site, "who is the midwife of France?")
    expect(page.locator("#items .none")).not_to_be_empty()
    assert page.locator("#take button").count() == 0
    assert not page.locator("#how").evaluate("how => how.open")
    page.get_by_text("What is missing").click()
    expect(page.locator("#missing")).to_contain_text("“France”: France (country)")
    expect(page.locator("#missing")).to_contain_text("“midwife”")
    expect(page.locator("#marked .unused")).to_have_text("midwife")
    assert page.locator("#readings li button").count() > 0, "the nearest readings are open"


def test_completion_by_keyboard(page: Page, site: str) -> None:
    page.goto(site)
    page.get_by_label("Your question").press_sequentially("what is the capital of Parag")
    expect(page.locator("#completions li").first).to_contain_text("Paraguay")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your question")).to_have_value("what is the capital of Paraguay")
    expect(page.locator("#completions")).to_be_hidden()


def test_examples_are_answered(page: Page, site: str) -> None:
    page.goto(site)
    examples = page.locator("#examples button")
    expect(examples.first).to_be_visible()
    for number in range(examples.count()):
        examples.nth(number).click()
        answered(page)
        assert page.locator("#items .none").count() == 0, page.get_by_label("Your question").input_value()
        sure = int(page.locator("#sure").inner_text().split("%")[0])
        assert sure >= 75


def test_hostile_text_stays_text(page: Page, hostile: str) -> None:
    page.goto(hostile)
    page.get_by_label("Your question").press_sequentially("where is bold")
    expect(page.locator("#completions li").first).to_contain_text("<img src=x")
    question = f"which cities are in France {HOSTILE}"
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    answered(page)
    expect(page.locator("#marked")).to_have_text(question)
    run(page, hostile, "(JOIN <http://example.org/country> <http://example.org/France>)", question)
    expect(page.locator("#items")).to_contain_text("<img src=x")
    page.locator("#past summary").click()
    expect(page.locator("#past li").first).to_have_text(question)
    assert page.locator("main img, main b, main script").count() == 0
    page.goto(f"{hostile}/entity/{'%3Chttp%3A%2F%2Fexample.org%2Fbad%3E'}")
    expect(page.locator("h1")).to_have_text(HOSTILE)
    assert page.locator("main img, main b, main script").count() == 0


@pytest.mark.parametrize("damage", ["%7Bbroken", "5", "null"])
def test_a_damaged_link_is_no_accident(page: Page, hostile: str, damage: str) -> None:
    page.goto(f"{hostile}/?q=capital+of+Peru&c={damage}")
    expect(page.locator("#problem")).to_contain_text("damaged")
    answered(page)


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
