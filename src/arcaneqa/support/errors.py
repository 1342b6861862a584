"""Every failure a user can meet is one of these, and its text is a sentence that says what to do.

That a part needs an extra, which the base install leaves out, is said by `needs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ArcaneError(Exception):
    """Base of all errors the package raises on purpose."""


class InputError(ArcaneError):
    """A file, an argument or a record is not what it should be."""


class ArgumentError(InputError, ValueError):
    """A function was called with something it cannot take."""


class NotFound(InputError):
    """Nothing here is called so."""


class IndexFormatError(ArcaneError):
    """An index folder is damaged, incomplete or of another version."""


class ProgramError(ArcaneError):
    """A program is malformed or ill typed; `position` is the character offset where that shows."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class BudgetExceeded(ArcaneError):
    """Work was stopped because it would take more time or space than it was given."""


class MissingExtra(ArcaneError):
    """A part was asked for that the base install leaves out."""


class EndpointError(ArcaneError):
    """A SPARQL endpoint could not be reached or gave something that is not an answer."""


class ModelError(ArcaneError):
    """A checkpoint is damaged, incomplete or does not fit."""


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Around the imports of an optional part: a package that is not installed becomes one sentence.

    >>> with needs("Training", "train"):
    ...     import some_package
    Traceback (most recent call last):
    arcaneqa.support.errors.MissingExtra: Training needs `pip install 'arcaneqa[train]'` (for some_package).
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "arcaneqa"):  # a mistake of ours is not mended by installing anything
            raise
        raise MissingExtra(f"{what} needs `pip install 'arcaneqa[{extra}]'` (for {package}).") from error
