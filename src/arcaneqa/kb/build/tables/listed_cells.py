"""Cells that hold several values: the lines of a station as "1, 5, 8", the genres of a film as "drama|war".

A comma alone says little: "Paris, France" is one place and "Curie, Marie" one person. In a list the values
come in any company, so that what follows another in one cell stands first or alone in others; in long ones,
as of a film's cast, it stands now last and now before others, while what closes an address always does. Where
no comma has a space behind it, now two values and now five are a list: sentences have spaces, pairs are two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SEPARATORS = (";", "|", ",")
_SAMPLE = 20_000
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
