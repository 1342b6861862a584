"""Names of schema items as words: `people.person.date_of_birth` → "people person date of birth"."""

from __future__ import annotations

import re
from urllib.parse import unquote

CAMEL = re.compile(r"(?<=[a-z0-9])(?<!Mc)(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word begins: `McLaren` is one."""
_BREAKS = re.compile(r"[\W_]+")
_IN_FULL = {
    "abb": "abbreviation",
    "abbr": "abbreviation",
    "abbrev": "abbreviation",
    "acct": "account",
    "addr": "address",
    "amt": "amount",
    "asst": "assistant",
    "bday": "birthday",
    "bdy": "body",
    "bldg": "building",
    "ccy": "currency",
    "cnt": "count",
    "cntry": "country",
    "ctry": "country",
    "cust": "customer",
    "cyl": "cylinders",
    "dept": "department",
    "desc": "description",
    "descr": "description",
    "dest": "destination",
    "diam": "diameter",
    "displ": "displacement",
    "dob": "date of birth",
    "educ": "education",
    "elev": "elevation",
    "emp": "employee",
    "evt": "event",
    "fname": "first name",
    "freq": "frequency",
    "gend": "gender",
    "govt": "government",
    "grp": "group",
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
    "mbr": "member",
    "mfr": "manufacturer",
    "mgmt": "management",
    "mgr": "manager",
    "mgt": "management",
    "mins": "minutes",
    "mkt": "market",
    "mktg": "marketing",
    "mngr": "manager",
    "msg": "message",
    "mth": "month",
    "natl": "national",
    "nbr": "number",
    "pct": "percent",
    "percap": "per capita",
    "pkg": "package",
    "pmt": "payment",
    "pop": "population",
    "popn": "population",
    "precip": "precipitation",
    "prev": "previous",
    "proj": "project",
    "prov": "province",
    "pts": "points",
    "pymt": "payment",
    "qtr": "quarter",
    "qty": "quantity",
    "sched": "scheduled",
    "secs": "seconds",
    "sqft": "square feet",
    "stn": "station",
    "stu": "student",
    "subcat": "subcategory",
    "subj": "subject",
    "svc": "service",
    "tel": "telephone",
    "tot": "total",
    "trq": "torque",
    "txn": "transaction",
    "univ": "university",
    "usr": "user",
    "veh": "vehicle",
    "wgt": "weight",
    "whse": "warehouse",
    "wt": "weight",
    "yob": "year of birth",
    "yr": "year",
    "yrs": "years",
}
"""What those who name columns shorten and those who ask say in full; only what can mean nothing else."""
_SHORTENED = ("amt", "pct", "qty", "wt")
"""Of these, with which no English word ends: "birthwt" is a birth weight."""
_SHORTEST = 3
"""Letters before such an ending: a newt is no weight."""
_MEASURES = (
    *("address", "amount", "category", "colour", "color", "cost", "date", "depth", "distance", "duration"),
    *("height", "income", "length", "level", "name", "number", "percent", "population", "price", "salary"),
    *("score", "speed", "status", "type", "value", "volume", "weight", "width"),
)
"""What a column says, as names run together end: a "libprice" is a price."""
_ENDINGS = (*_SHORTENED, *_MEASURES)
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
_OF_PAPERS = frozenset(("amt", "date", "due", "nbr", "no", "num", "number", "total"))
_OF_THINGS = frozenset(("code", "desc", "id", "line", "name", "no", "num", "price", "type"))
_BESIDE = {
    "arr": ("arrival", _OF_TRAVEL),
    "cat": ("category", frozenset(("prod", "product", "item", "sub"))),
    "dep": ("departure", _OF_TRAVEL),
    "dist": ("distance", frozenset(("km", "miles", "traveled", "travelled"))),
    "dt": ("date", frozenset(("birth", "due", "end", "hire", "ord", "order", "ship", "start"))),
    "exp": ("expectancy", frozenset(("life",))),
    "inv": ("invoice", _OF_PAPERS),
    "loc": ("location", _OF_THINGS | {"city"}),
    "mo": ("month", frozenset(("birth",))),
    "ord": ("order", _OF_PAPERS | {"dt", "id", "qty"}),
    "org": ("organization", _OF_THINGS - {"line", "price"}),
    "pl": ("place", frozenset(("birth",))),
    "prod": ("product", _OF_THINGS | {"cat", "qty"}),
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
    said = set(parts)
    return " ".join(_IN_FULL.get(part) or _beside(part, said) or _ending_in_full(part) for part in parts)


def _beside(part: str, parts: set[str]) -> str | None:
    full, others = _BESIDE.get(part, (None, frozenset()))
    return None if others.isdisjoint(parts) else full


def _ending_in_full(part: str) -> str:
    if not part.endswith(_ENDINGS) or part in _ONE_WORD:
        return part
    ending = next(ending for ending in _ENDINGS if part.endswith(ending))
    if len(part) < len(ending) + _SHORTEST:
        return part
    before = part.removesuffix(ending)
    return f"{_IN_FULL.get(before, before)} {_IN_FULL.get(ending, ending)}"


def label_from_iri(iri: str) -> str:
    """What to call a schema item that has no label of its own."""
    return words(unquote(tail(iri))) or iri
