"""What an output may take the place of: nothing, what is empty, or what was written there before by us.

Every option that names a file or folder to write asks here, before any work is done for it. In a folder that
is replaced, files that are not ours stay.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcaneqa.support.errors import InputError
from arcaneqa.support.files import beside, plain_json

_HEAD = 1 << 16
"""Bytes (64 KiB) of a file in which its mark is looked for."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that we write, recognised by how it begins."""

    what: str
    beginning: re.Pattern[bytes]

    def begins(self, head: bytes) -> bool:
        return self.beginning.match(head) is not None

    def check(self, path: Path, option: str, inputs: Iterable[Path] = ()) -> None:
        """An InputError where something else would be lost."""
        try:
            if not path.exists():
                return
            if not path.is_file():
                raise InputError(f"{path} is not a plain file; give {option} a new file.")
            if any(each.exists() and path.samefile(each) for each in inputs):
                raise InputError(f"{option} and the input are both {path}; give {option} a new file.")
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            raise InputError(f"{path} cannot be used for {option} ({error.strerror}).") from None
        if head and not self.begins(head):
            raise InputError(f"{path} exists and is not {self.what}; give {option} a new file.")


_TEXT = rb'"(?:[^"\\]|\\.)*"'
_RECORD = rb'\{"id": ' + _TEXT + rb', "question": ' + _TEXT + rb', "program": '
_PROGRAM = rb"(?:null|" + _TEXT + rb"), "
QUESTIONS = FileKind(
    "a file of questions that was written here", re.compile(_RECORD + _PROGRAM + rb'"answers": ')
)
PREDICTIONS = FileKind(
    # Killed in its first line, it has half a record.
    "a file of predictions",
    re.compile(_RECORD + rb"(?:" + _PROGRAM + rb'"sparql": |[^\n]*[^}\n]\Z)'),
)


@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of folder that we write: its manifest is the mark, and names the files; `parts` are those that
    may have been added later."""

    what: str
    manifest: str
    is_ours: Callable[[dict[str, Any]], bool]
    parts: tuple[str, ...] = ()

    def names(self, folder: Path) -> set[str] | None:
        """The files there that are ours; None where the folder is not."""
        try:
            manifest = plain_json(folder / self.manifest)
        except (OSError, ValueError):
            return None
        if not isinstance(manifest, dict) or not self.is_ours(manifest):
            return None
        files = manifest.get("files")
        return {self.manifest, *self.parts, *(files if isinstance(files, dict) else ())}

    def check(self, folder: Path, option: str = "--out") -> None:
        """An InputError where something else would be lost."""
        try:
            is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
        except OSError as error:
            raise InputError(f"{folder} cannot be used for {option} ({error.strerror}).") from None
        if not is_free and self.names(folder) is None:
            raise InputError(
                f"{folder} exists and is not {self.what}; give {option} a new folder, or one to replace."
            )

    def keep_others(self, old: Path, new: Path) -> None:
        """Link what is not ours in `old` into `new`, which is to take its place: at every moment one of them
        has all."""
        ours = self.names(old)
        if not old.is_dir() or ours is None:
            return

        def ours_in(place: str, names: list[str]) -> set[str]:
            return {name for name in names if (Path(place) / name).relative_to(old).as_posix() in ours}

        try:
            shutil.copytree(old, new, True, ours_in, _link, dirs_exist_ok=True)
        except shutil.Error as error:
            kept = Path(error.args[0][0][0])
            raise InputError(f"{kept} is in the way of what is written; move it elsewhere.") from None

    @contextmanager
    def replacing(self, folder: Path, option: str = "--out") -> Iterator[Path]:
        """An empty folder to write in; without an error it takes the place of `folder`, or of what that is a
        link to."""
        folder = folder.resolve()
        self.check(folder, option)
        with beside(folder) as draft:
            draft.mkdir()
            yield draft
            self.keep_others(folder, draft)


def _link(old: str, new: str) -> None:
    """One file under two names, so that whoever is writing it goes on with it; a copy where the file system
    cannot."""
    try:
        os.link(old, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        shutil.copy2(old, new, follow_symlinks=False)
