"""What the base install leaves out: the one place that says which extra brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arcaneqa.errors import MissingExtra


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Around the imports of an optional part: a package that is not installed becomes one sentence.

    >>> with needs("Training", "train"):
    ...     import some_package
    Traceback (most recent call last):
    arcaneqa.errors.MissingExtra: Training needs `pip install 'arcaneqa[train]'` (for some_package).
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "arcaneqa"):  # a mistake of ours is not mended by installing anything
            raise
        raise MissingExtra(f"{what} needs `pip install 'arcaneqa[{extra}]'` (for {package}).") from error
