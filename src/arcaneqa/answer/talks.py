"""Conversations that a service keeps: by their ids, for a while, and no more than fit into memory."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.turns import remembered
from arcaneqa.support.errors import BudgetExceeded, NotFound

EXPIRES = 1_800.0
"""Seconds after which a conversation that nobody goes on with is forgotten."""
MOST = 1_000
"""Conversations at a time; the one that was used longest ago makes room. A turn is kept without its rows."""


class Talk:
    """One conversation; several threads may have it, one after the other."""

    def __init__(self, qa: ArcaneQA, until: float) -> None:
        self.id = secrets.token_urlsafe(16)
        self.until = until
        self._qa = qa
        self._conversation = qa.conversation()
        self._heard: Answer | None = None
        self._lock = threading.Lock()

    def ask(self, question: str, threshold: float | None = None, seconds: float = 30.0) -> Answer:
        started = time.monotonic()
        self._enter(seconds)
        try:
            left = max(0.1, seconds - (time.monotonic() - started))
            answer = self._conversation.ask(question, threshold=threshold, seconds=left)
            self._conversation.last = remembered(answer)
            return answer
        finally:
            self._lock.release()

    def stands_alone(self, question: str, seconds: float) -> bool:
        """Whether a question may be answered without the conversation, which then hears the answer."""
        self._enter(seconds)
        try:
            return self._conversation.stands_alone(question)
        finally:
            self._lock.release()

    def hear(self, answer: Answer) -> None:
        """Take in an answer that was found elsewhere: when somebody goes on, and not before."""
        with self._lock:
            self._heard = remembered(answer)

    def take(self, program: str, seconds: float) -> None:
        """Go on with another reading of the last question."""
        self._enter(seconds)
        try:
            self._conversation.take(program)
        finally:
            self._lock.release()

    def _enter(self, seconds: float) -> None:
        if not self._lock.acquire(timeout=seconds):
            raise BudgetExceeded("The question before this one is still being answered; ask again.")
        if self._heard is not None:
            heard, self._heard = self._heard, None
            self._conversation.hear(heard)


class Talks:
    """Of one service over one knowledge base; `seconds` without a question end a conversation."""

    def __init__(self, qa: ArcaneQA, seconds: float = EXPIRES, most: int = MOST) -> None:
        self._qa = qa
        self._seconds = seconds
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Talk] = OrderedDict()

    def of(self, id: str | None) -> Talk:
        """The conversation of this id, or a new one."""
        now = time.monotonic()
        with self._lock:
            while self._kept and next(iter(self._kept.values())).until < now:
                self._kept.popitem(last=False)
            if id is None:
                talk = Talk(self._qa, now)
                self._kept[talk.id] = talk
            elif id in self._kept:
                talk = self._kept[id]
                self._kept.move_to_end(id)
            else:
                raise NotFound(
                    "There is no such conversation here: it has ended, or was had elsewhere. Ask without "
                    "`conversation` to begin another one."
                )
            talk.until = now + self._seconds
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return talk
