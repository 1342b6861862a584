"""Which stretches of a question name something, as the encoder sees them: a small network over its vectors.

The encoder reads the question alone, once. A stretch is its first, its last and its mean vector; one hidden
layer turns them into a correction of what the linker knows by words and names. It is stored beside the
encoder it was trained for, and fits no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays

from arcaneqa.atomic import beside
from arcaneqa.errors import ModelError
from arcaneqa.model.reader import QuestionReader, ReadQuestion
from arcaneqa.model.stored import Floats, manifest_of
from arcaneqa.sealed import seal_again

FILE = "spans.safetensors"
Stretch = tuple[int, int]
"""From the first character to behind the last."""

_AGAIN = "train it again (`python -m recipes.linker --head MODEL KB=RECORDS.jsonl`), or delete it"
_ARRAYS = ("inward", "bias", "outward", "known")


@dataclass(frozen=True, slots=True)
class SpanHead:
    """`inward` and `bias` lead to the hidden layer, `outward` from there. `known` are the factor of the
    linker's own log-odds, and what is added to all."""

    inward: Floats
    bias: Floats
    outward: Floats
    known: Floats

    def odds(self, stretches: Floats, known: Floats) -> Floats:
        """Log-odds of stretches (rows of `stretch_vectors`) to be mentions; `known` are the linker's."""
        hidden = np.maximum(stretches @ self.inward + self.bias, 0)
        found: Floats = hidden @ self.outward + self.known[0] * known + self.known[1]
        return found

    def save(self, folder: Path) -> None:
        """Beside the model it was trained for, as half floats."""
        arrays = {name: getattr(self, name).astype(np.float16) for name in _ARRAYS}
        with beside(folder / FILE) as draft:
            draft.write_bytes(save_arrays(arrays, {"encoder": encoder_of(folder)}))
        seal_again(folder)

    @classmethod
    def of_model(cls, folder: Path) -> SpanHead | None:
        """The one in a model's folder; None where it has none. A ModelError where it is another encoder's."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                encoder = (file.metadata() or {}).get("encoder")
                head = cls(**{name: file.get_tensor(name).astype(np.float32) for name in _ARRAYS})
        except (SafetensorError, OSError, TypeError) as error:
            raise ModelError(f"{path} cannot be read ({error}); {_AGAIN}.") from error
        if encoder != encoder_of(folder):
            raise ModelError(f"{path} was trained for another encoder; {_AGAIN}.")
        return head


def encoder_of(folder: Path) -> str:
    """Tells encoders apart: a digest of all the files a model consists of."""
    files = manifest_of(folder)["files"]
    return hashlib.sha256("".join(sorted(files.values())).encode()).hexdigest()


def stretch_vectors(question: ReadQuestion, stretches: Sequence[Stretch]) -> tuple[Floats, NDArray[np.bool_]]:
    """A row a stretch, and which stretches the encoder has read: long questions are cut."""
    places = np.array([question.pieces.find(start, end) for start, end in stretches], np.int64).reshape(-1, 2)
    met = places[:, 1] > places[:, 0]
    return _described(question.vectors, places * met[:, None]), met


def _described(vectors: Floats, places: NDArray[np.int64]) -> Floats:
    """First, last and mean vector of pieces `first` to `last` (exclusive)."""
    first, last = places[:, 0], np.maximum(places[:, 1], places[:, 0] + 1)
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0)])
    mean = (sums[last] - sums[first]) / (last - first)[:, None].astype(np.float32)
    return np.concatenate([vectors[first], vectors[last - 1], mean], axis=1)


class SpanScorer:
    """Implements `linking.linker.SpanScorer` with a head and the encoder it was trained for."""

    def __init__(self, head: SpanHead, reader: QuestionReader) -> None:
        self._head = head
        self._reader = reader

    def begin(self, question: str) -> Callable[[Sequence[Stretch], NDArray[np.float64]], NDArray[np.float64]]:
        read = self._reader.begin(question)

        def odds(stretches: Sequence[Stretch], known: NDArray[np.float64]) -> NDArray[np.float64]:
            vectors, met = stretch_vectors(read(), stretches)
            corrected = self._head.odds(vectors, known.astype(np.float32)).astype(np.float64)
            return np.where(met, corrected, known)

        return odds
