"""The model as a scorer of induction: many hypotheses a call, encodings shared, state handed on. No torch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Candidate, Decision, Heat, Ranker, Reads, Scores, TokenKind
from arcaneqa.int8.products import log_chances
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.decoder import Decoder, gathered, is_gathered
from arcaneqa.model.glance import Glance
from arcaneqa.model.heat import heat
from arcaneqa.model.nearness import TextNearness
from arcaneqa.model.reader import TOKENS_PER_CALL, CountedReader, parts, reader_of
from arcaneqa.model.stored import Stored, read_stored
from arcaneqa.model.word_pieces import EncoderInput, KnownPieces, Packed, WordPieces
from arcaneqa.support import loops
from arcaneqa.support.ragged import Ints

_CLOSE = KIND_INDEX[TokenKind.CLOSE]
_START = (KIND_INDEX[TokenKind.END],)
"""The kind of what stands before the first step: anything that makes no variable."""


class _Reading(NamedTuple):
    """What the encoder made of one question with one set of candidates: these as rows, what each is worth by
    itself, and the question's words, before and after the decoder has read them."""

    rows: Floats
    worth: Floats
    words: Floats
    questions: Floats


class _State(NamedTuple):
    """The decoder after a step. `rows` are the candidates it chose among, for the next step's input;
    `made` the variables the program has made so far."""

    hidden: Floats
    memory: Floats
    attended: Floats
    rows: Floats
    kinds: tuple[int, ...]
    made: tuple[Floats, ...]


class ModelScorer:
    """Implements `induction.scorer.Scorer`: threads may share it, and read at the same time.

    A forced decision advances the decoder without the encoder. Equal (question, context, candidates)
    are encoded once, also across calls: the newest `cached` encodings are kept. The encoder reads at
    most `tokens_per_call` at once, which bounds its memory. It runs on `device`; the decoder is too small
    to leave the processor.
    """

    _least = 2
    """Candidates of a decision that the encoder reads; fewer are forced."""

    def __init__(
        self, stored: Stored, device: str = "cpu", cached: int = 256, tokens_per_call: int = TOKENS_PER_CALL
    ) -> None:
        self._stored = stored
        self.config = stored.config
        self._reader = self._reader_of(stored, device)
        self._decoder = self._decoder_of(stored, self._reader.width)
        words = WordPieces(stored.tokenizer, stored.config)
        self._known_pieces = self._pieces_of(words)
        self._nearness = TextNearness(self._reader, words, self._known_pieces)
        self._cached = cached
        self._tokens_per_call = tokens_per_call
        self._readings: OrderedDict[EncoderInput, _Reading] = OrderedDict()
        self._lock = Lock()
        self._is_by_loops = False
        zeros = np.zeros(stored.config.hidden, np.float32)
        self._start = _State(zeros, zeros, zeros, self._decoder.start[None], _START, ())

    @staticmethod
    def _reader_of(stored: Stored, device: str) -> CountedReader:
        return reader_of(stored, device)

    @staticmethod
    def _decoder_of(stored: Stored, width: int) -> Decoder:
        return Decoder(stored, width)

    @staticmethod
    def _pieces_of(words: WordPieces) -> KnownPieces:
        return KnownPieces(words)

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> ModelScorer:
        return cls(read_stored(folder), device)

    @property
    def reads(self) -> Reads:
        """What the encoder has read so far."""
        return self._reader.reads

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        if not decisions:
            return []
        states = [
            decision.state if isinstance(decision.state, _State) else self._started(decision.question)
            for decision in decisions
        ]
        choices = [decision.choice or 0 for decision in decisions]
        size = self._decoder.hidden
        # What was chosen, what was attended to and what was shown, of each decision side by side.
        before = [
            part
            for state, choice in zip(states, choices, strict=True)
            for part in (state.rows[choice], state.attended, state.hidden)
        ]
        inputs = np.concatenate(before).reshape(len(states), 3 * size)
        attended = inputs[:, size : 2 * size]
        memory = np.concatenate([state.memory for state in states]).reshape(len(states), size)
        hidden = self._decoder.advance(inputs, memory)
        # A `)` makes a variable: the state that has just taken it in.
        made = [
            (*state.made, after) if state.kinds[choice] == _CLOSE else state.made
            for state, choice, after in zip(states, choices, hidden, strict=True)
        ]
        kinds = [tuple(KIND_INDEX[one.kind] for one in decision.candidates) for decision in decisions]
        free = [number for number, one in enumerate(decisions) if len(one.candidates) >= self._least]
        chosen: dict[int, tuple[NDArray[np.float32], Floats, float]] = {}
        if free:
            rows, log_probs, levels, attended[free] = self._choose(
                [decisions[number] for number in free],
                [kinds[number] for number in free],
                hidden[free],
                [made[number] for number in free],
            )
            chosen = dict(zip(free, zip(log_probs, rows, levels, strict=True), strict=True))
        results = []
        for number, decision in enumerate(decisions):
            log_probs_here, rows_here, level = chosen.get(number) or self._forced(
                decision, kinds[number], made[number]
            )
            state = _State(
                hidden[number],
                memory[number],
                attended[number],
                rows_here,
                kinds[number],
                made[number],
            )
            results.append(Scores(log_probs_here, state, level))
        return results

    def ranker(self) -> Ranker | None:
        """Shortlist large sets of candidates at a glance, where one was learned for this model's encoder."""
        return Glance.of(self._stored)

    def nearness(self, question: str, spans: Sequence[tuple[int, int]], texts: Sequence[str]) -> Floats:
        """How near stretches of a question are to texts, each read by itself."""
        return self._nearness.of(question, spans, texts)

    def heat(self, question: str, context: str, candidates: Sequence[Candidate]) -> Heat:
        """Which words of the question each candidate looks at; computed when somebody wants to see it."""
        return heat(self._reader, self._known_pieces, self._known_pieces.asked(question, context, candidates))

    # Parts of a step -------------------------------------------------------------------------

    def _started(self, question: str) -> _State:  # noqa: ARG002 - of other scorers
        """Before the first step."""
        return self._start

    def _forced(
        self, decision: Decision, kinds: tuple[int, ...], made: tuple[Floats, ...]
    ) -> tuple[NDArray[np.float32], Floats, float]:
        rows = self._decoder.forced[list(kinds)]
        for place, candidate in enumerate(decision.candidates):
            number = _made_number(candidate, decision)
            if number is not None:
                rows[place] += self._decoder.made(made[number])
        return np.zeros(len(kinds), np.float32), rows, 0.0

    def _choose(
        self,
        decisions: Sequence[Decision],
        kinds: Sequence[tuple[int, ...]],
        hidden: Floats,
        made: Sequence[tuple[Floats, ...]],
    ) -> tuple[list[Floats], list[NDArray[np.float32]], list[float], Floats]:
        """Rows of W_t, log-probabilities, their level and the attended question of each decision."""
        readings = self._read(decisions)
        questions = _joined([reading.questions for reading in readings])
        starts = _starts(len(reading.questions) for reading in readings)
        attended, pointed = self._decoder.look(hidden, questions, starts)

        words = [
            self._mentioned(one.question, reading) for one, reading in zip(decisions, readings, strict=True)
        ]
        topics, mentions, places, states = self._variables(decisions, words, made)
        rows = np.concatenate([reading.rows for reading in readings])
        worth = np.concatenate([reading.worth for reading in readings])
        self._decoder.embed(rows, [kind for some in kinds for kind in some], topics, mentions, places, states)
        firsts = _starts(len(some) for some in kinds)
        log_probs, levels = log_chances(rows, worth, firsts, pointed)
        own = [slice(first, last) for first, last in pairwise(firsts.tolist())]
        return [rows[part] for part in own], [log_probs[part] for part in own], levels.tolist(), attended

    def _mentioned(self, question: str, reading: _Reading) -> Floats:  # noqa: ARG002 - of other scorers
        """The words of a question, as mentions are averaged from them."""
        return reading.words

    def _variables(
        self, decisions: Sequence[Decision], words: Sequence[Floats], made: Sequence[tuple[Floats, ...]]
    ) -> tuple[list[int], list[Floats], list[int], list[Floats]]:
        """Which candidates are linked entities, with their mentions' means, and which the program's own
        variables, with the states that stand for them."""
        topics: list[int] = []
        mentions: list[Floats] = []
        places: list[int] = []
        states: list[Floats] = []
        first = 0
        for decision, own, known in zip(decisions, words, made, strict=True):
            for place, candidate in enumerate(decision.candidates, first):
                if candidate.variable is None:
                    continue
                number = _made_number(candidate, decision)
                if number is not None:
                    places.append(place)
                    states.append(known[number])
                else:
                    topic = decision.topics[candidate.variable]
                    topics.append(place)
                    mentions.append(self._mention(decision.question, topic.start, topic.end, own))
            first += len(decision.candidates)
        return topics, mentions, places, states

    def _mention(self, question: str, start: int, end: int, words: Floats) -> Floats:
        first, last = self._known_pieces.question(question).find(start, end) if end > start else (0, 0)
        found: Floats = words[first:last].sum(0) / max(1, last - first)
        return found

    # The encoder, once for equal inputs ------------------------------------------------------

    def _read(self, decisions: Sequence[Decision]) -> list[_Reading]:
        keys = [self._known_pieces.asked(one.question, one.context, one.candidates) for one in decisions]
        # A key has all its candidates: to look one up takes a while.
        found: dict[EncoderInput, _Reading] = {}
        fresh: list[EncoderInput] = []
        with self._lock:
            if self._is_by_loops is not (now := loops.are_used()):
                # What was read in numpy differs in its last bits; a question is read by one of the two.
                self._readings.clear()
                self._is_by_loops = now
            for key in dict.fromkeys(keys):
                if (known := self._readings.get(key)) is None:
                    fresh.append(key)
                else:
                    found[key] = known
                    self._readings.move_to_end(key)
        if fresh:
            read = dict(zip(fresh, self._encode(fresh), strict=True))
            found |= read
            with self._lock:
                self._readings |= read
                while len(self._readings) > self._cached:
                    self._readings.popitem(last=False)
        return [found[key] for key in keys]

    def _encode(self, keys: Sequence[EncoderInput]) -> list[_Reading]:
        packed = self._known_pieces.pack(keys)
        tokens = self._tokens(packed)
        words, candidates = gathered(packed, tokens)
        questions = self._decoder.read_question(words)
        rows, worth = self._decoder.candidates(candidates)
        ends = _starts(len(asked.candidates) for asked in keys)
        # Copies: a view would keep all that was read beside it in memory.
        return [
            _Reading(
                rows[ends[number] : ends[number + 1]].copy(),
                worth[ends[number] : ends[number + 1]].copy(),
                words[:length, number].copy(),
                questions[:length, number].copy(),
            )
            for number, length in enumerate(packed.question_lengths.tolist())
        ]

    def _tokens(self, packed: Packed) -> Floats:
        found, is_wanted = [], is_gathered(packed)
        for part in parts(packed.input_lengths, self._tokens_per_call):
            lengths, first = packed.input_lengths[part], packed.input_starts[part.start]
            own = slice(first, first + lengths.sum())
            found.append(self._reader.read(packed.ids[own], lengths, is_wanted[own]))
        return _joined(found)


def _starts(lengths: Iterable[int]) -> Ints:
    """Where each begins of what lies end to end, and where the last one ends."""
    return np.array([0, *accumulate(lengths)], np.int64)


def _joined(parts: Sequence[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _made_number(candidate: Candidate, decision: Decision) -> int | None:
    """Which of the program's own variables a candidate is, if it is one."""
    if candidate.variable is None or candidate.variable < len(decision.topics):
        return None
    return candidate.variable - len(decision.topics)
