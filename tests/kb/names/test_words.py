from __future__ import annotations

import pytest

from arcaneqa.kb.names.words import label_from_iri, words


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("people.person.date_of_birth", "people person date of birth"),
        ("Unit_Price", "unit price"),
        ("customerID", "customer id"),
        ("pop", "population"),
        ("alt", "altitude"),
        ("altLabel", "alt label"),
        ("Dept_Name", "department name"),
        ("gdpPercap", "gdp per capita"),
        ("birthwt", "birth weight"),
        ("yearID", "year"),
        ("libprice", "lib price"),
        ("marketvalue", "market value"),
        ("custname", "customer name"),
        ("sched_dep_time", "scheduled departure time"),
        ("arr_delay", "arrival delay"),
        ("max_temp", "max temperature"),
        ("proj_dept_budget", "project department budget"),
        ("mngr_no", "manager no"),
        ("prod_cat", "product category"),
        ("ord_date", "order date"),
        ("shape_dist_traveled", "shape distance traveled"),
        # Only whole words are shortened ones, but for endings that no word has.
        ("populist", "populist"),
        ("empire", "empire"),
        ("newt", "newt"),
        ("candidate", "candidate"),
        ("surname", "surname"),
        # What is shortened may be something else beside other words.
        ("dep_head", "dep head"),
        ("temp_job", "temp job"),
        ("cat_name", "cat name"),
        ("prod_year", "prod year"),
        ("dist_name", "dist name"),
        ("inv_qty", "inv quantity"),
    ],
)
def test_names_are_said_in_words_and_in_full(name: str, said: str) -> None:
    assert words(name) == said


def test_an_iri_without_words_is_said_as_it_is() -> None:
    assert label_from_iri("http://example.org/fname") == "first name"
    assert label_from_iri("http://example.org/#") == "example org"
