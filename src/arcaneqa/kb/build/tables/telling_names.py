"""Whether the name of a file says what its table lists: `hurricanes.csv` does, `data (1).csv` does not."""

from __future__ import annotations

import re

from arcaneqa.kb.names.words import words

_OF_FILES = """
archive backup book csv data database dataframe dataset datasets datei db df document download dump entries
entry excel export exported extract extracted file files import imported input json kb list output page
parquet queries query raw record records response responses result results row rows sample sheet source
spreadsheet sqlite tabelle table tables temp temporary test text tmp tsv txt unnamed untitled workbook
worksheet xls xlsx
"""
"""What files, and the tables in them, are called as such."""
_OF_VERSIONS = """
a all clean cleaned complete copy final first full latest main merged my new of old original part processed
public set small the train updated v version
"""
"""What else is said of files, and not of what they list."""
_UNTELLING = frozenset((*_OF_FILES.split(), *_OF_VERSIONS.split()))
_HASH = re.compile("[0-9a-f]*[0-9][0-9a-f]*")
"""Figures, and letters between them as in sums and keys: `3f9a1c`."""


def is_telling(name: str) -> bool:
    said = words(name).split()
    return any(word.rstrip("0123456789") not in _UNTELLING and not _HASH.fullmatch(word) for word in said)
