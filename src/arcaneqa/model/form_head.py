"""Which forms of programs a question asks for, as the encoder hears them: a small network over its vectors.

The encoder reads the question alone, once. Beside its vectors stands what the words told: which forms they
seem to ask for, and which of those the data has as a column. Stored beside the encoder it was trained for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays

from arcaneqa.atomic import beside
from arcaneqa.errors import ModelError
from arcaneqa.model.reader import QuestionReader, ReadQuestion
from arcaneqa.model.span_head import encoder_of
from arcaneqa.model.stored import Floats
from arcaneqa.sealed import seal_again

FILE = "forms.safetensors"
_AGAIN = "train it again (`python recipes/forms.py MODEL WORK`), or delete it"
_ARRAYS = ("inward", "bias", "outward", "added", "limits")


@dataclass(frozen=True, slots=True)
class FormHead:
    """A chance for each of `forms`; `signs` are the names of what words may tell, in the order of a row.
    `inward` and `bias` lead to the hidden layer, `outward` and `added` from there. `limits` are two chances:
    where words ask for a form it is believed from the first on, and without words from the second on."""

    forms: tuple[str, ...]
    signs: tuple[str, ...]
    inward: Floats
    bias: Floats
    outward: Floats
    added: Floats
    limits: Floats

    def chances(self, rows: Floats) -> Floats:
        """Of rows of `described`, each form's."""
        odds = np.maximum(rows @ self.inward + self.bias, 0) @ self.outward + self.added
        found: Floats = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        return found

    def save(self, folder: Path) -> None:
        """Beside the model it was trained for, as half floats."""
        # Row by row: what is stored is the bytes as they lie.
        arrays = {name: getattr(self, name).astype(np.float16, order="C") for name in _ARRAYS}
        names = {"forms": json.dumps(self.forms), "signs": json.dumps(self.signs)}
        with beside(folder / FILE) as draft:
            draft.write_bytes(save_arrays(arrays, {"encoder": encoder_of(folder), **names}))
        seal_again(folder)

    @classmethod
    def of_model(cls, folder: Path) -> FormHead | None:
        """The one in a model's folder; None where it has none. A ModelError where it is another encoder's."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                told = file.metadata() or {}
                forms, signs = (tuple(json.loads(told[name])) for name in ("forms", "signs"))
                arrays = {name: file.get_tensor(name).astype(np.float32) for name in _ARRAYS}
        except (SafetensorError, OSError, TypeError, ValueError, KeyError) as error:
            raise ModelError(f"{path} cannot be read ({error}); {_AGAIN}.") from error
        if told.get("encoder") != encoder_of(folder):
            raise ModelError(f"{path} was trained for another encoder; {_AGAIN}.")
        return cls(forms, signs, **arrays)


def described(question: ReadQuestion, signs: Mapping[str, bool], names: Sequence[str]) -> Floats:
    """Mean and largest of the words' vectors, the closing mark's, and for each name whether words ask for it
    and whether it is a column then (`signs`)."""
    closing = question.vectors[-1]
    words = question.vectors[:-1] if len(question.vectors) > 1 else question.vectors
    told = [name in signs and signs[name] is is_column for is_column in (False, True) for name in names]
    return np.concatenate([words.mean(0), words.max(0), closing, np.array(told, np.float32)])


class FormScorer:
    """Implements `judgement.lacking.FormScorer` with a head and the encoder it was trained for."""

    def __init__(self, head: FormHead, reader: QuestionReader) -> None:
        self._head = head
        self._reader = reader
        self.heeded, self.sure = head.limits.tolist()

    def chances(self, question: str, signs: Mapping[str, bool]) -> Mapping[str, float]:
        row = described(self._reader.one(question), signs, self._head.signs)
        return dict(zip(self._head.forms, self._head.chances(row[None])[0].tolist(), strict=True))
