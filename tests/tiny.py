"""A BERT of a few thousand weights and made-up questions, so that real training takes seconds."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

from arcaneqa.induction.scorer import Candidate, TokenKind, TopicWords
from arcaneqa.lab.training.prepared import Builder, Decided, Example, write

RELATIONS = [f"{a} {b}" for a in ("birth", "death", "home", "work") for b in ("place", "date", "name")]
CITIES = ["paris", "london", "rome", "oslo", "lima", "cairo"]
_WORDS = [*"?:;()", "which", "what", "has", "of", "the", "for", "join", "and", "count", "end", "city", "town"]


def words() -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = [*letters, *(f"##{letter}" for letter in letters)]
    known = {word for text in [*RELATIONS, *CITIES] for word in text.split()}
    return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS, *sorted(known), *pieces, "[MASK]"]


def tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate(words())}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def write_encoder(folder: Path, dropout: float = 0.0, width: int = 64, act: str = "gelu") -> Path:
    """A Hugging Face folder with random weights."""
    import torch

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words()),
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        hidden_act=act,
        max_position_embeddings=320,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    network = BertModel(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]
    network.save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True}))
    return folder


def examples(count: int, seed: int = 0, relations: int = 5) -> list[Example]:
    """Questions that name their relations: one join, a second join on its result, perhaps a count."""
    draw = Random(seed)
    made = []
    for number in range(count):
        first, second = draw.sample(RELATIONS, 2)
        right, wrong = draw.sample(CITIES, 2)
        hops, counts = draw.choice([1, 2]), draw.random() < 0.3
        text = (
            f"{'count' if counts else 'which'} {second if hops == 2 else ''} {first} of {right} has {wrong} ?"
        )
        topics = tuple(
            TopicWords(f"{name} (city)", text.index(name), text.index(name) + len(name), group)
            for group, name in enumerate((right, wrong))
        )
        steps = _steps(topics, [first, second][:hops], counts, draw, relations)
        made.append(Example(f"q{number}", text, topics, steps))
    return made


def prepared_set(folder: Path, count: int, seed: int, relations: int = 5) -> Path:
    builder = Builder()
    for example in examples(count, seed, relations):
        builder.add(example)
    write(builder.build(), folder, {})
    return folder


def _steps(
    topics: tuple[TopicWords, ...], gold: list[str], counts: bool, draw: Random, relations: int
) -> tuple[Decided, ...]:
    opening = Candidate(TokenKind.OPEN, "(")
    closing = Candidate(TokenKind.CLOSE, ")")
    ending = Candidate(TokenKind.END, "end")
    functions = tuple(Candidate(TokenKind.FUNCTION, name) for name in ("join", "and", "count"))
    variables = [Candidate(TokenKind.VARIABLE, t.text, variable=i) for i, t in enumerate(topics)]
    steps: list[Decided] = [Decided((opening,), 0, "")]
    context = ""
    for hop, relation in enumerate(gold):
        steps.append(Decided(functions, 0, context))
        steps.append(Decided(tuple(variables), 0 if hop == 0 else len(variables) - 1, f"{context} join"))
        others = draw.sample([r for r in RELATIONS if r != relation], relations - 1)
        named = sorted([relation, *others])
        candidates = tuple(Candidate(TokenKind.RELATION, name, "city town") for name in named)
        steps.append(Decided(candidates, named.index(relation), f"{context} join it"))
        steps.append(Decided((closing,), 0, ""))
        context = f"{context} {relation}".strip()
        variables = [*variables, Candidate(TokenKind.VARIABLE, context, variable=len(topics) + hop)]
        more = hop + 1 < len(gold) or counts
        steps.append(Decided((opening, ending), 0 if more else 1, context))
    if counts:
        steps.append(Decided(functions, 2, context))
        steps.append(Decided((variables[-1],), 0, context))
        steps.append(Decided((closing,), 0, ""))
        steps.append(Decided((opening, ending), 1, f"count {context}"))
    return tuple(steps)
