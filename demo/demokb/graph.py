"""A graph in the making: entities with readable names, declared classes and relations, Turtle out."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

NAMESPACE = "https://example.org/demo/"
PREFIXES = {
    "demo": NAMESPACE,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


@dataclass(frozen=True)
class Value:
    """A literal ready to be written: `"1999"^^xsd:gYear`."""

    turtle: str


def integer(value: int) -> Value:
    return Value(str(value))


def number(value: float | Decimal) -> Value:
    """An xsd:decimal; what the source gives in binary floating point is cut to ten significant digits."""
    text = format(Decimal(f"{value:.10g}"), "f")
    if "." in text:
        text = text.rstrip("0")
    return Value(text + "0" if text.endswith(".") else text if "." in text else text + ".0")


def text(value: str) -> Value:
    escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
    return Value(f'"{escaped}"')


def date(value: str) -> Value:
    """An ISO date, or a year alone."""
    kind = "date" if "-" in value.lstrip("-") else "gYear"
    return Value(f'"{value}"^^xsd:{kind}')


class Graph:
    def __init__(self) -> None:
        self._facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._names: dict[tuple[str, object], str] = {}
        self._labels: dict[str, str] = {}
        self._by_label: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def entity(self, klass: str, key: object, label: str, aliases: Iterable[str] = (), hint: str = "") -> str:
        """The entity of this class and key, made on first use; `hint` sets it apart from its namesakes."""
        if (klass, key) in self._names:
            return self._names[klass, key]
        name = _slug(label)
        if name in self._taken:
            name = f"{name}_{_slug(hint or klass)}"
        base, count = name, 2
        while name in self._taken:
            name, count = f"{base}_{count}", count + 1
        self._taken.add(name)
        self._names[klass, key] = name
        self._labels[name] = label
        self._by_label.setdefault((klass, label), name)
        self._write(name, "a", f"demo:{klass}")
        self._write(name, "rdfs:label", text(label).turtle)
        for alias in aliases:
            self.alias(name, alias, label)
        return name

    def known(self, klass: str, key: object) -> str | None:
        return self._names.get((klass, key))

    def named(self, klass: str, label: str) -> str | None:
        return self._by_label.get((klass, label))

    def label(self, name: str) -> str:
        return self._labels[name]

    def also(self, name: str, klass: str) -> None:
        self._write(name, "a", f"demo:{klass}")

    def alias(self, name: str, alias: str, label: str = "") -> None:
        if alias and alias != label:
            self._write(name, "skos:altLabel", text(alias).turtle)

    def fact(self, subject: str, relation: str, value: str | Value | None) -> None:
        if value is not None:
            self._write(
                subject, f"demo:{relation}", value.turtle if isinstance(value, Value) else f"demo:{value}"
            )

    def declare_class(self, name: str, label: str, parent: str = "") -> None:
        self._taken.add(name)
        self._write(name, "a", "rdfs:Class")
        self._write(name, "rdfs:label", text(label).turtle)
        if parent:
            self._write(name, "rdfs:subClassOf", f"demo:{parent}")

    def declare_relation(self, name: str, label: str, domain: str, target: str, comment: str = "") -> None:
        self._taken.add(name)
        self._write(name, "a", "rdf:Property")
        self._write(name, "rdfs:label", text(label).turtle)
        self._write(name, "rdfs:domain", f"demo:{domain}")
        self._write(name, "rdfs:range", target if ":" in target else f"demo:{target}")
        if comment:
            self._write(name, "rdfs:comment", text(comment).turtle)

    def counts(self) -> dict[str, int]:
        """How many triples each predicate has."""
        found: dict[str, int] = defaultdict(int)
        for facts in self._facts.values():
            for predicate, _ in facts:
                found[predicate] += 1
        return dict(found)

    def turtle(self) -> str:
        lines = [f"@prefix {prefix}: <{iri}> ." for prefix, iri in PREFIXES.items()]
        for subject in sorted(self._facts):
            facts = sorted(self._facts[subject])
            lines.append(f"demo:{subject} " + " ;\n\t".join(" ".join(fact) for fact in facts) + " .")
        return "\n".join(lines) + "\n"

    def _write(self, subject: str, predicate: str, value: str) -> None:
        self._facts[subject].add((predicate, value))


def _slug(label: str) -> str:
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", plain).strip("_") or "item"
    return f"n{name}" if name[0].isdigit() else name
