"""An index folder on disk: memory-mapped arrays, one sealed manifest, checked once."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import mmap
import os
import stat
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arcaneqa.support.errors import IndexFormatError
from arcaneqa.support.files import beside, cache_folder, is_only_ours, plain_json
from arcaneqa.support.outputs import FolderKind

# Which index folders were found whole and sound, so that opening one again need not read all of it.


_CLOCK = 100_000_000
"""Nanoseconds that a file must have been left alone: clocks of file systems tick slowly, and a second change
within one tick would not show."""


@dataclass(frozen=True)
class FileState:
    """What would be different had one of the files been touched, and when one last was."""

    folder: Path
    text: str
    changed: int


def state_of(folder: Path, seal: str, names: Iterable[str]) -> FileState:
    """Of these files, which should match what `seal` seals."""
    stats = [(name, (folder / name).stat()) for name in sorted(names)]
    rows = [(n, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev) for n, s in stats]
    text = hashlib.sha256(json.dumps(["sound", seal, rows]).encode()).hexdigest()
    return FileState(folder, text, max((s.st_ctime_ns for _, s in stats), default=0))


def is_trusted(state: FileState) -> bool:
    """Whether in this state the files were found to match their checksums, and to fit together."""
    try:
        return _note(state.folder).read_text(encoding="ascii") == state.text
    except (OSError, UnicodeDecodeError):
        return False


def trust(state: FileState) -> None:
    """Note that in this state the files match. Where no note can be kept, they are read each time."""
    if time.time_ns() - state.changed < _CLOCK:
        return
    with contextlib.suppress(OSError), beside(_note(state.folder)) as draft:
        draft.write_text(state.text, encoding="ascii")


def _note(folder: Path) -> Path:
    """Raises OSError where somebody else may have written one."""
    notes = cache_folder("whole")
    if not is_only_ours(notes):
        raise PermissionError(errno.EPERM, "others may write there", str(notes))
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return notes / place


# An index folder on disk: flat memory-mapped arrays, one sealed JSON manifest, nothing pickled.


FORMAT = "arcaneqa-index"
VERSION = 2
"""Of the folder; another one is refused with the command that makes it anew."""
MANIFEST = "manifest.json"
INDEX = FolderKind("an index", MANIFEST, lambda manifest: manifest.get("format") == FORMAT)
"""Whatever its version or state."""
_SMALL = 1 << 20
"""Bytes (1 MiB): larger files that were found whole once are not read again while they stay untouched."""
_LARGE_PAGE = 1 << 21
"""Bytes (2 MiB) of a large page of memory."""

_DTYPES = frozenset(np.dtype(each).str for each in "bBhHiIqQfd?")
"""Of arrays; plain numbers in this machine's order of bytes."""

Array = NDArray[Any]


def narrow(largest: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds `largest`; ids grow to 64 bits only where they must."""
    for dtype in (np.uint16, np.uint32):
        if largest <= np.iinfo(dtype).max:
            return np.dtype(dtype)
    return np.dtype(np.int64)


class ArrayWriter:
    """Appends to one array of the folder, piece by piece."""

    def __init__(self, draft: IndexDraft, name: str, dtype: DTypeLike) -> None:
        self._draft, self._name, self._dtype = draft, name, np.dtype(dtype)
        self._file = (draft.folder / f"{name}.bin").open("wb")
        self.length = 0

    def append(self, piece: Array) -> None:
        self._file.write(np.ascontiguousarray(piece, dtype=self._dtype).data)
        self.length += len(piece)

    def close(self) -> None:
        self._file.close()
        self._draft.arrays[self._name] = {"dtype": self._dtype.str, "length": self.length}

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class IndexDraft:
    """A folder being written. It is an index only once `seal` has put its manifest there; the one before that
    only says whose folder it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arrays: dict[str, dict[str, Any]] = {}
        with beside(folder / MANIFEST) as draft:
            draft.write_text(json.dumps({"format": FORMAT}), encoding="utf-8")

    def writer(self, name: str, dtype: DTypeLike) -> ArrayWriter:
        return ArrayWriter(self, name, dtype)

    def save(self, name: str, array: Array) -> None:
        with self.writer(name, array.dtype) as writer:
            writer.append(array)

    def scatter(self, name: str, dtype: DTypeLike, length: int) -> Array:
        """A new array to be filled in any order."""
        self.arrays[name] = {"dtype": np.dtype(dtype).str, "length": length}
        return new_array(self.folder / f"{name}.bin", dtype, length)

    def load(self, name: str) -> Array:
        return map_array(self.folder / f"{name}.bin", self.arrays[name])

    def take(self, name: str) -> Array:
        """An array that leaves the folder; its file is gone when nobody looks at it any more."""
        found = self.load(name)
        (self.folder / f"{name}.bin").unlink()
        del self.arrays[name]
        return found

    def manifest(self, **facts: Any) -> dict[str, Any]:
        arrays = dict(sorted(self.arrays.items()))  # they are not always written in the same order
        return {"format": FORMAT, "version": VERSION, **facts, "arrays": arrays}

    def seal(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Put every file on disk and checksum what is there; the manifest comes last."""
        paths = _files(self.folder)
        with ThreadPoolExecutor() as threads:
            digests = list(threads.map(_settled, paths))
        files = {
            path.relative_to(self.folder).as_posix(): {"bytes": path.stat().st_size, "sha256": digest}
            for path, digest in zip(paths, digests, strict=True)
        }
        sealed = {**manifest, "files": files}
        sealed["seal"] = _seal(sealed)
        with beside(self.folder / MANIFEST) as draft:
            with draft.open("w", encoding="utf-8") as file:
                json.dump(sealed, file, ensure_ascii=False, indent=1)
            _sync(draft)
        for directory in {path.parent for path in paths} | {self.folder}:
            _sync(directory)
        return sealed


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete index of this version; every file is there and has its size."""
    try:
        manifest = plain_json(folder / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        raise IndexFormatError(
            f"{folder} is not an index: it has no {MANIFEST}. Make one with `arcaneqa index`."
        ) from None
    except OSError as error:
        raise IndexFormatError(f"The index {folder} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise IndexFormatError(_damaged(folder, "its manifest is not JSON")) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise IndexFormatError(f"{folder} is not an index: its {MANIFEST} belongs to something else.")
    if manifest.keys() == {"format"}:
        raise IndexFormatError(f"{folder} is not an index yet: its build did not end. Build it again.")
    if manifest.get("version") != VERSION:
        raise IndexFormatError(
            f"The index {folder} has format version {manifest.get('version')}, this program reads version "
            f"{VERSION}; build it again with `arcaneqa index`."
        )
    if manifest.get("seal") != _seal(manifest):
        raise IndexFormatError(_damaged(folder, "its manifest does not match its own checksum"))
    try:
        _check_files(folder, manifest["files"].items())
    except (LookupError, AttributeError, TypeError, ValueError):
        raise IndexFormatError(_damaged(folder, "its manifest does not name its files")) from None
    return manifest


def _check_files(folder: Path, files: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Each is a plain file in the folder, of the size that the manifest says."""
    for name, facts in files:
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise IndexFormatError(_damaged(folder, f"{name!r} is outside of it"))
        try:
            found = (folder / name).stat()
        except OSError:
            raise IndexFormatError(_damaged(folder, f"{name} is missing")) from None
        if not stat.S_ISREG(found.st_mode):
            raise IndexFormatError(_damaged(folder, f"{name} is not a plain file"))
        if found.st_size != facts["bytes"]:
            raise IndexFormatError(
                _damaged(folder, f"{name} has {found.st_size} bytes, not {facts['bytes']}")
            )


def read_seal(folder: Path) -> str | None:
    """Which build the folder holds at this moment; None where it holds none."""
    try:
        return str(plain_json(folder / MANIFEST)["seal"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def open_manifest(folder: Path, check: Callable[[Path, dict[str, Any]], None]) -> dict[str, Any]:
    """The same, and every file matches its checksum and passes the `check` of what it holds. Large files are
    read for that only where they are not known to be as they were when they were last read."""
    manifest = read_manifest(folder)
    state = _large_files(folder, manifest)
    if is_trusted(state):
        small = {name: facts for name, facts in manifest["files"].items() if not _is_large(facts)}
        _compare(folder, small)
    else:
        _compare(folder, manifest["files"])
        for name in manifest["arrays"]:
            if f"{name}.bin" not in manifest["files"]:
                raise IndexFormatError(_damaged(folder, f"{name} has no checksum"))
        check(folder, manifest)
        trust(state)
    return manifest


def trust_built(folder: Path, manifest: dict[str, Any]) -> None:
    """A folder that has just been sealed need not be read again."""
    trust(_large_files(folder, manifest))


def verify(folder: Path) -> int:
    """Check every checksum, reading everything; the number of files."""
    manifest = read_manifest(folder)
    _compare(folder, manifest["files"])
    return len(manifest["files"])


def _large_files(folder: Path, manifest: dict[str, Any]) -> FileState:
    large = (name for name, facts in manifest["files"].items() if _is_large(facts))
    return state_of(folder, manifest["seal"], large)


def _compare(folder: Path, files: dict[str, Any]) -> None:
    """Several large files at a time: one processor alone is slower than most disks. Small ones are read
    sooner than a thread begins."""
    large = [name for name, facts in files.items() if _is_large(facts)]
    try:
        digests = {name: file_digest(folder / name) for name in files if name not in large}
        with ThreadPoolExecutor() as threads:
            digests |= zip(large, threads.map(lambda name: file_digest(folder / name), large), strict=True)
    except OSError as error:
        raise IndexFormatError(f"The index {folder} cannot be read: {error.strerror}.") from None
    for name, facts in files.items():
        if digests[name] != facts["sha256"]:
            raise IndexFormatError(_damaged(folder, f"{name} does not match its checksum"))


def _is_large(facts: dict[str, Any]) -> bool:
    return bool(facts["bytes"] > _SMALL)


def map_array(path: Path, facts: dict[str, Any]) -> Array:
    """The array in place, read-only; nothing is read before it is used."""
    dtype, length = np.dtype(facts["dtype"]), facts["length"]
    if dtype.str not in _DTYPES or length * dtype.itemsize != path.stat().st_size:
        raise ValueError(f"{path.stem} is not an array of {facts['length']} {facts['dtype']}")
    if length == 0:
        return np.empty(0, dtype)
    # Not np.memmap, whose subclass costs a microsecond on every slice.
    return np.frombuffer(_mapped(path), dtype, length)


def _mapped(path: Path) -> mmap.mmap:
    """The file in place, in large pages where the system can: sets are spread over more small pages than a
    processor remembers the places of."""
    with path.open("rb") as file:
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if len(found) >= _LARGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system built without them
            found.madvise(mmap.MADV_HUGEPAGE)
    return found


def new_array(path: Path, dtype: DTypeLike, length: int) -> Array:
    """A writable array in a new file. Its space is taken at once: a disk that is full says so here, and not
    by killing the process when a page is written back."""
    with path.open("wb") as file:
        if length == 0:
            return np.empty(0, dtype)
        size = length * np.dtype(dtype).itemsize
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
    return np.asarray(np.memmap(path, dtype, "r+", shape=(length,)))


def file_digest(path: Path) -> str:
    if path.stat().st_size < _LARGE_PAGE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    # Whoever reads a file first decides on the size of the pages that it then has for all.
    with _mapped(path) as text:
        return hashlib.sha256(text).hexdigest()


def _settled(path: Path) -> str:
    """The checksum of a file that is on disk, read from there and not from the pages it was written to."""
    _sync(path)
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return file_digest(path)


def _seal(manifest: dict[str, Any]) -> str:
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(folder: Path, reason: str) -> str:
    return f"The index {folder} is damaged: {reason}. Build it again with `arcaneqa index`."


class Strings:
    def __init__(self, heap: Array, offsets: Array) -> None:
        self._heap, self._offsets = heap.data, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> str:
        return str(self._heap[self._offsets[position] : self._offsets[position + 1]], "utf-8")

    def many(self, positions: NDArray[np.int64]) -> list[str]:
        starts, ends = self._offsets[positions].tolist(), self._offsets[positions + 1].tolist()
        heap = self._heap
        return [str(heap[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]
