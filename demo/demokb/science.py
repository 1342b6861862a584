"""Chemical elements and isotopes (mendeleev), stars, constellations and planets."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from demokb.graph import Graph, date, integer, number, text
from demokb.packages import Store

SERIES = {
    1: "Nonmetal", 2: "NobleGas", 3: "AlkaliMetal", 4: "AlkalineEarthMetal", 5: "Metalloid",
    6: "Halogen", 7: "PoorMetal", 8: "TransitionMetal", 9: "Lanthanide", 10: "Actinide",
}  # fmt: skip
NUMBERS = {
    "atomicWeight": "atomic_weight", "density": "density", "electronegativity": "en_pauling",
    "atomicRadius": "atomic_radius", "crustAbundance": "abundance_crust", "price": "price_per_kg",
}  # fmt: skip
SECONDS = {
    "sec": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "year": 31556926.0,
    "msec": 1e-3,
    "usec": 1e-6,
}
SECONDS |= {"kyear": 31556926e3, "Myear": 31556926e6, "Gyear": 31556926e9}
NEBULAE = {"s": "Galaxy", "e": "Galaxy", "i": "Galaxy", "gc": "GlobularCluster", "oc": "OpenCluster"}
NEBULAE |= {"sfr": "Nebula", "pn": "Nebula", "snr": "Nebula", "rn": "Nebula"}


def build_elements(graph: Graph, store: Store) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "elements.db"
        path.write_bytes(store.open("mendeleev").data("mendeleev/elements.db"))
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        groups = {row["group_id"]: row["name"] for row in database.execute("select * from groups")}
        melting = {
            row["atomic_number"]: row
            for row in database.execute("select * from phasetransitions order by is_transition desc, id desc")
        }
        for row in database.execute("select * from elements order by atomic_number"):
            _element(graph, row, groups, melting.get(row["atomic_number"]))
        for row in database.execute("select * from isotopes order by atomic_number, mass_number"):
            _isotope(graph, row)
        database.close()


def _element(graph: Graph, row: sqlite3.Row, groups: dict[int, str], phases: sqlite3.Row | None) -> None:
    spellings = {"Aluminum": "Aluminium", "Cesium": "Caesium", "Sulfur": "Sulphur"}
    aliases = [row["symbol"], *filter(None, [spellings.get(row["name"])])]
    name = graph.entity("Element", row["atomic_number"], row["name"], aliases, "element")
    graph.also(name, SERIES[row["series_id"]])
    graph.fact(name, "symbol", text(row["symbol"]))
    graph.fact(name, "atomicNumber", integer(row["atomic_number"]))
    graph.fact(name, "period", integer(row["period"]))
    for relation, column in NUMBERS.items():
        if row[column] is not None:
            graph.fact(name, relation, number(row[column]))
    if phases is not None:
        for relation, column in (("meltingPoint", "melting_point"), ("boilingPoint", "boiling_point")):
            if phases[column] is not None:
                graph.fact(name, relation, number(phases[column]))
    if row["group_id"]:
        label = f"group {row['group_id']}"
        alias = groups[row["group_id"]].lower()
        graph.fact(
            name, "group", graph.entity("ElementGroup", row["group_id"], label, [alias] if alias else [])
        )
    if row["discovery_year"]:
        graph.fact(name, "discoveryYear", date(f"{row['discovery_year']:04}"))
        for person in _people(row["discoverers"]):
            graph.fact(name, "discoverer", graph.entity("Scientist", person, person))
    if row["discovery_location"]:
        place = {"Scotland": "United Kingdom", "England": "United Kingdom", "USSR": "Russia"}
        graph.fact(
            name,
            "discoveredIn",
            _country(graph, place.get(row["discovery_location"], row["discovery_location"])),
        )
    for producer in re.findall(r"1\) ([A-Z][\w ]+?)(?:\s\s|$)", row["top_3_producers"] or ""):
        short = {
            "USA": "United States",
            "Republic of Korea": "South Korea",
            "DRC": "Democratic Republic of the Congo",
        }
        graph.fact(name, "topProducer", _country(graph, short.get(producer, producer)))


def _people(discoverers: str | None) -> list[str]:
    names = []
    for part in re.split(r",\s+(?!Jr)| and |; |/", discoverers or ""):
        clean = re.sub(r"\.(?=[A-Z][a-z])", ". ", re.sub(r"\(.*?\)", "", part)).strip()
        if re.fullmatch(r"[A-Z][\w.]+(?:[ -][\w.'-]+){1,4}", clean) and not re.search(
            r"Univ|Lab|Instit|Known|Calif|Group|Center|Los Alamos|Dubna|GSI|Research|Soviet|discover|isolat",
            clean,
        ):
            names.append(clean)
    return names


def _country(graph: Graph, name: str) -> str | None:
    return graph.named("Country", name)


def _isotope(graph: Graph, row: sqlite3.Row) -> None:
    element = graph.known("Element", row["atomic_number"])
    assert element is not None
    label = f"{graph.label(element)}-{row['mass_number']}"
    name = graph.entity("Isotope", (row["atomic_number"], row["mass_number"]), label)
    graph.fact(name, "isotopeOf", element)
    graph.fact(name, "massNumber", integer(row["mass_number"]))
    if row["abundance"]:
        graph.fact(name, "abundance", number(row["abundance"]))
    if row["half_life"] and row["half_life_unit"] in SECONDS:
        graph.fact(name, "halfLife", number(row["half_life"] * SECONDS[row["half_life_unit"]]))
    if row["discovery_year"]:
        graph.fact(name, "isotopeDiscoveryYear", date(f"{row['discovery_year']:04}"))


def build_sky(graph: Graph, store: Store) -> None:
    sky = store.open("d3-celestial")

    def features(name: str) -> list[dict[str, Any]]:
        return list(sky.table(f"data/{name}.json")["features"])

    for feature in features("constellations"):
        properties = feature["properties"]
        english = str(properties["en"]).replace("\u2005", " ")
        label = properties["name"]
        if feature["id"] not in ("Ser1", "Ser2"):
            graph.entity(
                "Constellation", feature["id"], label, [english, properties["desig"]], "constellation"
            )
    names = sky.table("data/starnames.json")
    for feature in features("stars.6"):
        star = names.get(str(feature["id"]), {})
        if star.get("name"):
            name = graph.entity("Star", feature["id"], star["name"], hint="star")
            graph.fact(name, "magnitude", number(feature["properties"]["mag"]))
            graph.fact(name, "constellation", graph.known("Constellation", star.get("c")))
    for feature in features("messier"):
        properties = feature["properties"]
        klass = NEBULAE.get(properties["type"], "DeepSkyObject")
        proper = properties["alt"].replace("´", "'")
        if klass == "Galaxy" and proper and not proper.endswith("Galaxy"):
            proper += " Galaxy"
        aliases = [properties["name"], properties["name"].replace("M", "Messier "), properties["desig"]]
        name = graph.entity(klass, properties["name"], proper or properties["name"], aliases, "galaxy")
        graph.fact(name, "magnitude", number(float(properties["mag"])))
    _planets(graph, store)


def _planets(graph: Graph, store: Store) -> None:
    source = store.open("planets").text("planets/_planets.py")
    diameters = dict(
        re.findall(
            r'name: "(\w+)",\s+moons: \d+,\s+diameter: (\d+)',
            store.open("planets-data").text("dist/index.js"),
        )
    )
    for planet in ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]:
        factors: dict[str, float] = {}
        for key, expression in re.findall(
            rf"^{planet}\.(\w+) = ([-\d.e* ]+?)\s*(?:#|$)", source, re.MULTILINE
        ):
            value = 1.0
            for factor in expression.split("*"):
                value *= float(factor)
            factors[key] = value
        name = graph.entity("Planet", planet, planet, hint="planet")
        graph.fact(name, "distanceFromSun", number(factors["rsm"] / 1e9))
        graph.fact(name, "orbitalPeriod", number(factors["year"] / 86400))
        graph.fact(name, "dayLength", number(abs(factors["day"]) / 3600))
        graph.fact(name, "gravity", number(factors["g"]))
        graph.fact(name, "temperature", number(factors["Tsavg"]))
        graph.fact(name, "diameter", integer(int(diameters[planet])))
