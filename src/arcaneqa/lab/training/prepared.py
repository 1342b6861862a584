"""A prepared set on disk: every decision of every question, without repeats, and no knowledge base.

Strings, candidates and candidate sets are stored once and referred to by number. A folder holds a
manifest with checksums, the strings and the arrays, compressed: 100,000 questions fit in some
megabytes. It is written beside its place and renamed.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Candidate, TopicWords
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import plain_json
from arcaneqa.support.outputs import FolderKind
from arcaneqa.support.ragged import Ints, offsets_of

FORMAT = 1
"""Of a prepared folder; another one is refused."""
PREPARED = FolderKind(
    "a prepared set", "manifest.json", lambda found: {"format", "questions", "files"} <= found.keys()
)


@dataclass(frozen=True, slots=True)
class Decided:
    """One token of a gold program: what was admissible, which one it is, and the program before it."""

    candidates: tuple[Candidate, ...]
    gold: int
    context: str


@dataclass(frozen=True, slots=True)
class Example:
    """One question with one choice of topics; the same question may come with several."""

    id: str
    question: str
    topics: tuple[TopicWords, ...]
    steps: tuple[Decided, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Offsets have one entry more than the things they delimit.

    A candidate's `text` and `types` are numbers of `texts` (number 0 is the empty string); its
    `variable` is -1 where it is none.
    """

    ids: list[str]
    questions: list[str]
    contexts: list[str]
    texts: list[str]
    step_offsets: Ints
    step_sets: Ints
    step_gold: Ints
    step_contexts: Ints
    set_offsets: Ints
    set_candidates: Ints
    candidate_kinds: Ints
    candidate_texts: Ints
    candidate_types: Ints
    candidate_variables: Ints
    topic_offsets: Ints
    topic_starts: Ints
    topic_ends: Ints

    def __len__(self) -> int:
        return len(self.questions)


_STRINGS = ("ids", "questions", "contexts", "texts")
_ARRAYS = tuple(field.name for field in fields(Prepared) if field.name not in _STRINGS)


class Builder:
    """Collects examples; numbers are given in order of arrival, so equal input gives equal files."""

    def __init__(self) -> None:
        self._contexts: dict[str, int] = {"": 0}
        self._texts: dict[str, int] = {"": 0}
        self._candidates: dict[tuple[int, int, int, int], int] = {}
        self._sets: dict[tuple[int, ...], int] = {}
        self._ids: list[str] = []
        self._questions: list[str] = []
        self._steps: list[tuple[int, int, int]] = []
        self._step_counts: list[int] = []
        self._topics: list[tuple[int, int]] = []
        self._topic_counts: list[int] = []

    def add(self, example: Example) -> None:
        self._ids.append(_one_line(example.id))
        self._questions.append(_one_line(example.question))
        for step in example.steps:
            members = tuple(self._candidate(candidate) for candidate in step.candidates)
            chosen = self._sets.setdefault(members, len(self._sets))
            context = self._contexts.setdefault(_one_line(step.context), len(self._contexts))
            self._steps.append((chosen, step.gold, context))
        self._step_counts.append(len(example.steps))
        self._topics.extend((topic.start, topic.end) for topic in example.topics)
        self._topic_counts.append(len(example.topics))

    def _candidate(self, candidate: Candidate) -> int:
        key = (
            KIND_INDEX[candidate.kind],
            self._texts.setdefault(_one_line(candidate.text), len(self._texts)),
            self._texts.setdefault(_one_line(candidate.types), len(self._texts)),
            -1 if candidate.variable is None else candidate.variable,
        )
        return self._candidates.setdefault(key, len(self._candidates))

    def absorb(self, other: Prepared) -> None:
        """Add everything of another set, in its order."""
        texts = [self._texts.setdefault(text, len(self._texts)) for text in other.texts]
        contexts = [self._contexts.setdefault(text, len(self._contexts)) for text in other.contexts]
        keys = zip(
            other.candidate_kinds.tolist(),
            other.candidate_texts.tolist(),
            other.candidate_types.tolist(),
            other.candidate_variables.tolist(),
            strict=True,
        )
        candidates = [
            self._candidates.setdefault((kind, texts[text], texts[types], variable), len(self._candidates))
            for kind, text, types, variable in keys
        ]
        members = other.set_candidates.tolist()
        sets = [
            self._sets.setdefault(tuple(candidates[i] for i in members[start:end]), len(self._sets))
            for start, end in pairwise(other.set_offsets.tolist())
        ]
        self._ids += other.ids
        self._questions += other.questions
        steps = zip(
            other.step_sets.tolist(), other.step_gold.tolist(), other.step_contexts.tolist(), strict=True
        )
        self._steps += [(sets[group], gold, contexts[context]) for group, gold, context in steps]
        self._step_counts += np.diff(other.step_offsets).tolist()
        self._topics += zip(other.topic_starts.tolist(), other.topic_ends.tolist(), strict=True)
        self._topic_counts += np.diff(other.topic_offsets).tolist()

    def build(self) -> Prepared:
        steps = np.array(self._steps, np.int64).reshape(-1, 3)
        candidates = np.array(list(self._candidates), np.int64).reshape(-1, 4)
        topics = np.array(self._topics, np.int64).reshape(-1, 2)
        members = [member for group in self._sets for member in group]
        return Prepared(
            ids=self._ids,
            questions=self._questions,
            contexts=list(self._contexts),
            texts=list(self._texts),
            step_offsets=offsets_of(np.array(self._step_counts, np.int64)),
            step_sets=steps[:, 0],
            step_gold=steps[:, 1],
            step_contexts=steps[:, 2],
            set_offsets=offsets_of(np.array([len(group) for group in self._sets], np.int64)),
            set_candidates=np.array(members, np.int64),
            candidate_kinds=candidates[:, 0],
            candidate_texts=candidates[:, 1],
            candidate_types=candidates[:, 2],
            candidate_variables=candidates[:, 3],
            topic_offsets=offsets_of(np.array(self._topic_counts, np.int64)),
            topic_starts=topics[:, 0],
            topic_ends=topics[:, 1],
        )


def _one_line(text: str) -> str:
    return text.replace("\n", " ") if "\n" in text else text


def write(prepared: Prepared, folder: Path, report: dict[str, Any]) -> None:
    """`report` goes into the manifest: where the set comes from and what was left out."""
    with PREPARED.replacing(folder) as draft:
        files = {}
        for name in _STRINGS:
            data = "".join(f"{text}\n" for text in getattr(prepared, name)).encode()
            files[f"{name}.txt.xz"] = _put(draft / f"{name}.txt.xz", data)
        for name in _ARRAYS:
            buffer = io.BytesIO()
            array: Ints = getattr(prepared, name)
            # Differences repeat where offsets never do, so they compress far better.
            counts = np.diff(array) if name.endswith("_offsets") else array
            np.save(buffer, _smallest(counts), allow_pickle=False)
            files[f"{name}.npy.xz"] = _put(draft / f"{name}.npy.xz", buffer.getvalue())
        manifest = {"format": FORMAT, "questions": len(prepared), "files": files, "report": report}
        (draft / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _put(path: Path, data: bytes) -> str:
    packed = lzma.compress(data, preset=6)
    path.write_bytes(packed)
    return hashlib.sha256(packed).hexdigest()


def _smallest(array: Ints) -> NDArray[Any]:
    for kind in (np.int8, np.int16, np.int32):
        if not len(array) or (np.iinfo(kind).min <= array.min() and array.max() <= np.iinfo(kind).max):
            return array.astype(kind)
    return array


def manifest_of(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    try:
        manifest = plain_json(path)
    except FileNotFoundError as error:
        raise InputError(f"{folder} is not a prepared set: make it with `arcaneqa prepare`") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); prepare the set again") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"{folder} is of another version; make it again with `arcaneqa prepare`")
    return manifest


def read(folder: Path) -> Prepared:
    files = manifest_of(folder)["files"]

    def fetch(name: str) -> bytes:
        path = folder / name
        try:
            packed = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}); prepare the set again") from error
        if hashlib.sha256(packed).hexdigest() != files.get(name):
            raise InputError(f"{path} is damaged (its checksum is not the manifest's); prepare the set again")
        return lzma.decompress(packed)

    parts: dict[str, Any] = {}
    for name in _STRINGS:
        parts[name] = fetch(f"{name}.txt.xz").decode().split("\n")[:-1]
    for name in _ARRAYS:
        array = np.load(io.BytesIO(fetch(f"{name}.npy.xz")), allow_pickle=False).astype(np.int64)
        parts[name] = offsets_of(array) if name.endswith("_offsets") else array
    return Prepared(**parts)
