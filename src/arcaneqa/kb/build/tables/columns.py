"""What the cells of a column are: numbers with a unit, dates, moments, truth values, lists or text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from arcaneqa.kb.build.tables.loaded import NAMELESS, Loaded
from arcaneqa.kb.names.words import words
from arcaneqa.kb.terms import XSD
from arcaneqa.kb.values import CURRENCIES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# What tells the rows of a table apart, and what leads from rows to rows.


IDENTIFIES = re.compile(
    r"(^| )(id|ids|code|key|nr|no|num|number|iso|isbn|sku|uuid|guid|abbr|abbreviation|ref)$"
)
ENDINGS = ("id", "no", "nr", "num", "code", "key")
"""Of words written as one, "stuid", "dno"."""
_NUMBERED = re.compile(r" [0-9]+$")
"""The first and the second of two: "club_id_1"."""


@dataclass(frozen=True, slots=True)
class Link:
    """Cells of `columns` are those of `targets` in one row of `table`; where there is a `separator`, the one
    column's cells are lists of them."""

    columns: tuple[str, ...]
    table: Loaded
    targets: tuple[str, ...]
    separator: str | None = None


class RowKeys:
    """Which columns of the tables tell their rows apart; each is looked at once."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection
        self._unique: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._keys: dict[str, tuple[str, ...]] = {}

    def unique(self, table: Loaded, columns: Sequence[str]) -> bool:
        """Every row has a value of its own there, and none is blank."""
        name = (table.place, tuple(columns))
        if name not in self._unique:
            cells = [f"trim({table.cell(column)})" for column in columns]
            filled = " AND ".join(f"coalesce({cell}, '') <> ''" for cell in cells)
            counts = f"count(*), count(*) FILTER ({filled}), count(DISTINCT ({', '.join(cells)}))"
            row = self._connection.execute(f"SELECT {counts} FROM {table.place}").fetchone()
            assert row is not None
            self._unique[name] = row[0] > 0 and row[0] == row[1] == row[2]
        return self._unique[name]

    def rows(self, table: Loaded) -> int:
        row = self._connection.execute(f"SELECT count(*) FROM {table.place}").fetchone()
        assert row is not None
        return int(row[0])

    def key(self, table: Loaded) -> tuple[str, ...]:
        """What the table is known to be keyed by; without any such column, () for the row's number."""
        if table.place not in self._keys:
            self._keys[table.place] = self._key(table)
        return self._keys[table.place]

    def _key(self, table: Loaded) -> tuple[str, ...]:
        if table.key and self.unique(table, table.key):
            return table.key
        named = [column for column in table.columns if identifies(table.plain(column))]
        for column in (*named, *table.columns[:1]):
            if self.unique(table, [column]):
                return (column,)
        return ()


def identifies(column: str) -> bool:
    said = unnumbered(words(column))
    return IDENTIFIES.search(said) is not None or said.endswith(ENDINGS)


def unnumbered(said: str) -> str:
    return _NUMBERED.sub("", said)


# Cells that hold several values: the lines of a station as "1, 5, 8", the genres of a film as
# "drama|war".


_SEPARATORS = (";", "|", ",")
_LISTED_SAMPLE = 20_000
"""Rows that are looked at."""
_SEVERAL = 0.05
"""Share of the filled cells that must hold several values."""
_LEAST = 3
"""Cells with several values below which nothing is known."""
_ELSEWHERE = 0.8
"""Share of what follows others that must stand first elsewhere."""
_OFTEN = 3
"""Times that a value occurs whose places tell something."""
_MOVES = 0.5
"""Share of such values behind others that must not always be as far from the end."""
_TWICE = 2
"""Times that a value occurs, on average: what hardly recurs is a text."""
_LONGEST = 30
"""Characters of a value, on average."""
_LENGTHS = 3
"""Different numbers of values in the cells of a list that is told by them: alone, two, and more."""
_STRAY = 0.1
"""Share of such cells that may have a comma too many."""
_IN_NAMES = "[A-Za-z].*[0-9],[0-9]|[0-9],[0-9].*[A-Za-z]"
"""Commas in a name, as in 1,2-xylene or 10,000 Maniacs."""


def separator(connection: DuckDBPyConnection, place: str, cell: str) -> str | None:
    """What stands between the values of a column's cells, if they are lists."""
    return next((sign for sign in _SEPARATORS if _separates(connection, place, cell, sign)), None)


def parts(cell: str, sign: str) -> str:
    """SQL for the values of a cell, one a row."""
    return f"nullif(unnest(list_distinct({_split(cell, sign)})), '')"


def _split(cell: str, sign: str) -> str:
    return f"regexp_split_to_array({cell}, '\\s*{re.escape(sign)}\\s*')"


def _separates(connection: DuckDBPyConnection, place: str, cell: str, sign: str) -> bool:
    counted = connection.execute(
        f"WITH cells AS (SELECT {_split(cell, sign)} AS list FROM {place} "
        f"WHERE {cell} <> '' LIMIT {_SAMPLE}), "
        "parts AS (SELECT list[place] AS part, place, len(list) - place AS behind FROM "
        "(SELECT list, unnest(range(1, len(list) + 1)) AS place FROM cells)), "
        "often AS (SELECT part, count(DISTINCT behind) > 1 AS moves FROM parts "
        f"GROUP BY part HAVING count(*) >= {_OFTEN}) "
        "SELECT (SELECT count(*) FROM cells), (SELECT count(*) FROM cells WHERE len(list) > 1), "
        "(SELECT count(DISTINCT len(list)) FROM cells), "
        "count(*), count(DISTINCT part), avg(length(part)), count(*) FILTER (part = ''), "
        "count(*) FILTER (place > 1), "
        "count(*) FILTER (place > 1 AND part IN (SELECT part FROM parts WHERE place = 1)), "
        "count(*) FILTER (place > 1 AND part IN (SELECT part FROM often)), "
        "count(*) FILTER (place > 1 AND part IN (SELECT part FROM often WHERE moves)) FROM parts"
    ).fetchone()
    filled, several, lengths, values, different, length, empty, later, first_elsewhere, often, moving = (
        counted or (0,) * 11
    )
    if several < max(_LEAST, _SEVERAL * filled) or length > _LONGEST:
        return False
    sign = re.escape(sign)
    # Within a sentence or a name the sign stands otherwise.
    if lengths >= _LENGTHS and not _occurs(connection, place, cell, f"{sign} |{_IN_NAMES}"):
        return bool(empty <= _STRAY * several)
    if values < _TWICE * different or empty:
        return False
    in_any_order = lengths >= _LENGTHS and often >= _LEAST and moving >= _MOVES * often
    return bool(
        first_elsewhere >= _ELSEWHERE * later
        or (in_any_order and not _occurs(connection, place, cell, f"{sign}\\S"))
    )


def _occurs(connection: DuckDBPyConnection, place: str, cell: str, pattern: str) -> bool:
    found = f"SELECT 1 FROM {place} WHERE regexp_matches({cell}, '{pattern}') LIMIT 1"
    return connection.execute(found).fetchone() is not None


# What the cells of a column are: numbers (with a unit), dates, moments, truth values or text.


_SAMPLE = 2_000
"""Rows that propose a kind before all of them confirm it; only time depends on the number."""
_BLANKS = (
    "('', 'NULL', 'null', 'N/A', 'n/a', 'n.a.', '#N/A', 'NA', 'NaN', 'nan', '-', '--', '–', '—', '?', '..', "
    "'...', 'None', 'none', 'unknown', 'Unknown', 'TBD', 'tbd', 'missing')"
)
_WHOLE = r"[+-]?(0|[1-9][0-9]*)"
_GROUPED = r"[+-]?([1-9][0-9]{0,2}(,[0-9]{3})+|0|[1-9][0-9]*)(\.[0-9]+)?"
_DOUBLE = r"[+-]?[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+"
_SWAPPED = "translate({}, ',.', '.,')"
"""SQL for a cell with its commas as points and its points as commas."""
_SIGNED = "regexp_replace(replace({}, '−', '-'), '^[(]([^()]+)[)]$', '-\\1')"
"""SQL for a cell with a printer's minus, or a bookkeeper's brackets, as a plain minus."""
_FACTORS = {"k": 3, "thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
_SCALED = rf"([$€£¥₹]?) ?({_GROUPED}) ?({'|'.join(_FACTORS)})?"
_MEASURED = re.compile(rf"([$€£¥₹]?) ?({_GROUPED}) ?([$€£¥₹%]|°?[A-Za-zµ²³/]{{1,10}})?")
_ORDINALS = {"st", "nd", "rd", "th"}
_DATES = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    # Before those of four figures, by which 90 would be the year 90.
    "%d.%m.%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%d-%b-%y",
    "%d-%b-%Y",
)
_MONTHS = ("%b-%y", "%b %y", "%b-%Y", "%b %Y", "%B %Y", "%m/%Y")
_AHEAD = 10
"""Years from now on: a year of two figures that would be later is one of the century before."""
_PARTIAL = "[0-9]{4}-(00-00|[0-9]{2}-00|[0-9]{2}-[0-9]{2})"
"""A day, or a month or a year that has zeros for what is not known."""
_MOMENTS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%g",
    "%Y-%m-%d %H:%M",
    "%m/%d/%y %H:%M",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
)
_SHOWN_AS = (
    dict.fromkeys(_DATES, ("date", "%Y-%m-%d"))
    | dict.fromkeys(_MONTHS, ("gYearMonth", "%Y-%m"))
    | dict.fromkeys(_MOMENTS, ("dateTime", "%Y-%m-%dT%H:%M:%S"))
)
"""The type of what is written in each form, and its lexical form."""
_MOST_ODD = 0.02
"""Share of the filled cells of a column that may be no number or date where all others are; they are left out
and told."""
_SURE = 50
"""Filled cells below which every one of them counts."""
_DAY = "(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
_DAYS = frozenset(("date", "day", "birthday", "dates", "days"))
_OTHERWISE = 3
"""Different days of two centuries that are no number's chance, whatever the column is called."""
_ENOUGH = 20
"""Cells from which on nothing but ones and zeros is no chance."""
_ASKING = frozenset(("is", "are", "was", "were", "has", "have", "had", "can", "does", "did"))
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS = frozenset((*_WEEK, *(day[:3] for day in _WEEK)))
_WORKING = 5
"""Days that a week has at least, of which columns tell."""
_AMOUNTS = frozenset(
    [
        "number",
        "num",
        "no",
        "nr",
        "n",
        "count",
        "quantity",
        "amount",
        "total",
        "sum",
        "score",
        "rank",
        "level",
        "grade",
        "rating",
        "order",
        "class",
        "group",
        "code",
        "type",
        "id",
        "age",
        "year",
        "size",
    ]
)
_TRUTHS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"))


@dataclass(frozen=True, slots=True)
class Column:
    """`lexical` is an SQL expression over the cell: the literal's text, or NULL for a blank. `separator` is
    what stands between the texts of a cell that holds several."""

    name: str
    lexical: str
    datatype: str | None = None
    unit: str | None = None
    separator: str | None = None
    odd: tuple[int, str] | None = None
    """How many cells were left out because they are of another kind, and one of them."""

    @property
    def values(self) -> str:
        """SQL for what a cell holds, each value a row."""
        return parts(self.lexical, self.separator) if self.separator else self.lexical


def read_columns(table: Loaded, connection: DuckDBPyConnection) -> list[Column]:
    """Every column of a table that is not blank throughout and does not only number the rows, unnamed."""
    commas = _has_decimal_commas(table, connection)
    found: dict[str, Column | None] = {}
    for name in table.columns:
        cell = f"trim({table.cell(name)})"
        some = f"{table.place} USING SAMPLE reservoir({_SAMPLE} ROWS) REPEATABLE (7)"
        sample = f"(SELECT {table.cell(name)} FROM {some})"
        if NAMELESS.fullmatch(name) and _numbers_rows(table, connection, cell):
            continue
        is_truth = name in table.booleans or _is_yes_or_no(table, connection, name)
        declared = _truths(name, cell, (*_TRUTHS, ("1", "0"))) if is_truth else ()
        kinds = [*declared, *_kinds(table, connection, name, cell, commas)]
        found[name] = next(
            (
                column
                for column, test in kinds
                if not _fails(connection, sample, cell, test)
                and not _fails(connection, table.place, cell, test)
            ),
            None,
        ) or _mostly(table, connection, cell, kinds)
    blanks = _used_blanks(table, [name for name, column in found.items() if column], connection)
    read = (column or _text(table, name, blanks, connection) for name, column in found.items())
    return [column for column in read if column is not None]


def _mostly(
    table: Loaded, connection: DuckDBPyConnection, cell: str, kinds: Sequence[tuple[Column, str]]
) -> Column | None:
    """The first kind that nearly all cells are of."""
    for column, test in kinds:
        is_odd = f"{cell} NOT IN {_BLANKS} AND NOT coalesce({test}, false)"
        counted = connection.execute(
            f"SELECT count(*) FILTER ({cell} NOT IN {_BLANKS}), count(*) FILTER ({is_odd}), "
            f"min({cell}) FILTER ({is_odd}) FROM {table.place}"
        ).fetchone()
        filled, odd, example = counted or (0, 0, "")
        if column.datatype is not None and filled >= _SURE and 0 < odd <= _MOST_ODD * filled:
            lexical = f"CASE WHEN {test} THEN {column.lexical} END"
            return replace(column, lexical=lexical, odd=(odd, example))
    return None


def _text(table: Loaded, name: str, blanks: str, connection: DuckDBPyConnection) -> Column | None:
    cell = f"CASE WHEN trim({table.cell(name)}) NOT IN {blanks} THEN trim({table.cell(name)}) END"
    if not _any(connection, table.place, f"{cell} IS NOT NULL"):
        return None
    return Column(name, cell, separator=separator(connection, table.place, cell))


def _used_blanks(table: Loaded, typed: Iterable[str], connection: DuckDBPyConnection) -> str:
    """What the table writes into cells that it leaves blank, as numbers and dates tell: NA may be Namibia,
    but not beside a weight of NA."""
    used = {""}
    for name in typed:
        cell = f"trim({table.cell(name)})"
        rows = connection.execute(f"SELECT DISTINCT {cell} FROM {table.place} WHERE {cell} IN {_BLANKS}")
        used.update(row[0] for row in rows.fetchall())
    return "(" + ", ".join(f"'{word}'" for word in sorted(used)) + ")"


def _kinds(
    table: Loaded, connection: DuckDBPyConnection, name: str, cell: str, commas: bool
) -> Iterator[tuple[Column, str]]:
    """Kinds that the first filled cells allow, each with the test that a cell must pass."""
    texts = _first(table, connection, cell)
    if not texts:
        return
    filled = f"CASE WHEN {cell} NOT IN {_BLANKS} THEN {cell} END"
    if _are_days(table, connection, name, cell, texts):
        day = f"try_strptime({filled}, '%Y%m%d')"
        test = f"{_matches(cell, f'[1-9][0-9]{{3}}{_DAY}')} AND {day} IS NOT NULL"
        yield Column(name, f"strftime({day}, '%Y-%m-%d')", XSD + "date"), test
    if commas:
        yield from _numbers(table, connection, name, _SWAPPED.format(cell))
    yield from _numbers(table, connection, name, cell)
    yield from _numbers(table, connection, name, _SIGNED.format(cell))
    are_partial = all(re.fullmatch(_PARTIAL, text) for text in texts)
    if are_partial and _any(connection, table.place, f"{cell} LIKE '%-00'"):  # each gets its own kind
        partial = f"regexp_replace({filled}, '(-00)+$', '')"
        yield Column(name, partial), _matches(cell, _PARTIAL)
    for form in _parsing(connection, texts):
        parsed = _parsed(filled, form)
        kind, shown = _SHOWN_AS[form]
        yield Column(name, f"strftime({parsed}, '{shown}')", XSD + kind), f"{parsed} IS NOT NULL"
    yield from _truths(name, cell, [pair for pair in _TRUTHS if all(text.lower() in pair for text in texts)])


def _parsed(cell: str, form: str) -> str:
    """SQL for the moment that a cell tells; years of two figures are not far ahead."""
    parsed = f"try_strptime({cell}, '{form}')"
    if "%y" not in form:
        return parsed
    last = date.today().year + _AHEAD
    return f"CASE WHEN year({parsed}) > {last} THEN {parsed} - INTERVAL 100 YEAR ELSE {parsed} END"


def _are_days(
    table: Loaded, connection: DuckDBPyConnection, name: str, cell: str, texts: Sequence[str]
) -> bool:
    """Whether eight digits are a year, a month and a day, as `20190720` among dates is: of a key, of which
    numbers may be counted on, only where its name says so."""
    if not all(re.fullmatch(f"[0-9]{{4}}{_DAY}", text) for text in texts):
        return False
    if not _DAYS.isdisjoint(words(name).split()):
        return True
    in_two_centuries = f"(19|20)[0-9]{{2}}{_DAY}"
    return (
        not identifies(table.plain(name))
        and len(set(texts)) >= _OTHERWISE
        and not _fails(connection, table.place, cell, _matches(cell, in_two_centuries))
    )


def _numbers(
    table: Loaded, connection: DuckDBPyConnection, name: str, cell: str
) -> Iterator[tuple[Column, str]]:
    texts = _first(table, connection, cell)
    filled = f"CASE WHEN {cell} NOT IN {_BLANKS} THEN {cell} END"
    if all(re.fullmatch(_WHOLE, text) for text in texts):
        yield Column(name, filled, XSD + "integer"), _matches(cell, _WHOLE)
    if all(re.fullmatch(_GROUPED, text) for text in texts):
        plain = f"replace({filled}, ',', '')"
        kind = "integer" if not _any(connection, table.place, f"contains({cell}, '.')") else "decimal"
        yield Column(name, plain, XSD + kind), _matches(cell, _GROUPED)
    if all(re.fullmatch(f"{_GROUPED}|{_DOUBLE}", text) for text in texts):
        yield Column(name, filled, XSD + "double"), _matches(cell, f"({_GROUPED})|({_DOUBLE})")
    if any(_scale(text) for text in texts) and all(re.fullmatch(_SCALED, text) for text in texts):
        digits = f"replace(regexp_extract({filled}, '{_GROUPED}'), ',', '')::DECIMAL(38, 9)"
        factor = " ".join(
            f"WHEN {cell} LIKE '%{word}' THEN 1e{power}::DECIMAL(38, 0)" for word, power in _FACTORS.items()
        )
        signs = {text[0] for text in texts if text[0] in CURRENCIES}
        unit_of_all = CURRENCIES[signs.pop()] if len(signs) == 1 else None
        scaled = f"rtrim(rtrim(({digits} * CASE {factor} ELSE 1 END)::DECIMAL(38, 6)::VARCHAR, '0'), '.')"
        yield Column(name, scaled, XSD + "decimal", unit_of_all), _matches(cell, _SCALED)
    unit = _unit(texts)
    if unit is not None:
        before, after = unit
        test = re.escape(before) + " ?" + _GROUPED + " ?" + re.escape(after)
        plain = f"replace(regexp_extract({filled}, '{_GROUPED}'), ',', '')"
        words = CURRENCIES.get(before or after, "percent" if after == "%" else after)
        yield Column(name, plain, XSD + "decimal", words), _matches(cell, test)


def _scale(text: str) -> str | None:
    """The word for a power of ten behind a number: "5 million"."""
    found = re.fullmatch(_SCALED, text)
    return found[found.re.groups] if found else None


def _first(table: Loaded, connection: DuckDBPyConnection, cell: str) -> list[str]:
    rows = connection.execute(f"SELECT {cell} FROM {table.place} WHERE {cell} NOT IN {_BLANKS} LIMIT 20")
    return [row[0] for row in rows.fetchall()]


def _has_decimal_commas(table: Loaded, connection: DuckDBPyConnection) -> bool:
    """Whether numbers are written as on the continent, 1.234,5: only a table whose cells no comma separates
    can tell, by a column of numbers with a comma that separates no thousands."""
    if not table.may_have_decimal_commas:
        return False
    for name in table.columns:
        cell = f"trim({table.cell(name)})"
        swapped = _SWAPPED.format(cell)
        if all(re.fullmatch(_GROUPED, text) for text in _first(table, connection, swapped)):
            tells = _any(connection, table.place, f"regexp_matches({cell}, ',([0-9]{{1,2}}|[0-9]{{4,}})$')")
            if tells and not _fails(connection, table.place, cell, _matches(swapped, _GROUPED)):
                return True
    return False


def _numbers_rows(table: Loaded, connection: DuckDBPyConnection, cell: str) -> bool:
    other = f"try_cast({cell} AS BIGINT) IS DISTINCT FROM rowid"
    return not all(_any(connection, table.place, f"{other} + {first}") for first in (0, 1))


def _truths(name: str, cell: str, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[Column, str]]:
    """Truth values; ones and zeros are such only where the source or the name of the column says so."""
    for yes, no in pairs:
        lexical = f"CASE lower({cell}) WHEN '{yes}' THEN 'true' WHEN '{no}' THEN 'false' END"
        yield Column(name, lexical, XSD + "boolean"), f"lower({cell}) IN ('{yes}', '{no}')"


def _is_yes_or_no(table: Loaded, connection: DuckDBPyConnection, name: str) -> bool:
    """Whether a column of a source without types says yes or no in ones and zeros: `landlocked`, `survived`.
    A plural (`goals`) or a word for an amount names a number. What is asked by the name itself (`is_open`) or
    by the days of a week side by side needs no number of rows, and may be so of all."""
    if table.has_types or not (said := words(name).split()):
        return False
    if said[0] in _ASKING:
        ones, zeros, filled = _ones_and_zeros(table, connection, [name])
        return 0 < ones + zeros == filled
    week = [day for day in table.columns if words(day) in _WEEKDAYS] if words(name) in _WEEKDAYS else []
    if len(week) >= _WORKING:
        ones, zeros, filled = _ones_and_zeros(table, connection, week)
        return bool(ones and zeros and ones + zeros == filled)
    is_plural = said[-1].endswith("s") and not said[-1].endswith(("ss", "us", "is"))
    if is_plural or not _AMOUNTS.isdisjoint(said):
        return False
    ones, zeros, filled = _ones_and_zeros(table, connection, [name])
    return bool(ones and zeros and ones + zeros == filled >= _ENOUGH)


def _ones_and_zeros(
    table: Loaded, connection: DuckDBPyConnection, names: Sequence[str]
) -> tuple[int, int, int]:
    """How many cells of some columns are ones, zeros, and filled."""
    cells = ", ".join(f"trim({table.cell(name)})" for name in names)
    counted = connection.execute(
        f"SELECT count(*) FILTER (v = '1'), count(*) FILTER (v = '0'), count(*) FILTER (v NOT IN {_BLANKS}) "
        f"FROM (SELECT unnest([{cells}]) AS v FROM {table.place})"
    ).fetchone()
    return counted or (0, 0, 0)


def _unit(texts: list[str]) -> tuple[str, str] | None:
    """What stands before and after all the numbers alike, if anything does."""
    parts = {(m[1], m[m.re.groups] or "") if (m := _MEASURED.fullmatch(text)) else ("", "") for text in texts}
    if len(parts) != 1 or parts == {("", "")}:
        return None
    ((before, after),) = parts
    return None if after in _ORDINALS or (before and after) else (before, after)


def _parsing(connection: DuckDBPyConnection, texts: list[str]) -> list[str]:
    """Which ways to write dates and moments all the texts are written in."""
    tests = ", ".join(f"bool_and(try_strptime(text, '{form}') IS NOT NULL)" for form in _SHOWN_AS)
    found = connection.execute(f"SELECT {tests} FROM (SELECT unnest(?) AS text)", [texts]).fetchone()
    return [form for form, is_so in zip(_SHOWN_AS, found or (), strict=False) if is_so]


def _matches(cell: str, pattern: str) -> str:
    return f"regexp_full_match({cell}, '{pattern}')"


def _fails(connection: DuckDBPyConnection, place: str, cell: str, test: str) -> bool:
    return _any(connection, place, f"{cell} NOT IN {_BLANKS} AND NOT coalesce({test}, false)")


def _any(connection: DuckDBPyConnection, place: str, condition: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {place} WHERE {condition} LIMIT 1").fetchone() is not None
