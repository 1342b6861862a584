"""Write the demonstration knowledge base: `python demo/build.py [--cache DIR] [--out FILE]`.

Downloads the packages named in `demokb/packages.py` (about 60 MB, each checked by its SHA-256) and
writes Turtle compressed with Zstandard; the same packages give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import zstandard
from demokb import factbook, geography, science, society
from demokb.graph import Graph
from demokb.packages import PACKAGES, Store
from demokb.schema import declare

DATA = Path(__file__).resolve().parents[1] / "src/arcaneqa/data"
SPOKEN = ("a", "rdfs:label", "rdfs:domain", "rdfs:range", "rdfs:subClassOf", "rdfs:comment", "skos:altLabel")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/arcaneqa-demo")
    parser.add_argument("--out", type=Path, default=DATA / "demo.ttl.zst")
    arguments = parser.parse_args()
    graph = build(Store(arguments.cache))
    turtle = graph.turtle().encode()
    compressed = zstandard.ZstdCompressor(level=19, write_content_size=True).compress(turtle)
    arguments.out.write_bytes(compressed)
    counts = graph.counts()
    facts = sum(count for predicate, count in counts.items() if predicate not in SPOKEN)
    print(f"{sum(counts.values()):,} triples, {facts:,} of them facts between entities and values")
    print(f"{arguments.out}: {len(compressed):,} bytes ({len(turtle):,} uncompressed)")


def build(store: Store) -> Graph:
    graph = Graph()
    declare(graph)
    geography.build(graph, store)
    factbook.build(graph, store)
    science.build_elements(graph, store)
    science.build_sky(graph, store)
    society.build_airports(graph, store)
    society.build_presidents(graph, store)
    society.build_football(graph, store)
    return graph


def sources() -> str:
    """The list of sources for SOURCES.md."""
    sites = {"pypi": "https://pypi.org/project", "npm": "https://www.npmjs.com/package"}
    rows = [
        f"| [{p.name}]({sites[p.registry]}/{p.name}) | {p.version} | {p.licence} | {p.facts} |"
        for p in PACKAGES
    ]
    return "\n".join(["| package | version | licence | used for |", "|---|---|---|---|", *rows])


if __name__ == "__main__":
    main()
