"""How answers are drawn, where they lead, and how they are taken away, in a real Chromium."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.apps.http.browsing import QUESTION, answered, ask, run, text_of

pytestmark = pytest.mark.browser
pytest_plugins = ["tests.apps.http.chromium"]


def test_one_thing_leads_to_its_page(page: Page, site: str) -> None:
    run(page, site, "(JOIN demo:capital_inv demo:France)")
    page.locator("#items a").click()
    expect(page).to_have_url(f"{site}/entity/demo%3AParis")
    expect(page.locator("h1")).to_have_text("Paris")
    expect(page.locator("#kinds")).to_contain_text("city")
    expect(page.locator("#out dt", has_text="country")).to_be_visible()
    inwards = page.locator("#in dt", has_text=re.compile("^capital$"))
    expect(inwards).to_be_visible()
    page.locator("#in a", has_text="France").first.click()
    expect(page.locator("h1")).to_have_text("France")
    assert page.title() == "France · ArcaneQA"


def test_an_entity_with_many_facts_goes_on(page: Page, site: str) -> None:
    page.goto(f"{site}/entity/{quote('demo:France', safe='')}")
    more = page.get_by_role("button", name="More: country").first
    values = page.locator("#in dd", has=more)
    expect(values.locator("li")).to_have_count(10)
    names = values.locator("li").all_inner_texts()
    expect(values.get_by_role("status")).to_contain_text("10 of ")
    total = int(values.get_by_role("status").inner_text().split()[2])
    handle = values.element_handle()
    while page.locator("#in button[aria-label='More: country']").count():
        before = page.evaluate("dd => dd.querySelectorAll('li').length", handle)
        more.click()
        page.wait_for_function(
            "([dd, count]) => dd.querySelectorAll('li').length > count", arg=[handle, before]
        )
        if before > 40:
            break
    shown = page.evaluate("dd => [...dd.querySelectorAll('li')].map(li => li.innerText)", handle)
    assert shown[:10] == names
    assert len(set(shown)) == len(shown) > 40 or len(shown) == total


def test_no_such_entity_is_a_sentence(browser: Browser, site: str) -> None:
    # Not the fixture's page: Chromium itself reports the 404 on the console.
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/entity/Atlantisia")
        expect(page.locator("#problem")).to_contain_text("No entity is called “Atlantisia”")
        assert page.locator("section:visible").count() == 0


def test_a_name_that_several_have(page: Page, site: str) -> None:
    page.goto(f"{site}/entity/Georgia")
    expect(page.locator("h1")).to_have_text("Georgia")
    expect(page.locator("#namesakes")).to_contain_text("Also called so: Georgia")
    first = page.locator("#kinds a").inner_text()
    page.locator("#namesakes a").first.click()
    expect(page.locator("h1")).to_have_text("Georgia")
    assert page.locator("#kinds a").inner_text() != first


def test_yes_and_no(page: Page, site: str) -> None:
    run(page, site, "(MEET demo:France (JOIN demo:borders demo:Spain))")
    expect(page.locator("#items .one")).to_have_text("Yes")
    run(page, site, "(MEET demo:France (JOIN demo:borders demo:Peru))")
    expect(page.locator("#items .one")).to_have_text("No")


def test_numbers_as_people_write_them(page: Page, site: str) -> None:
    run(page, site, "(JOIN demo:population_inv demo:France)")
    expect(page.locator("#items .one")).to_have_text(re.compile(r"^\d{2},\d{3},\d{3}$"))


def test_a_table_of_a_kind_and_a_number_is_a_chart(page: Page, site: str) -> None:
    run(page, site, "(SORT (PER demo:Country demo:continent COUNT) COUNT DESC)")
    chart = page.locator("#items table.chart")
    expect(chart.locator("thead th").nth(1)).to_have_text("count")
    counts = [int(text) for text in chart.locator("tbody td.number").all_inner_texts()]
    bars = chart.locator("tbody .bar i").evaluate_all("bars => bars.map(bar => bar.offsetWidth)")
    assert counts == sorted(counts, reverse=True)
    assert bars == pytest.approx([bars[0] * count / counts[0] for count in counts], abs=1)


def test_other_tables_are_no_charts(page: Page, site: str) -> None:
    run(page, site, "(SHOW (JOIN demo:continent demo:South_America) SELF demo:capital demo:population)")
    table = page.locator("#items table.answers")
    assert table.locator("thead th").all_inner_texts() == ["name", "capital", "population"]
    assert page.locator("#items .chart").count() == 0
    row = table.locator("tbody tr", has_text="Brazil")
    expect(row.locator("a", has_text="Brasília")).to_have_attribute("href", re.compile("/entity/demo%3A"))
    expect(row.locator("td.number")).to_have_text(re.compile(r"^\d{3},\d{3},\d{3}$"))


def test_a_list_has_its_order(page: Page, site: str) -> None:
    run(page, site, "(SORT (JOIN demo:continent demo:South_America) demo:population DESC)")
    assert page.locator("#items thead th").all_inner_texts() == ["name", "population"]
    assert page.locator("#items tbody th").all_inner_texts()[:3] == ["Brazil", "Colombia", "Argentina"]


def test_things_of_a_kind_come_with_their_columns(page: Page, site: str) -> None:
    run(page, site, "demo:Country")
    head = page.locator("#items thead th")
    expect(head).to_have_count(6)
    expect(head.first).to_have_text("name")
    page.get_by_role("button", name=re.compile("more columns$")).click()
    expect(page.locator("#items thead th", has_text="highest point")).to_be_visible()
    assert head.count() > 20


def test_the_facts_behind_an_answer(page: Page, site: str) -> None:
    run(page, site, "(COUNT (JOIN demo:borders demo:France))")
    page.get_by_text("The facts behind it").click()
    rows = page.locator("#support tbody tr")
    expect(rows).to_have_count(8)
    expect(rows.filter(has_text="Spain")).to_have_text(re.compile("Spain.*borders.*France", re.S))


def test_a_conversation_goes_on_and_begins_anew(page: Page, site: str) -> None:
    def say(question: str) -> None:
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        page.wait_for_function(f"() => document.title.startsWith({json.dumps(question)})")
        answered(page)

    ask(page, site, "what is the capital of Peru?")
    say("and of Nepal?")
    expect(page.locator("#items")).to_have_text("Kathmandu")
    expect(page.locator("#paraphrase")).to_contain_text("Nepal in place of Peru")
    page.get_by_role("button", name="New conversation").click()
    say("what is its capital?")
    expect(page.locator("#items")).to_contain_text("What is “its”?")


def test_a_long_list_says_that_it_goes_on(page: Page, site: str) -> None:
    run(page, site, "(HAS demo:population)")
    says = page.locator("#items [role=status]")
    expect(says).to_have_text(re.compile(r"^The first 100 of [\d,]+ answers; the list goes on\.$"))
    assert page.locator("#items li").count() == 100
    page.get_by_role("button", name="Show more").click()
    total = int(re.sub(r"\D", "", says.inner_text().split(" of ")[-1]))
    expected = min(total, 10_000)
    expect(page.locator("#items li")).to_have_count(expected)
    names = page.locator("#items li").all_inner_texts()
    assert names[:100] != names[100:200]


def test_a_list_that_was_received_whole(page: Page, site: str) -> None:
    run(page, site, "(HAS demo:capital)")
    says = page.locator("#items [role=status]")
    total = int(says.inner_text().split(" of ")[1].split()[0])
    assert 100 < total < 500
    page.get_by_role("button", name="Show more").click()
    expect(says).to_have_text(f"{total} answers")
    expect(page.locator("#items li")).to_have_count(total)


def test_history_and_links_to_share(page: Page, site: str) -> None:
    ask(page, site, QUESTION)
    assert page.url == f"{site}/?q=what+is+the+capital+of+France%3F"
    page.get_by_role("button", name="Copy link").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    ask(page, site, "what is the capital of Peru?")
    expect(page.locator("#items")).to_have_text("Lima")
    page.goto(site)
    page.locator("#past summary").click()
    assert page.locator("#past a").all_inner_texts() == ["what is the capital of Peru?", QUESTION]
    page.locator("#past a").nth(1).click()
    expect(page.locator("#items")).to_have_text("Paris")
    assert page.title() == f"{QUESTION} · ArcaneQA"
    page.go_back()
    page.go_forward()
    expect(page.locator("#items")).to_have_text("Paris")
    page.get_by_role("button", name="Forget these").click()
    expect(page.locator("#past")).to_be_hidden()
    assert page.evaluate("localStorage.getItem('arcaneqa-history')") == "[]"


def test_links_of_version_0_1_still_lead_there(page: Page, site: str) -> None:
    page.goto(f"{site}/#q=what+is+the+capital+of+Peru%3F")
    answered(page)
    expect(page.locator("#items")).to_have_text("Lima")


def test_answers_are_downloaded(page: Page, site: str) -> None:
    run(page, site, "(SHOW (JOIN demo:continent demo:South_America) SELF demo:population)", "big = where?")
    files = {}
    for name in ("CSV", "Markdown", "JSON"):
        with page.expect_download() as waiting:
            page.locator("#take").get_by_role("button", name=name).click()
        files[waiting.value.suggested_filename] = text_of(waiting.value.path())
    assert sorted(files) == ["big-where.csv", "big-where.json", "big-where.md"]
    rows = files["big-where.csv"].splitlines()
    assert rows[0] == "name,population"
    assert files["big-where.md"].startswith("| name | population |\n| --- | --- |\n")
    record = json.loads(files["big-where.json"])
    assert record["question"] == "big = where?"
    assert record["table"]["columns"] == ["name", "population"]
    assert record["table"]["total"] == len(rows) - 1 >= 12
    assert [",".join(row[1:] or []) for row in record["table"]["rows"]] == [r.split(",")[1] for r in rows[1:]]


def test_what_is_known_of_a_thing_is_the_answer_in_both_directions(page: Page, site: str) -> None:
    ask(page, site, "who is Marie Curie?")
    expect(page.locator("#items .one")).to_have_text("Marie Curie")
    expect(page.locator("#items dt")).to_have_text(["discovered by"])
    assert sorted(page.locator("#items dd li").all_inner_texts()) == ["Polonium", "Radium"]


@pytest.mark.parametrize("width", [320, 390, 640])
def test_a_wide_table_scrolls_and_breaks_no_word(page: Page, site: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    run(page, site, "(SHOW demo:Country SELF demo:capital demo:population demo:currency demo:area)")
    lines = page.locator("#items td.number, #items tbody th a:not(:text(' '))").evaluate_all(
        "cells => cells.map(cell => { const range = document.createRange(); range.selectNodeContents(cell);"
        " return new Set([...range.getClientRects()].map(box => box.top)).size; })"
    )
    assert lines
    assert set(lines) == {1}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator("#items .scroll")
    assert width > 390 or box.evaluate("box => box.scrollWidth > box.clientWidth")
