"""Prepared sets again in other words, so that a model learns to read and not to remember.

    python recipes/other_words.py renamed SET… --out DIR --wordnet WORDNET --copies 4 [--nouns SET…]
    python recipes/other_words.py synonyms SET… --out DIR --wordnet WORDNET --encoder MINILM --people SYN
    python recipes/other_words.py broken SET… --out DIR --wordnet WORDNET
    python recipes/other_words.py restyled SET… --out DIR --wordnet WORDNET

People's questions over a hundred databases are soon known by heart: of those that a model learned from every
decision is right for 98%, over databases kept out for 55%. Four ways to say them anew:

- renamed: a word that question and schema share becomes another noun in both: "how many singers" over singers
  is asked as "how many bridges" over bridges. What is left to learn is how people ask.
- synonyms: such a word becomes, in the question alone, another of the same meaning: one that people took for
  it where they rewrote Spider's questions (but over the databases that are kept out), or one of WordNet's
  that an encoder of sentences finds near.
- broken, for whole programs: a noun of the right program becomes another one in the question alone. The
  program no longer says what is asked, and none of those that were found does.
- restyled: another opening, keywords, a slip of the fingers (`other_styles.py`).

WORDNET and MINILM are what `encoders.py wordnet` and `encoders.py minilm` fetch, SYN is data's spider-syn/.
SETs named by --nouns lend the nouns of their schemas. A set `spider-steps-0` becomes
`spider-steps-renamed-0`.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random

import inflect
import numpy as np
from other_styles import restyled
from training_data import is_held

from arcaneqa.induction.found import NONE
from arcaneqa.induction.scorer import Candidate, TokenKind, TopicWords
from arcaneqa.kb.names.name_forms import stem
from arcaneqa.lab.training.prepared import Builder, Decided, Example, Prepared, manifest_of, read, write
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.support.files import read_lines
from arcaneqa.verdict.words import MEASURING, SMALL

_WORD = re.compile(r"[A-Za-z]{3,}")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_KINDS = {number: kind for kind, number in KIND_INDEX.items()}
_SCHEMA = (TokenKind.CLASS, TokenKind.RELATION)
_KEPT = """
name thing year date time day month number people person order sorted text rows row something anything itself
average total sum count first last second not but except yes different same other another than above below
before after between age old
"""
"""Words of phrases and of kinds of answers: what a question wants of them does not change with the schema."""
_UNTOUCHED = SMALL | MEASURING | {stem(word) for word in _KEPT.split()}
_SHARE = 0.6
"""Of the words that question and schema share, how many are exchanged in a copy."""
_ALIKE = 0.5
"""How near an encoder must find a synonym."""
_english = inflect.engine()


def examples(prepared: Prepared) -> Iterator[Example]:
    """The questions of a set, as they were put into it."""
    candidates = [
        Candidate(
            _KINDS[int(prepared.candidate_kinds[place])],
            prepared.texts[prepared.candidate_texts[place]],
            prepared.texts[prepared.candidate_types[place]],
            None if prepared.candidate_variables[place] < 0 else int(prepared.candidate_variables[place]),
        )
        for place in range(len(prepared.candidate_kinds))
    ]
    ends = prepared.set_offsets
    sets = [
        tuple(candidates[member] for member in prepared.set_candidates[ends[place] : ends[place + 1]])
        for place in range(len(ends) - 1)
    ]
    for number, question in enumerate(prepared.questions):
        steps = range(prepared.step_offsets[number], prepared.step_offsets[number + 1])
        topics = range(prepared.topic_offsets[number], prepared.topic_offsets[number + 1])
        yield Example(
            prepared.ids[number],
            question,
            tuple(
                TopicWords("", int(prepared.topic_starts[topic]), int(prepared.topic_ends[topic]), 0)
                for topic in topics
            ),
            tuple(
                Decided(
                    sets[prepared.step_sets[step]],
                    int(prepared.step_gold[step]),
                    prepared.contexts[prepared.step_contexts[step]],
                )
                for step in steps
            ),
        )


@lru_cache(100_000)
def words(text: str) -> frozenset[str]:
    return frozenset(stem(word.lower()) for word in _WORD.findall(text)) - _UNTOUCHED


def said_of(example: Example) -> frozenset[str]:
    """The words of what may be chosen: classes and relations, or whole programs."""
    kinds = (*_SCHEMA, TokenKind.END)
    return frozenset(
        word
        for step in example.steps
        for candidate in step.candidates
        if candidate.kind in kinds and candidate != NONE
        for word in words(candidate.text)
    )


def nouns(sets: Iterable[Prepared], wordnet: Mapping[str, Sequence[str]]) -> list[str]:
    """Nouns of the schemas that are in a dictionary."""
    met: Counter[str] = Counter()
    for prepared in sets:
        schema = np.isin(prepared.candidate_kinds, [KIND_INDEX[kind] for kind in _SCHEMA])
        for text in {prepared.texts[number] for number in prepared.candidate_texts[schema]}:
            met.update(words(text))
    return sorted(word for word in met if len(word) > 3 and word in wordnet and stem(word) == word)


@lru_cache(100_000)
def _plural(noun: str) -> str:
    return str(_english.plural(noun))


def exchanged(text: str, taken: Mapping[str, str]) -> str:
    """The text with some words exchanged, in number and capitals as they were."""
    if not taken:
        return text

    def other(match: re.Match[str]) -> str:
        word = match.group()
        lower = word.lower()
        if (new := taken.get(stem(lower))) is None:
            return word
        new = new if stem(lower) == lower or lower.endswith("ss") else _plural(new)
        return new.capitalize() if word[0].isupper() else new

    return _WORD.sub(other, text)


def reworded(example: Example, taken: Mapping[str, str]) -> Example:
    """The example with words exchanged in its question; mentions stay where they are said."""
    parts, starts, ends = [], {}, {}
    edges = sorted(
        {0, len(example.question), *(edge for topic in example.topics for edge in (topic.start, topic.end))}
    )
    length = 0
    starts[0] = ends[0] = 0
    for begin, end in pairwise(edges):
        starts[begin] = length
        parts.append(exchanged(example.question[begin:end], taken))
        length += len(parts[-1])
        ends[end] = starts[end] = length
    topics = tuple(replace(topic, start=starts[topic.start], end=ends[topic.end]) for topic in example.topics)
    return replace(example, question="".join(parts), topics=topics)


def renamed(example: Example, pool: Sequence[str], draw: Random) -> Example | None:
    """Question and schema with other nouns; None where they share none."""
    said = said_of(example)
    shared = sorted(words(example.question) & said)
    taken = {word: _new(pool, said, draw) for word in shared if draw.random() < _SHARE}
    if not taken:
        return None

    @lru_cache(None)
    def anew(candidate: Candidate) -> Candidate:
        if candidate == NONE:
            return candidate
        return replace(
            candidate, text=exchanged(candidate.text, taken), types=exchanged(candidate.types, taken)
        )

    steps = tuple(
        Decided(tuple(anew(one) for one in step.candidates), step.gold, exchanged(step.context, taken))
        for step in example.steps
    )
    return replace(reworded(example, taken), steps=steps)


def said_otherwise(example: Example, synonyms: Mapping[str, Sequence[str]], draw: Random) -> Example | None:
    """The question with synonyms for words of the schema, but in no mention."""
    mentions = frozenset(
        word for topic in example.topics for word in words(example.question[topic.start : topic.end])
    )
    shared = sorted((words(example.question) & said_of(example) & synonyms.keys()) - mentions)
    taken = {word: draw.choice(list(synonyms[word])) for word in shared if draw.random() < _SHARE}
    return reworded(example, taken) if taken else None


def broken(example: Example, pool: Sequence[str], draw: Random) -> Example | None:
    """The question asks for something else than the right program says, so that none is right."""
    (step,) = example.steps
    right = step.candidates[step.gold]
    if right == NONE or NONE not in step.candidates:
        return None
    said = said_of(example)
    quoted = " ".join(re.findall(r'"[^"]*"|[A-Z]\w+', right.text + " " + example.question[1:]))
    shared = sorted((words(example.question) & words(right.text)) - words(quoted))
    if not shared:
        return None
    taken = {draw.choice(shared): _new(pool, said, draw)}
    changed = Decided(step.candidates, step.candidates.index(NONE), step.context)
    return replace(reworded(example, taken), steps=(changed,))


def typed_otherwise(example: Example, draw: Random) -> Example | None:
    """The question as somebody else would type it."""
    mentions = [(topic.start, topic.end) for topic in example.topics]
    if (other := restyled(example.question, mentions, draw)) is None:
        return None
    question, places = other
    moved = zip(example.topics, places, strict=True)
    topics = tuple(replace(topic, start=start, end=end) for topic, (start, end) in moved)
    return replace(example, question=question, topics=topics)


def _new(pool: Sequence[str], said: frozenset[str], draw: Random) -> str:
    while (noun := draw.choice(pool)) in said:
        pass
    return noun


def dictionary(folder: Path) -> dict[str, tuple[str, ...]]:
    """Every noun of WordNet that is a noun first of all, with the other words of its first meaning."""
    first: dict[str, str] = {}
    senses: Counter[tuple[str, str]] = Counter()
    for part in ("noun", "verb", "adj"):
        for line in (folder / f"index.{part}").read_text(encoding="latin-1").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            pointers = int(fields[3])
            senses[fields[0], part] = int(fields[5 + pointers])
            if part == "noun":
                first[fields[0]] = fields[6 + pointers]
    members: dict[str, tuple[str, ...]] = {}
    for line in (folder / "data.noun").read_text(encoding="latin-1").splitlines():
        if not line.startswith(" "):
            fields = line.split(" ")
            members[fields[0]] = tuple(fields[4 + 2 * place] for place in range(int(fields[3], 16)))
    return {
        word: tuple(other for other in members[synset] if other.lower() != word and other.islower())
        for word, synset in first.items()
        if word.isalpha() and senses[word, "noun"] >= max(senses[word, "verb"], senses[word, "adj"])
    }


def taken_for_one(synonyms: Mapping[str, Sequence[str]], encoder: Path) -> dict[str, list[str]]:
    """The synonyms that an encoder of sentences finds near."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(encoder), AutoModel.from_pretrained(encoder).eval()

    def vectors(texts: Sequence[str]) -> torch.Tensor:
        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), 256):
                given = tokenizer(list(texts[start : start + 256]), padding=True, return_tensors="pt")
                hidden = model(**given).last_hidden_state
                mask = given["attention_mask"].unsqueeze(-1)
                parts.append(torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1)))
        return torch.cat(parts)

    pairs = [(word, other.replace("_", " ")) for word, others in synonyms.items() for other in others]
    near = (vectors([one for one, _ in pairs]) * vectors([other for _, other in pairs])).sum(1)
    kept: dict[str, list[str]] = {}
    for (word, other), alike in zip(pairs, near.tolist(), strict=True):
        if alike >= _ALIKE:
            kept.setdefault(word, []).append(other)
    return kept


def taken_by_people(folder: Path, least: int = 2) -> dict[str, list[str]]:
    """What people said for a word when they rewrote a question with synonyms, as often as they did."""
    met: Counter[tuple[str, str]] = Counter()
    for _, item in read_lines(folder / "questions.jsonl.gz"):
        if item["split"] == "train" and not is_held(item["db"]):
            met.update(_exchanges(item["question"], item["other_words"]))
    found: dict[str, list[str]] = {}
    for (word, other), count in met.items():
        if count >= least and word != stem(other):
            found.setdefault(word, []).extend([other] * count)
    return found


def _exchanges(question: str, other: str) -> Iterator[tuple[str, str]]:
    """The stem of each word that became another or a phrase, and that one in the singular."""
    one, two = _TOKEN.findall(question.lower()), _TOKEN.findall(other.lower())
    for kind, start, end, begin, stop in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if kind == "replace" and end - start == 1 and stop - begin <= 2 and one[start].isalpha():
            *before, last = two[begin:stop]
            yield stem(one[start]), " ".join([*before, str(_english.singular_noun(last) or last)])


def place_of(folder: Path, way: str) -> str:
    """`spider-steps-0` is of fold 0 in other words, too."""
    return re.sub(r"(-\d)?$", rf"-{way}\1", folder.name, count=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("way", choices=("renamed", "synonyms", "broken", "restyled"))
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--people", type=Path, help="the folder of questions that people rewrote")
    parser.add_argument("--nouns", nargs="*", type=Path, default=[])
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.way == "synonyms" and given.encoder is None:
        parser.error("synonyms are judged by an encoder of sentences: --encoder MINILM")
    meanings = dictionary(given.wordnet)
    sets = {folder: read(folder) for folder in given.sets}
    pool = nouns([*sets.values(), *map(read, given.nouns)], meanings)
    synonyms: dict[str, list[str]] = {}
    if given.way == "synonyms":
        synonyms = taken_for_one({word: meanings[word] for word in pool if meanings[word]}, given.encoder)
        if given.people is not None:
            synonyms |= taken_by_people(given.people)

    def anew(example: Example, draw: Random) -> Example | None:
        match given.way:
            case "renamed":
                return renamed(example, pool, draw)
            case "synonyms":
                return said_otherwise(example, synonyms, draw)
            case "broken":
                return broken(example, pool, draw)
            case _:
                return typed_otherwise(example, draw)

    for folder, prepared in sets.items():
        builder, made = Builder(), 0
        for copy in range(given.copies):
            draw = Random(f"{given.seed} {folder.name} {copy}")
            for example in examples(prepared):
                if (new := anew(example, draw)) is not None:
                    builder.add(new)
                    made += 1
        name = place_of(folder, given.way)
        write(builder.build(), given.out / name, manifest_of(folder)["report"])
        print(f"{name}: {made} of {len(prepared) * given.copies}")


if __name__ == "__main__":
    main()
