"""Prepared sets in the words of one tokenizer, and batches cut from them ahead of their use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_all_start_methods, get_context
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from arcaneqa.induction.scorer import TokenKind
from arcaneqa.lab.training.calls import tensor
from arcaneqa.lab.training.network import Sequences, arrange, exchanged
from arcaneqa.lab.training.prepared import Prepared
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.word_pieces import EMPTY, Packed, TokenTable, WordPieces, pack
from arcaneqa.support.ragged import Ints, offsets_of, ranges

# Prepared sets in the words of one tokenizer, and batches cut from them with array work only.


_CLOSE = KIND_INDEX[TokenKind.CLOSE]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A prepared set with its strings as rows of a token table."""

    least: ClassVar[int] = 2
    """Candidates of a decision; with fewer it is forced."""

    prepared: Prepared
    words: WordPieces
    table: TokenTable
    question_rows: Ints
    context_rows: Ints
    text_rows: Ints
    type_rows: Ints
    topic_spans: Ints
    decisions: Ints
    tokens: Ints

    @classmethod
    def of(cls, prepared: Prepared, words: WordPieces) -> Self:
        pieces = words.questions(prepared.questions)
        spans = np.zeros((len(prepared.topic_starts), 2), np.int64)
        for number, piece in enumerate(pieces):
            for topic in range(prepared.topic_offsets[number], prepared.topic_offsets[number + 1]):
                start, end = prepared.topic_starts[topic], prepared.topic_ends[topic]
                spans[topic] = piece.find(start, end) if end > start else (0, 0)
        table = words.specials
        rows = []
        for part in (
            TokenTable.of([piece.ids for piece in pieces]),
            words.contexts(prepared.contexts),
            words.texts(prepared.texts),
            words.types(prepared.texts),
        ):
            start = len(table.offsets) - 1
            table = table.followed_by(part)
            rows.append(start + np.arange(len(part.offsets) - 1))
        questions, contexts, texts, types = rows
        if not words.config.context:
            contexts = np.full_like(contexts, EMPTY)
        contexts = np.where(table.lengths[contexts] == 0, EMPTY, contexts)
        if not words.config.types:
            types = np.full_like(types, EMPTY)
        types = np.where(table.lengths[types] == 0, EMPTY, types)
        decisions, tokens = _sizes(prepared, table, questions, contexts, texts, types, cls.least)
        return cls(prepared, words, table, questions, contexts, texts, types, spans, decisions, tokens)

    def __len__(self) -> int:
        return len(self.prepared)

    def batch(
        self,
        questions: Ints,
        tokens_per_call: int,
        limit: int | None = None,
        draw: int | None = None,
        blanks: float = 0.0,
    ) -> Sequences:
        """The questions' programs as tensors; every question must have a decision.

        With a `draw`, candidates come in random order, so that their place says nothing, and at most
        `limit` of them, the gold among them, and a share `blanks` of the question's word pieces is hidden. It
        depends on the draw and the step alone, not on what else is in the batch.
        """
        data = self.prepared
        counts = np.diff(data.step_offsets)[questions]
        steps = ranges(data.step_offsets[questions], counts)
        rows = np.repeat(np.arange(len(questions)), counts)
        columns = np.arange(len(steps)) - np.repeat(offsets_of(counts)[:-1], counts)
        sets = data.step_sets[steps]
        sizes = np.diff(data.set_offsets)[sets]
        picked = data.set_candidates[data.set_offsets[sets] + data.step_gold[steps]]
        topics = np.diff(data.topic_offsets)[questions]

        free = np.flatnonzero(sizes >= self.least)
        free = free[np.lexsort((rows[free], columns[free]))]
        candidates, held, gold = self._candidates(steps[free], limit, draw)
        decision_of = np.repeat(np.arange(len(free)), held)
        variables = data.candidate_variables[candidates]
        candidate_rows = rows[free][decision_of]
        is_topic = np.flatnonzero((variables >= 0) & (variables < topics[candidate_rows]))
        is_made = np.flatnonzero(variables >= topics[candidate_rows])
        packed = pack(
            self.table,
            self.question_rows[questions[rows[free]]],
            self.context_rows[data.step_contexts[steps[free]]],
            held,
            self._texts(candidates),
            self.type_rows[data.candidate_types[candidates]],
            self.words.config,
        )
        if blanks and draw is not None:
            _hide(packed, steps[free], blanks, self.words.blank, draw)

        kinds = data.candidate_kinds
        closed = np.flatnonzero(kinds[picked] == _CLOSE)
        closed_before = offsets_of(np.bincount(rows[closed], minlength=len(questions)))[:-1]

        def made_step(row: Ints, variable: Ints) -> Ints:
            """The step whose state stands for a variable: the one after its `)`."""
            steps: Ints = columns[closed[closed_before[row] + variable - topics[row]]] + 1
            return steps

        topic_numbers = data.topic_offsets[questions[candidate_rows[is_topic]]] + variables[is_topic]

        width = int(counts.max())
        chosen = np.full((len(questions), width), len(candidates), np.int64)
        chosen[rows, columns] = len(candidates) + kinds[picked]
        chosen[rows[free], columns[free]] = gold
        picked_variables = data.candidate_variables[picked]
        uses = np.flatnonzero(picked_variables >= topics[rows])
        made_at = made_step(rows[uses], picked_variables[uses])
        sources, source = np.unique(columns[uses] * (width + 1) + made_at, return_inverse=True)
        first = np.searchsorted(sources, np.arange(width + 1) * (width + 1))
        from_sources = np.full((len(questions), width), -1, np.int64)
        from_sources[rows[uses], columns[uses]] = source - first[columns[uses]]
        per_step = offsets_of(np.bincount(columns[free], minlength=width))
        return Sequences(
            inputs=arrange(packed, tokens_per_call),
            kinds=tensor(kinds[candidates]),
            candidate_decisions=tensor(decision_of),
            gold=tensor(gold),
            chosen=tensor(chosen),
            variables=tensor(from_sources),
            decision_rows=tuple(
                tensor(rows[free[per_step[step] : per_step[step + 1]]]) for step in range(width)
            ),
            topic_candidates=tensor(is_topic),
            topic_decisions=tensor(decision_of[is_topic]),
            topic_spans=tensor(self.topic_spans[topic_numbers]),
            made_candidates=tensor(is_made),
            made_rows=tensor(candidate_rows[is_made]),
            made_steps=tensor(made_step(candidate_rows[is_made], variables[is_made])),
            variable_sources=tuple(
                tuple((sources[start:end] % (width + 1)).tolist()) for start, end in pairwise(first)
            ),
        )

    def _texts(self, candidates: Ints) -> Ints:
        """What the encoder reads of candidates, as rows of the table."""
        return self.text_rows[self.prepared.candidate_texts[candidates]]

    def _candidates(self, steps: Ints, limit: int | None, draw: int | None) -> tuple[Ints, Ints, Ints]:
        """Candidates end to end, how many a decision has, and where its gold is among all of them."""
        data = self.prepared
        sets, gold = data.step_sets[steps], data.step_gold[steps]
        sizes = np.diff(data.set_offsets)[sets]
        places = ranges(data.set_offsets[sets], sizes)
        starts = offsets_of(sizes)[:-1]
        if draw is None:
            return data.set_candidates[places], sizes, starts + gold
        keys = _scrambled(places, np.repeat(steps, sizes), draw)
        decision_of = np.repeat(np.arange(len(sets)), sizes)
        order = np.lexsort((keys, decision_of))
        rank = np.arange(len(places)) - starts[decision_of]
        held = sizes if limit is None else np.minimum(sizes, limit)
        kept = rank < held[decision_of]
        gold_rank = rank[np.argsort(order)[starts + gold]]
        # A gold that was not drawn takes a place that was.
        spare = (keys[starts + gold] % held.astype(np.uint64)).astype(np.int64)
        gold_rank = np.where(gold_rank < held, gold_rank, spare)
        new_starts = offsets_of(held)[:-1]
        chosen = places[order[kept]]
        chosen[new_starts + gold_rank] = places[starts + gold]
        return data.set_candidates[chosen], held, new_starts + gold_rank


def _hide(packed: Packed, steps: Ints, share: float, blank: int, draw: int) -> None:
    """Blanks for some of each question's word pieces; which ones, every decision draws for itself."""
    lengths = packed.question_lengths[packed.input_decisions]
    places = ranges(packed.input_starts + 1, lengths)
    within = ranges(np.zeros_like(lengths), lengths)
    owners = np.repeat(steps[packed.input_decisions], lengths)
    hidden = _scrambled(within, owners, draw) < np.uint64(int(share * 2**64))
    packed.ids[places[hidden]] = blank


def _scrambled(places: Ints, steps: Ints, draw: int) -> NDArray[np.uint64]:
    """Random numbers that depend on their arguments only (the finaliser of SplitMix64)."""
    mixed = places.astype(np.uint64) + steps.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed += np.uint64(draw * 0xD1B54A32D192ED03 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    keys: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return keys


def _sizes(
    data: Prepared, table: TokenTable, questions: Ints, contexts: Ints, texts: Ints, types: Ints, least: int
) -> tuple[Ints, Ints]:
    """Decisions of each question, among `least` candidates or more, and about how many encoder tokens they
    take."""
    lengths = table.lengths
    each = lengths[texts[data.candidate_texts]] + lengths[types[data.candidate_types]] + 2
    running = offsets_of(each[data.set_candidates])
    set_tokens = running[data.set_offsets[1:]] - running[data.set_offsets[:-1]]
    free = np.diff(data.set_offsets)[data.step_sets] >= least
    owner = np.repeat(np.arange(len(data)), np.diff(data.step_offsets))
    cost = set_tokens[data.step_sets] + lengths[contexts[data.step_contexts]] + 4 + lengths[questions][owner]
    decisions = np.bincount(owner, free, len(data)).astype(np.int64)
    return decisions, np.bincount(owner, cost * free, len(data)).astype(np.int64)


def join(sets: Sequence[Prepared]) -> Prepared:
    """Several prepared sets as one; strings are simply put behind each other."""
    if len(sets) == 1:
        return sets[0]

    def behind(name: str, target: str | None) -> Ints:
        parts = []
        shift = 0
        for data in sets:
            array: Ints = getattr(data, name)
            parts.append(array + shift if target else array)
            shift += _count(data, target) if target else 0
        return np.concatenate(parts)

    def offsets(name: str) -> Ints:
        return offsets_of(np.concatenate([np.diff(getattr(data, name)) for data in sets]))

    return Prepared(
        ids=[i for data in sets for i in data.ids],
        questions=[q for data in sets for q in data.questions],
        contexts=[c for data in sets for c in data.contexts],
        texts=[t for data in sets for t in data.texts],
        step_offsets=offsets("step_offsets"),
        step_sets=behind("step_sets", "sets"),
        step_gold=behind("step_gold", None),
        step_contexts=behind("step_contexts", "contexts"),
        set_offsets=offsets("set_offsets"),
        set_candidates=behind("set_candidates", "candidates"),
        candidate_kinds=behind("candidate_kinds", None),
        candidate_texts=behind("candidate_texts", "texts"),
        candidate_types=behind("candidate_types", "texts"),
        candidate_variables=behind("candidate_variables", None),
        topic_offsets=offsets("topic_offsets"),
        topic_starts=behind("topic_starts", None),
        topic_ends=behind("topic_ends", None),
    )


def _count(data: Prepared, target: str) -> int:
    if target == "sets":
        return len(data.set_offsets) - 1
    if target == "candidates":
        return len(data.candidate_kinds)
    return len(data.contexts if target == "contexts" else data.texts)


def mixture(sizes: Sequence[int], weights: Sequence[float], usable: NDArray[np.bool_], seed: int) -> Ints:
    """One epoch's questions in random order; weight 2 means twice, 0.5 a random half."""
    draw = np.random.default_rng(seed)
    parts = []
    start = 0
    for size, weight in zip(sizes, weights, strict=True):
        members = start + np.flatnonzero(usable[start : start + size])
        whole, rest = divmod(weight * len(members), max(1, len(members)))
        parts += [members] * int(whole)
        parts.append(draw.permutation(members)[: round(rest)])
        start += size
    order: Ints = draw.permutation(np.concatenate(parts).astype(np.int64))
    return order


# Batches built ahead of the loop that uses them, in their order.


Build = Callable[[Corpus, int, Ints], list[Sequences]]
"""The parts of an update, from its number and questions."""

_inherited: tuple[Corpus, Build] | None = None
"""What forked processes find in their memory: a corpus is too large to be sent around."""


def built_ahead(
    corpus: Corpus, build: Build, updates: Iterable[tuple[int, Ints]], processes: int
) -> Iterator[tuple[list[Sequences], Ints]]:
    """Each update's parts with its questions; `processes` of 0 means one thread."""
    global _inherited
    forks = processes > 0 and "fork" in get_all_start_methods()
    with ExitStack() as stack:
        pool: Executor
        if forks:
            _inherited = (corpus, build)
            pool = ProcessPoolExecutor(processes, get_context("fork"))
        else:
            pool = ThreadPoolExecutor(1)
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        waiting: list[tuple[Future[Any], Ints]] = []
        for number, questions in updates:
            if forks:
                waiting.append((pool.submit(_build_there, number, questions), questions))
            else:
                waiting.append((pool.submit(build, corpus, number, questions), questions))
            if len(waiting) > max(3, 2 * processes):
                yield _received(*waiting.pop(0))
        while waiting:
            yield _received(*waiting.pop(0))


def _received(parts: Future[Any], questions: Ints) -> tuple[list[Sequences], Ints]:
    return [exchanged(part, _tensor) for part in parts.result()], questions


def _build_there(number: int, questions: Ints) -> tuple[Any, ...]:
    """Arrays travel as they are; tensors would take a file descriptor each."""
    assert _inherited is not None
    corpus, build = _inherited
    made: tuple[Any, ...] = exchanged(tuple(build(corpus, number, questions)), lambda one: one.numpy())
    return made


def _tensor(one: Any) -> torch.Tensor:
    return one if isinstance(one, torch.Tensor) else torch.from_numpy(one)
