"""Names of schema items as words: `people.person.date_of_birth` → "people person date of birth"."""

from __future__ import annotations

import re
from urllib.parse import unquote

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAKS = re.compile(r"[\W_]+")
_IN_FULL = {
    "abb": "abbreviation",
    "abbr": "abbreviation",
    "abbrev": "abbreviation",
    "acct": "account",
    "addr": "address",
    "amt": "amount",
    "bday": "birthday",
    "bdy": "body",
    "bldg": "building",
    "cnt": "count",
    "cntry": "country",
    "ctry": "country",
    "cust": "customer",
    "cyl": "cylinders",
    "dept": "department",
    "desc": "description",
    "dest": "destination",
    "diam": "diameter",
    "displ": "displacement",
    "dob": "date of birth",
    "educ": "education",
    "elev": "elevation",
    "emp": "employee",
    "fname": "first name",
    "freq": "frequency",
    "gend": "gender",
    "govt": "government",
    "hgt": "height",
    "hrs": "hours",
    "intl": "international",
    "lang": "language",
    "lat": "latitude",
    "lbs": "pounds",
    "lname": "last name",
    "lng": "longitude",
    "lon": "longitude",
    "lvl": "level",
    "manuf": "manufacturer",
    "mfr": "manufacturer",
    "mgr": "manager",
    "mkt": "market",
    "mngr": "manager",
    "nbr": "number",
    "pct": "percent",
    "percap": "per capita",
    "pop": "population",
    "precip": "precipitation",
    "prov": "province",
    "pts": "points",
    "qty": "quantity",
    "sched": "scheduled",
    "sqft": "square feet",
    "stn": "station",
    "stu": "student",
    "tel": "telephone",
    "trq": "torque",
    "univ": "university",
    "wgt": "weight",
    "wt": "weight",
    "yr": "year",
}
"""What those who name columns shorten and those who ask say in full; only what can mean nothing else."""
_ENDINGS = ("amt", "pct", "qty", "wt")
"""Of these, with which no English word ends: "birthwt" is a birth weight."""
_SHORTEST = 3
"""Letters before such an ending: a newt is no weight."""
_MEASURES = (
    *("address", "amount", "category", "colour", "color", "cost", "date", "depth", "distance", "duration"),
    *("height", "income", "length", "level", "name", "number", "percent", "population", "price", "salary"),
    *("score", "speed", "status", "type", "value", "volume", "weight", "width"),
)
"""What a column says, as names run together end: a "libprice" is a price."""
_ONE_WORD = frozenset(
    (
        *("archetype", "candidate", "codename", "devalue", "flyweight", "forename", "genotype", "haplotype"),
        *("heavyweight", "lightweight", "mandate", "nickname", "phenotype", "prototype", "stereotype"),
        *("subtype", "surname", "underscore", "update", "username", "wavelength"),
    )
)
"""Words that end so and are not run together, or no longer."""
_ALONE = {"alt": "altitude", "pos": "position", "sal": "salary", "temp": "temperature", "tz": "time zone"}
"""What means nothing else as a whole name: an "alt label" is no altitude, a "temp job" no temperature."""
_OF_TRAVEL = frozenset(
    ("airport", "city", "date", "delay", "gate", "platform", "station", "terminal", "time")
)
_OF_WEATHER = frozenset(("air", "avg", "body", "max", "mean", "min", "sea", "soil", "surface", "water"))
_BESIDE = {
    "arr": ("arrival", _OF_TRAVEL),
    "dep": ("departure", _OF_TRAVEL),
    "exp": ("expectancy", frozenset(("life",))),
    "mo": ("month", frozenset(("birth",))),
    "pl": ("place", frozenset(("birth",))),
    "temp": ("temperature", _OF_WEATHER),
}
"""What means one thing beside some words: a "dep time" is a departure's, a "dep head" a department's."""


def tail(iri: str) -> str:
    """The local part of an IRI: what follows the last `#`, `/` or, where there is none (in a URN), `:`."""
    trimmed = iri.rstrip("/#")
    last = max(trimmed.rfind("#"), trimmed.rfind("/"))
    return trimmed[(last if last >= 0 else trimmed.rfind(":")) + 1 :] or iri


def words(name: str) -> str:
    """A name in lower case, split at dots, underscores, other punctuation and camelCase; what is shortened
    in full."""
    parts = _BREAKS.sub(" ", CAMEL.sub(" ", name)).lower().split()
    if len(parts) == 1 and parts[0] in _ALONE:
        return _ALONE[parts[0]]
    if parts[-2:] == ["year", "id"]:
        parts.pop()  # a year is told apart from others by being that year
    return " ".join(_IN_FULL.get(part) or _beside(part, parts) or _ending_in_full(part) for part in parts)


def _beside(part: str, parts: list[str]) -> str | None:
    full, others = _BESIDE.get(part, (None, frozenset()))
    return None if others.isdisjoint(parts) else full


def _ending_in_full(part: str) -> str:
    ending = next((ending for ending in (*_ENDINGS, *_MEASURES) if part.endswith(ending)), None)
    if ending is None or len(part) < len(ending) + _SHORTEST or part in _ONE_WORD:
        return part
    before = part.removesuffix(ending)
    return f"{_IN_FULL.get(before, before)} {_IN_FULL.get(ending, ending)}"


def label_from_iri(iri: str) -> str:
    """What to call a schema item that has no label of its own."""
    return words(unquote(tail(iri))) or iri
