"""How many follow-ups are answered rightly: dialogues with gold, each asked as one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.support.files import read_lines


@dataclass(frozen=True, slots=True)
class Asked:
    """A dialogue as it went; it is right where every turn is."""

    kind: str
    turns: tuple[tuple[Answer, bool], ...]

    @property
    def is_right(self) -> bool:
        return all(is_right for _, is_right in self.turns)


def ask(qa: ArcaneQA, path: Path) -> Iterator[Asked]:
    for _, dialogue in read_lines(path):
        talk = qa.conversation()
        turns = [(talk.ask(turn["question"]), turn) for turn in dialogue["turns"]]
        yield Asked(dialogue["kind"], tuple((answer, _is_right(answer, turn)) for answer, turn in turns))


def _is_right(answer: Answer, turn: dict[str, Any]) -> bool:
    return {item.id or item.value for item in answer.items} == set(turn["answers"])


def report(asked: list[Asked]) -> str:
    kinds = Counter(one.kind for one in asked)
    right = Counter(one.kind for one in asked if one.is_right)
    last = Counter(one.kind for one in asked if one.turns[-1][1])
    rows = [f"| {kind} | {count} | {right[kind]} | {last[kind]} |" for kind, count in kinds.items()]
    total = f"| all | {len(asked)} | {right.total()} ({right.total() / len(asked):.0%}) | {last.total()} |"
    return "\n".join(
        ["| kind | dialogues | every turn right | the last turn right |", "|---|---|---|---|", *rows, total]
    )


def misses(asked: list[Asked]) -> Iterator[str]:
    for one in asked:
        for answer, is_right in one.turns:
            if not is_right:
                said = answer.paraphrase or answer.reason
                yield f"{one.kind}: {answer.question} [{answer.carried}] → {said}"
