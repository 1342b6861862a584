"""What OWL and published ontologies say of classes and relations beside the facts."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from arcaneqa.kb.profile import OWL, RDFS
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF
from arcaneqa.support.errors import InputError

# What OWL says of classes in other words than plain facts: a class that equals another, is what
# several classes have in common (each is then a superclass), what several classes are together, or
# one whose members all have some value of a property.


SAYS_CLASSES = tuple(OWL + name for name in ("equivalentClass", "intersectionOf", "unionOf"))
"""Where none of these occurs, there is nothing to look for."""
SPEAKS_OF_CLASSES = (RDFS + "subClassOf", *SAYS_CLASSES, RDF + "first", RDF + "rest")
SAYS_VALUES = tuple(OWL + name for name in ("someValuesFrom", "hasValue", "onClass"))
"""From what all members of a class have, to a value of it."""
ON_PROPERTY = OWL + "onProperty"
_LONGEST_LIST = 10_000
"""Members of an RDF list that are followed."""

Node = TypeVar("Node")


class OntologyFacts(Protocol[Node]):
    """Facts of the predicates above, in an index that is being built or on a server."""

    def pairs(self, predicate: str) -> Iterable[tuple[Node, Node]]: ...

    def one(self, predicate: str, subject: Node) -> Node | None: ...


def owl_parents(facts: OntologyFacts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, str]]:
    """Pairs of class and superclass, both named; a name that begins with `_:` is none."""
    for name, node in _above(facts, name_of):
        if not (other := name_of(node)).startswith("_:"):
            yield name, other


def owl_values(facts: OntologyFacts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, str, str]]:
    """Class, property and value, all named, where every member of the class has that value, or some of it: a
    perithecium develops from some protoperithecium."""
    for name, node in _above(facts, name_of):
        if (on := facts.one(ON_PROPERTY, node)) is None:
            continue
        for value in (facts.one(predicate, node) for predicate in SAYS_VALUES):
            if value is not None and not any(name_of(each).startswith("_:") for each in (on, value)):
                yield name, name_of(on), name_of(value)


def _above(facts: OntologyFacts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, Node]]:
    """Named classes, with what is above each as far as to the next that has a name."""
    above: dict[Node, set[Node]] = {}
    for low, high in _edges(facts):
        above.setdefault(low, set()).add(high)
    for start in above:
        name = name_of(start)
        if name.startswith("_:"):
            continue
        seen, ahead = {start}, [start]
        while ahead:
            for node in above.get(ahead.pop(), set()) - seen:
                seen.add(node)
                yield name, node
                if name_of(node).startswith("_:"):
                    ahead.append(node)


def _edges(facts: OntologyFacts[Node]) -> Iterator[tuple[Node, Node]]:
    yield from facts.pairs(RDFS + "subClassOf")
    for one, other in facts.pairs(OWL + "equivalentClass"):
        yield one, other
        yield other, one
    for klass, items in facts.pairs(OWL + "intersectionOf"):
        yield from ((klass, item) for item in _listed(facts, items))
    for klass, items in facts.pairs(OWL + "unionOf"):
        yield from ((item, klass) for item in _listed(facts, items))


def _listed(facts: OntologyFacts[Node], head: Node) -> Iterator[Node]:
    at: Node | None = head
    for _ in range(_LONGEST_LIST):  # a list may run in a circle
        item = None if at is None else facts.one(RDF + "first", at)
        if at is None or item is None:
            return
        yield item
        at = facts.one(RDF + "rest", at)


# A published ontology beside the facts: `fb_roles`, `fb_types` and `reverse_properties`.


ROLES, TYPES, REVERSE = "fb_roles", "fb_types", "reverse_properties"


@dataclass
class Declarations:
    """What is declared about the schema, by IRI."""

    domains: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    inverses: dict[str, str] = field(default_factory=dict)
    parents: list[tuple[str, str]] = field(default_factory=list)


def read_ontology(folder: Path, names: Names) -> Declarations:
    """Where names are declared twice, the first declaration holds."""
    ontology = Declarations()
    for name, row in ontology_rows(folder, names):
        if name == ROLES:
            ontology.domains.setdefault(row[1], row[0])
            ontology.ranges.setdefault(row[1], row[2])
        elif name == TYPES:
            ontology.parents.append((row[0], row[2]))
        else:
            ontology.inverses.setdefault(row[0], row[1])
            ontology.inverses.setdefault(row[1], row[0])
    return ontology


def ontology_rows(folder: Path, names: Names) -> Iterator[tuple[str, list[str]]]:
    """Every line as IRIs, with the name of its file. Files may be plain or .gz; one of them must be there."""
    found = False
    for name, width in ((ROLES, 3), (TYPES, 3), (REVERSE, 2)):
        path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
        if path is not None:
            found = True
            for row in _rows(path, width, names):
                yield name, row
    if not found:
        raise InputError(f"The ontology folder {folder} has no {ROLES}, {TYPES} or {REVERSE}, plain or .gz.")


def _rows(path: Path, width: int, names: Names) -> Iterator[list[str]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            for number, line in enumerate(file, 1):
                cells = line.split()
                if not cells:
                    continue
                if len(cells) < width:  # more is common: full stops, and lines that lost their break
                    raise InputError(f"{path}, line {number}: {width} names were expected, not {len(cells)}.")
                yield [names.expand(cell) for cell in cells[:width]]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
