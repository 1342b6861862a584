"""The model as a scorer of induction: many hypotheses a call, encodings shared, state handed on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arcaneqa.induction.scorer import Candidate, Decision, Heat, Scores, TokenKind
from arcaneqa.model.checkpoint import Model, load
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.encoder import steady_gpu
from arcaneqa.model.heat import heat
from arcaneqa.model.inputs import arrange, exchanged
from arcaneqa.model.network import Encoded
from arcaneqa.model.vocabulary import Asked, Vocabulary

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the encoder made of one question with one set of candidates."""

    candidates: Tensor
    words: Tensor
    questions: Tensor


@dataclass(frozen=True, slots=True)
class _State:
    """The decoder after a step. `rows` are the candidates it chose among, for the next step's input;
    `made` the variables the program has made so far."""

    hidden: Tensor
    memory: Tensor
    attended: Tensor
    rows: Tensor
    kinds: tuple[int, ...]
    made: tuple[Tensor, ...]


class ModelScorer:
    """Implements `induction.scorer.Scorer`; one per thread, since the cache is not locked.

    A forced decision advances the decoder without the encoder. Equal (question, context, candidates)
    are encoded once, also across calls: the newest `cached` encodings are kept. `half` computes the
    encoder in bf16, left to itself wherever the processor is faster at that.
    """

    def __init__(
        self, model: Model, cached: int = 512, tokens_per_call: int = 2_048, half: bool | None = None
    ) -> None:
        self.model = model
        self.network = model.network.eval()
        self.device = next(model.network.parameters()).device
        steady_gpu()
        self._vocabulary = Vocabulary(model.words)
        self._cached = cached
        self._tokens_per_call = tokens_per_call
        self._half = _fast_at_half(self.device) if half is None else half
        self._readings: OrderedDict[Asked, _Reading] = OrderedDict()

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> ModelScorer:
        return cls(load(folder, device))

    @torch.inference_mode()
    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        if not decisions:
            return []
        states = [self._previous(decision) for decision in decisions]
        hidden, memory = self._advance(decisions, states)
        made = [self._made(decisions[i], states[i], hidden[i]) for i in range(len(decisions))]
        attended = torch.stack([state.attended for state in states])
        free = [i for i, decision in enumerate(decisions) if len(decision.candidates) > 1]
        results: list[Scores | None] = [None] * len(decisions)
        if free:
            log_probs, rows, read = self._choose(
                [decisions[i] for i in free], hidden[free], [made[i] for i in free]
            )
            for place, i in enumerate(free):
                kinds = tuple(KIND_INDEX[candidate.kind] for candidate in decisions[i].candidates)
                state = _State(hidden[i], memory[i], read[place], rows[place], kinds, made[i])
                results[i] = Scores(log_probs[place], state)
        for i, decision in enumerate(decisions):
            if results[i] is None:
                results[i] = self._forced(decision, hidden[i], memory[i], attended[i], made[i])
        return [result for result in results if result is not None]

    @torch.inference_mode()
    def heat(self, question: str, context: str, candidates: Sequence[Candidate]) -> Heat:
        """Which words of the question each candidate looks at; computed when somebody wants to see it."""
        return heat(self.network, self._vocabulary, self._vocabulary.asked(question, context, candidates))

    # Parts of a step -------------------------------------------------------------------------

    def _previous(self, decision: Decision) -> _State:
        if isinstance(decision.state, _State):
            return decision.state
        zeros = torch.zeros(self.network.config.hidden, device=self.device)
        return _State(zeros, zeros, zeros, self.network.start[None], (), ())

    def _advance(self, decisions: Sequence[Decision], states: Sequence[_State]) -> tuple[Tensor, Tensor]:
        tokens = torch.stack(
            [state.rows[decision.choice or 0] for decision, state in zip(decisions, states, strict=True)]
        )
        before = (
            torch.stack([state.hidden for state in states]),
            torch.stack([state.memory for state in states]),
        )
        attended = torch.stack([state.attended for state in states])
        return self.network.advance(tokens, attended, before)

    def _made(self, decision: Decision, state: _State, hidden: Tensor) -> tuple[Tensor, ...]:
        """A `)` makes a variable: the state that has just taken it in."""
        closed = state.kinds and state.kinds[decision.choice or 0] == KIND_INDEX[TokenKind.CLOSE]
        return (*state.made, hidden) if closed else state.made

    def _forced(
        self,
        decision: Decision,
        hidden: Tensor,
        memory: Tensor,
        attended: Tensor,
        made: tuple[Tensor, ...],
    ) -> Scores:
        kinds = tuple(KIND_INDEX[candidate.kind] for candidate in decision.candidates)
        rows = self.network.forced.weight[list(kinds)]
        for place, candidate in enumerate(decision.candidates):
            number = _made_number(candidate, decision)
            if number is not None:
                rows = rows.index_add(
                    0, torch.tensor([place], device=self.device), self.network.made(made[number])[None]
                )
        state = _State(hidden, memory, attended, rows, kinds, made)
        return Scores(np.zeros(len(kinds), np.float32), state)

    def _choose(
        self, decisions: Sequence[Decision], hidden: Tensor, made: Sequence[tuple[Tensor, ...]]
    ) -> tuple[list[NDArray[np.float32]], list[Tensor], Tensor]:
        """Log-probabilities, rows of W_t and attended question of each decision."""
        readings = self._read(decisions)
        longest = max(reading.words.shape[0] for reading in readings)
        width, narrow = readings[0].words.shape[1], readings[0].questions.shape[1]
        words = hidden.new_zeros(len(readings), longest, width)
        questions = hidden.new_zeros(len(readings), longest, narrow)
        mask = torch.zeros(len(readings), longest, dtype=torch.bool, device=self.device)
        for place, reading in enumerate(readings):
            length = reading.words.shape[0]
            words[place, :length] = reading.words
            questions[place, :length] = reading.questions
            mask[place, :length] = True
        counts = [len(decision.candidates) for decision in decisions]
        owner = torch.tensor(np.repeat(np.arange(len(counts)), counts), device=self.device)
        topic, span, made_at, made_of = self._variables(decisions, made)
        kinds = torch.tensor(
            [KIND_INDEX[candidate.kind] for decision in decisions for candidate in decision.candidates],
            device=self.device,
        )
        encoded = Encoded(torch.cat([reading.candidates for reading in readings]), words, questions, mask)
        rows, worth = self.network.embed(encoded, kinds, topic, owner[topic], span)
        if made_of:
            rows = rows.index_add(0, made_at, self.network.made(torch.stack(made_of)))
        read = self.network.attend(hidden, questions, mask)
        pointed = self.network.point(hidden, read)
        scores = (rows * pointed[owner]).sum(-1) + worth
        log_probs = [part.log_softmax(0).cpu().numpy() for part in torch.split(scores, counts)]
        return log_probs, list(torch.split(rows, counts)), read

    def _variables(
        self, decisions: Sequence[Decision], made: Sequence[tuple[Tensor, ...]]
    ) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """Which candidates are linked entities, with their spans, and which the program's variables."""
        topics: list[int] = []
        spans: list[_Span] = []
        places: list[int] = []
        vectors: list[Tensor] = []
        place = 0
        for decision, known in zip(decisions, made, strict=True):
            for candidate in decision.candidates:
                number = _made_number(candidate, decision)
                if number is not None:
                    places.append(place)
                    vectors.append(known[number])
                elif candidate.variable is not None:
                    mention = decision.topics[candidate.variable]
                    pieces = self._vocabulary.question(decision.question)
                    found = pieces.find(mention.start, mention.end) if mention.end > mention.start else (0, 0)
                    topics.append(place)
                    spans.append(found)
                place += 1
        return (
            torch.tensor(topics, dtype=torch.long, device=self.device),
            torch.tensor(spans, dtype=torch.long, device=self.device).view(-1, 2),
            torch.tensor(places, dtype=torch.long, device=self.device),
            vectors,
        )

    # The encoder, once for equal inputs ------------------------------------------------------

    def _read(self, decisions: Sequence[Decision]) -> list[_Reading]:
        keys = [self._vocabulary.asked(one.question, one.context, one.candidates) for one in decisions]
        fresh = list(dict.fromkeys(key for key in keys if key not in self._readings))
        found = dict(zip(fresh, self._encode(fresh), strict=True)) if fresh else {}
        readings = []
        for key in keys:
            if key in found:
                self._readings[key] = found[key]
            self._readings.move_to_end(key)
            readings.append(self._readings[key])
        while len(self._readings) > self._cached:
            self._readings.popitem(last=False)
        return readings

    def _encode(self, keys: Sequence[Asked]) -> list[_Reading]:
        packed = self._vocabulary.pack(keys)
        inputs = arrange(packed, self.model.words.pad, self._tokens_per_call)
        inputs = exchanged(inputs, lambda one: one.to(self.device))
        encoded = self.network.encode(inputs, self._half)
        candidates = torch.split(encoded.candidates, [len(asked.candidates) for asked in keys])
        lengths = packed.question_lengths.tolist()
        return [
            _Reading(candidates[i], encoded.words[i, : lengths[i]], encoded.questions[i, : lengths[i]])
            for i in range(len(keys))
        ]


def _fast_at_half(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capable = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return capable is not None and bool(capable())


def _made_number(candidate: Candidate, decision: Decision) -> int | None:
    """Which of the program's own variables a candidate is, if it is one."""
    if candidate.variable is None or candidate.variable < len(decision.topics):
        return None
    return candidate.variable - len(decision.topics)
