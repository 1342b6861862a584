"""What turns word pieces into vectors when questions are answered: no gradients, and hardly ever torch.

Inputs lie end to end, as `word_pieces.pack` leaves them, and so do the vectors: nothing is padded outside
of a reader.
"""

from __future__ import annotations

import math
import time
from threading import Lock
from typing import Any, Protocol

import numpy as np

from arcaneqa.induction.scorer import Reads
from arcaneqa.int8.plain import PlainReader
from arcaneqa.int8.stored_arrays import Flags, Floats, VectorTable, Words, softmax
from arcaneqa.model.stored import Stored
from arcaneqa.support import loops
from arcaneqa.support.errors import InputError, ModelError, needs
from arcaneqa.support.ragged import Ints, offsets_of

TOKENS_PER_CALL = 2_048
"""More at once are read no faster, and take more memory."""
_PIECE = 3e-4
"""Seconds that a word piece takes in numpy, about."""


class Reader(Protocol):
    width: int

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:
        """A row for every token of inputs that lie end to end. Where it is said which are wanted, others may
        be left half read."""
        ...

    def looks(self, ids: Words) -> Floats:
        """How much each token of one input looks at each other one; rows add up to one."""
        ...


class CountedReader:
    """Counts what a reader reads, for all threads together."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = Lock()
        self.width = reader.width
        self._calls, self._pieces, self._seconds = 0, 0, 0.0

    @property
    def reads(self) -> Reads:
        with self._lock:
            return Reads(self._calls, self._pieces, self._seconds)

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:
        started = time.perf_counter()
        found = self._reader.read(ids, lengths, is_wanted)
        seconds = time.perf_counter() - started
        with self._lock:
            self._calls += 1
            self._pieces += len(ids)
            self._seconds += seconds
        return found

    def looks(self, ids: Words) -> Floats:
        return self._reader.looks(ids)


def reader_of(stored: Stored, device: str = "cpu") -> CountedReader:
    """The lightest reader that can run a model's encoder on a device, named as torch names it."""
    try:
        return CountedReader(_reader_of(stored, device))
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ModelError(
            f"the encoder that {stored.folder} describes does not fit its weights ({error}); "
            "copy or train the model again"
        ) from error


def _reader_of(stored: Stored, device: str) -> Reader:
    if device != "cpu":
        return TorchReader(stored, device)
    if stored.encoder.get("model_type") == "static":
        return StaticReader(stored)
    return AdaptiveReader(stored) if PlainReader.can_read(stored) else TorchReader(stored)


class AdaptiveReader:
    """Reads in numpy until compiled loops are worth it, and by these from then on."""

    def __init__(self, stored: Stored) -> None:
        self._stored, self._lock = stored, Lock()
        self._reader: Reader = PlainReader(stored)
        self.width = self._reader.width
        self._is_settled = False

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:
        return self._chosen(len(ids)).read(ids, lengths, is_wanted)

    def looks(self, ids: Words) -> Floats:
        return self._chosen(len(ids)).looks(ids)

    def _chosen(self, pieces: int) -> Reader:
        if not self._is_settled and loops.are_worth(pieces * _PIECE):
            with self._lock:
                if not self._is_settled:
                    from arcaneqa.int8.bert import BertReader

                    if BertReader.can_read(self._stored):
                        self._reader = BertReader(self._stored)
                    self._is_settled = True
        return self._reader


class StaticReader:
    """Word vectors, whatever stands beside a word."""

    def __init__(self, stored: Stored) -> None:
        self._vectors = VectorTable(stored, "encoder.vectors.weight")
        self.width = self._vectors.width

    # Words know nothing of each other.
    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:  # noqa: ARG002
        return self._vectors[ids]

    def looks(self, ids: Words) -> Floats:
        return alike(self._vectors[ids])


class TorchReader:
    """Any encoder that could be trained, on any device, run by the library it comes from."""

    def __init__(self, stored: Stored, device: str = "cpu") -> None:
        with needs("A model with this encoder, or on this device,", "train"):
            import torch

            from arcaneqa.lab.training.calls import Call
            from arcaneqa.lab.training.encoder import encoder_from

        self._torch, self._call = torch, Call.of
        try:
            self._device = torch.device(device)
            torch.zeros(1, device=self._device)
        except (AssertionError, RuntimeError) as error:
            raise InputError(f"torch has no device {device!r} here; leave the device out") from error
        self._encoder = self._encoder_of(stored, encoder_from(stored.encoder, train_vectors=False)).eval()
        own = [name for name in stored.names() if name.startswith("encoder.")]
        weights: dict[str, Any] = {
            name.removeprefix("encoder."): torch.from_numpy(stored.floats(name)) for name in own
        }
        try:
            self._encoder.load_state_dict(weights)
        except RuntimeError as error:
            raise ModelError(f"the weights in {stored.folder} do not fit its configuration") from error
        self.width = self._encoder.width
        self._encoder.to(self._device)

    def _encoder_of(self, stored: Stored, encoder: Any) -> Any:  # noqa: ARG002 - of other ways to read
        return encoder

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:  # noqa: ARG002
        """Inputs are padded to the longest beside them, which bounds how many go together."""
        starts = offsets_of(lengths)
        read = [
            self._read(ids[starts[part.start] : starts[part.stop]], lengths[part])
            for part in _cut(lengths, TOKENS_PER_CALL, is_padded=True)
        ]
        return np.concatenate(read)

    def _read(self, ids: Words, lengths: Ints) -> Floats:
        with self._torch.inference_mode():
            found: Floats = self._encoder((self._call(ids, lengths).to(self._device),)).cpu().numpy()
        return found

    def looks(self, ids: Words) -> Floats:
        return alike(self.read(ids, np.array([len(ids)])))


def alike(vectors: Floats) -> Floats:
    """How near vectors are to each other, where nobody tells what looked at what."""
    return softmax(vectors @ vectors.T / math.sqrt(vectors.shape[-1]))


def parts(lengths: Ints, most: int = TOKENS_PER_CALL) -> list[slice]:
    """Neighbouring inputs that have at most `most` tokens together; a longer one is alone."""
    return _cut(lengths, most, is_padded=False)


def _cut(lengths: Ints, most: int, is_padded: bool) -> list[slice]:
    found, first, longest, total = [], 0, 0, 0
    for number, length in enumerate(lengths.tolist()):
        longest, total = max(longest, length), total + length
        if number > first and ((number + 1 - first) * longest if is_padded else total) > most:
            found.append(slice(first, number))
            first, longest, total = number, length, length
    return [*found, slice(first, len(lengths))]
