"""The index against other stores: `arcaneqa bench kb`."""

from arcaneqa.bench.kb.run import compare, grow

__all__ = ["compare", "grow"]
