"""Tables as facts: SQLite, CSV, TSV and Parquet become N-Triples, which the build reads like any other file.

In the manner of W3C's Direct Mapping: a table is a class, a row an entity, a column a relation, a foreign
key a link between rows. A table that only pairs the rows of two others is a relation between them.
"""

from arcaneqa.kb.build.tables.triples import PREFIXES, Told, write_triples

__all__ = ["PREFIXES", "Told", "write_triples"]
