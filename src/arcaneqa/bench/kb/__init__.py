"""The index against other stores: `arcaneqa bench kb`."""

from arcaneqa.bench.kb.run import run

__all__ = ["run"]
