"""The index against other stores: `python -m benchmarks kb`."""

from benchmarks.kb.run import compare, grow

__all__ = ["compare", "grow"]
