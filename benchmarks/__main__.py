"""The benchmarks behind every figure in the docs: `python -m benchmarks NAME …`, in the project's folder."""

from __future__ import annotations

import sys

from arcaneqa.support.errors import ArcaneError
from benchmarks import how_fast, how_right, shapes  # noqa: F401, importing them makes their verbs known
from benchmarks.app import app

if __name__ == "__main__":
    try:
        app()
    except ArcaneError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(2)
