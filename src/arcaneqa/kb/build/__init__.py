"""RDF files → index folder, out of core: `build_index`."""

from arcaneqa.kb.build.build import build_index

__all__ = ["build_index"]
