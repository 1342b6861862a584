"""Write imaginary knowledge bases for training: `python demo/worlds.py --out DIR [--worlds 8] [--seed 0]`.

A model that is to work on schemas nobody here has seen must see many in training. Each world draws a few
domains from `worlds.toml`, a word for every class and relation, and a style: camelCase names without labels,
snake_case with labels, numbered identifiers with labels, and so on. The facts are invented.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

SPEC = Path(__file__).with_name("worlds.toml")
PREFIXES = """@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
HOW_MANY = {"one": (1, 1), "some": (0, 3), "many": (2, 7)}


@dataclass(frozen=True)
class Style:
    prefix: str
    names: str
    labels: bool
    label: str
    typed: bool
    numbered: bool


STYLES = (
    Style("ex", "camel", False, "rdfs:label", True, False),
    Style("kg", "snake", True, "rdfs:label", True, False),
    Style("w", "number", True, "rdfs:label", True, True),
    Style("data", "camel", True, "skos:prefLabel", False, False),
    Style("my", "snake", False, "schema:name", True, True),
    Style("onto", "title", True, "rdfs:label", True, False),
    Style("db", "camel", False, "foaf:name", False, True),
    Style("info", "has", False, "rdfs:label", True, False),
)


class World:
    def __init__(self, name: str, style: Style, parts: dict[str, Any], rng: Random) -> None:
        self.name, self.style, self.rng = name, style, rng
        self.lines: list[str] = []
        self.words: dict[str, str] = {}
        self.members: dict[str, list[str]] = {}
        self.relations: dict[tuple[str, str], str] = {}
        self.domains: dict[str, set[str]] = {}
        self._endings: dict[str, str] = parts["endings"]
        self._parts = {name: text.split() for name, text in parts.items() if isinstance(text, str)}
        self._taken: set[str] = set()
        self._numbers = 0

    def build(self, domains: list[dict[str, Any]], everything: dict[str, list[Any]]) -> str:
        relations = [relation for domain in domains for relation in domain["relations"]]
        needed = {row[0]: row for domain in domains for row in domain["classes"]}
        for source, target, *_ in relations:
            for klass in (source, target.partition(":")[0]):
                if klass[0].isupper() and klass not in needed:
                    needed[klass] = everything[klass]
        for klass, (_, kind, count, words) in needed.items():
            self.words[klass] = self.rng.choice(words.split("|"))
            self._class(klass, kind, int(count * self.rng.uniform(0.5, 1.0)) + 2)
        said: set[tuple[str, str]] = set()
        for source, target, how_many, words in relations:
            options = [
                re.sub(r"\{(\w+)\}", lambda m: self.words.get(m[1], m[1]), text) for text in words.split("|")
            ]
            fresh = [text for text in options if (source, text) not in said] or options
            word = self.rng.choice(fresh)
            said.add((source, word))
            if self.rng.random() < 0.93:
                self._relation(source, target, how_many, word)
        for iri, classes in self.domains.items():
            if len(classes) == 1:  # a relation that several classes share has no domain of its own
                self.lines.append(f"{iri} rdfs:domain {min(classes)} .")
        prefix = f"@prefix {self.style.prefix}: <http://{self.name}.example/> .\n"
        return PREFIXES + prefix + "\n".join(self.lines) + "\n"

    # Names -----------------------------------------------------------------------------------

    def _class(self, klass: str, kind: str, count: int) -> None:
        iri = self._schema_name(self.words[klass], is_class=True)
        self.words[klass + "/iri"] = iri
        self.lines.append(f"{iri} a rdfs:Class .")
        if self.style.labels:
            self.lines.append(f'{iri} rdfs:label "{self.words[klass]}" .')
        self.members[klass] = []
        for _ in range(count):
            label = None if kind == "none" else self._name(kind)
            node = self._node(label)
            self.members[klass].append(node)
            self.lines.append(f"{node} a {iri} .")
            if label is not None:
                self.lines.append(f'{node} {self.style.label} "{label}" .')
                if self.rng.random() < 0.06 and " " in label:
                    self.lines.append(f'{node} skos:altLabel "{label.split()[-1]}" .')

    def _schema_name(self, words: str, is_class: bool = False) -> str:
        parts = re.sub(r"[^\w ]", "", words).split()
        match self.style.names:
            case "number":
                self._numbers += 1
                local = f"{'C' if is_class else 'P'}{self._numbers}"
            case "snake":
                local = "_".join(parts)
            case "title":
                local = "".join(part.capitalize() for part in parts)
            case style:
                local = parts[0] + "".join(part.capitalize() for part in parts[1:])
                if is_class:
                    local = local[0].upper() + local[1:]
                elif style == "has" and len(parts) == 1 and not parts[0].endswith(("s", "ed")):
                    local = "has" + local[0].upper() + local[1:]
        name = f"{self.style.prefix}:{local}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _node(self, label: str | None) -> str:
        self._numbers += 1
        if label is None or self.style.numbered:
            return f"{self.style.prefix}:Q{self._numbers}"
        name = f"{self.style.prefix}:{re.sub(r'[^A-Za-z0-9]+', '_', label).strip('_')}"
        name = f"{name}_{self._numbers}" if name in self._taken else name
        self._taken.add(name)
        return name

    def _name(self, kind: str) -> str:
        rng = self.rng
        match kind:
            case "person":
                return f"{self._part('first')} {self._stem()}"
            case "title":
                return rng.choice(
                    (
                        f"The {self._part('adjectives')} {self._part('things')} of {self._stem()}",
                        f"{self._part('adjectives')} {self._stem()}",
                        f"{self._stem()} and the {self._part('things')}",
                        f"The {self._part('things')} of {self._stem()}",
                    )
                )
            case "version" | "ticket" | "flight" | "match" | "election":
                return f"{self._stem()} {rng.randrange(1, 990)}"
        return self._stem() + rng.choice(self._endings.get(kind, "||s|o|ex").split("|"))

    def _stem(self) -> str:
        rng = self.rng
        parts = []
        for _ in range(rng.choice((2, 2, 3))):
            coda = self._part("codas") if rng.random() < 0.6 else ""
            parts.append(self._part("onsets") + self._part("vowels") + coda)
        return "".join(parts).capitalize()

    def _part(self, name: str) -> str:
        return self.rng.choice(self._parts[name])

    # Facts -----------------------------------------------------------------------------------

    def _relation(self, source: str, target: str, how_many: str, words: str) -> None:
        kind = target if target in self.members else target.partition(":")[0]
        if (words, kind) not in self.relations:
            self.relations[words, kind] = self._schema_name(words)
        iri = self.relations[words, kind]
        self.lines.append(f"{iri} a rdf:Property .")
        if self.style.labels:
            self.lines.append(f'{iri} rdfs:label "{words}" .')
        if self.style.typed and target in self.members:
            self.lines.append(f"{iri} rdfs:range {self.words[target + '/iri']} .")
        if self.style.typed:
            self.domains.setdefault(iri, set()).add(self.words[source + "/iri"])
        low, high = HOW_MANY[how_many]
        for node in self.members[source]:
            for _ in range(self.rng.randint(low, high)):
                value = (
                    self.rng.choice(self.members[target]) if target in self.members else self._value(target)
                )
                if value != node and self.rng.random() < 0.95:
                    self.lines.append(f"{node} {iri} {value} .")

    def _value(self, target: str) -> str:
        kind, _, bounds = target.partition(":")
        if kind == "text":
            return f'"{self.rng.choice(("A1", "B2", "left", "right", "central", "reserve"))}"'
        low, high = (float(bound) for bound in bounds.split(":"))
        if kind in ("date", "year"):
            year = self.rng.randint(int(low), int(high))
            if kind == "year":
                return f'"{year}"^^xsd:gYear'
            return f'"{year}-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"^^xsd:date'
        # Quantities of the real world spread over orders of magnitude.
        wide = low > 0 and high / low > 50
        value = low * (high / low) ** self.rng.random() if wide else self.rng.uniform(low, high)
        return str(int(value)) if kind == "int" else f"{value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write imaginary knowledge bases as Turtle files.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=len(STYLES))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    spec = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    parts = spec.pop("names")
    everything = {row[0]: row for domain in spec.values() for row in domain["classes"]}
    everything["Person"] = ["Person", "person", 60, "person"]
    rng = Random(arguments.seed)
    left: list[str] = []
    for number in range(arguments.worlds):
        chosen: list[str] = []
        while len(chosen) < 4:
            if not left:
                left = sorted(spec, key=lambda _: rng.random())
            domain = left.pop()
            if domain not in chosen:
                chosen.append(domain)
        if number % 3 == 0 and "geography" not in chosen:
            chosen[0] = "geography"
        world = World(
            f"world{number}", STYLES[number % len(STYLES)], parts, Random(arguments.seed * 1000 + number)
        )
        path = arguments.out / f"world{number}.ttl"
        path.write_text(world.build([spec[name] for name in chosen], everything), encoding="utf-8")
        print(f"{path}: {', '.join(chosen)}; {len(world.lines):,} statements")


if __name__ == "__main__":
    main()
