"""What the service answers from at this moment: one knowledge base, exchanged while requests go
on. Whoever came in before the exchange is answered from the one they came to.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.answering import Answerer
from arcaneqa.apps.http.gate import Gate, Limits, WorkKind
from arcaneqa.kb.endpoint.client import Unsupported
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import read_seal
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.support import loops
from arcaneqa.support.errors import ArcaneError

LOOKING = 5.0
"""Seconds between two looks at whether the index was replaced."""
_FIRST = "how many things are there?"
"""Asked before anybody else asks."""


_Stamp = tuple[int, int, int]
_log = logging.getLogger("uvicorn.error")


class Current:
    """`source` is a file of facts that is indexed again when it changes; `told` hears of every answer."""

    def __init__(self, qa: ArcaneQA, limits: Limits = Limits(), source: Path | None = None) -> None:  # noqa: B008
        self.limits, self._source = limits, source
        waiting = limits.waiting
        places = {
            WorkKind.QUESTION: limits.together + waiting,
            WorkKind.PROGRAM: waiting,
            WorkKind.LOOK: 2 * waiting,
        }
        self.gate = Gate(places)
        self.told: Callable[[Answer], None] = lambda _: None
        self.answerer = self._over(qa)
        self._served = self._seen = None if source is None else _stamp(source)
        self.is_outdated = False
        self.is_warm = False
        self._changing = asyncio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()

    @contextmanager
    def visit(self) -> Iterator[Answerer]:
        """The answerer that answers a request to its end, whatever changes meanwhile."""
        answerer = self.answerer
        answerer.visitors += 1
        try:
            yield answerer
        finally:
            answerer.visitors -= 1

    async def warm_up(self) -> None:
        """Compile, load and map what questions need; those that come meanwhile are answered, more slowly."""
        await asyncio.to_thread(loops.wait)
        with contextlib.suppress(ArcaneError), self.visit() as answerer:
            await asyncio.to_thread(answerer.qa.ask, _FIRST)
        self.is_warm = True

    async def reload(self) -> bool:
        """Change over to the index that is in the folder now; whether there was another one."""
        async with self._changing:
            kb = self.answerer.qa.kb
            if not isinstance(kb, Index):
                raise Unsupported("Only an index can be changed for another; an endpoint is always as it is.")
            served, fresh = await asyncio.to_thread(self._newest, kb)
            if fresh is None:
                self._served, self.is_outdated = served, False
                return False
            old = self.answerer
            qa = await asyncio.to_thread(old.qa.over, fresh)
            self._served = served
            self.answerer, self.is_outdated = self._over(qa), False
            task = asyncio.create_task(self._leave(old))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
            _log.info("%s changed; questions are answered from the new index.", self._source or kb.folder)
            return True

    def _newest(self, kb: Index) -> tuple[_Stamp | None, KnowledgeBase | None]:
        """What the file looked like, and the index that is there now, unless it is the same."""
        if self._source is None:
            return None, None if read_seal(kb.folder) == kb.seal else Index(kb.folder)
        served, fresh = _stamp(self._source), open_kb(self._source)
        if isinstance(fresh, Index) and fresh.seal == kb.seal:
            fresh.close()
            return served, None
        return served, fresh

    async def _follow(self, source: Path) -> None:
        """Index the file again once it has changed and changes no more; what cannot be read is left alone
        until it changes again."""
        before, self._seen = self._seen, await asyncio.to_thread(_stamp, source)
        if self._seen in (None, self._served) or self._seen != before:
            return
        try:
            await self.reload()
        except ArcaneError as error:
            self._served, self.is_outdated = self._seen, True
            _log.error("%s Questions are still answered from the facts as they were.", error)

    async def look_out(self) -> None:
        """Notice, now and then, that the index was replaced."""
        while True:
            await asyncio.sleep(LOOKING)
            kb = self.answerer.qa.kb
            if self._source is not None:
                await self._follow(self._source)
            elif isinstance(kb, Index):
                was, self.is_outdated = self.is_outdated, await asyncio.to_thread(_is_replaced, kb)
                if self.is_outdated and not was:
                    _log.warning(
                        "The index %s was replaced; POST /v1/reload or SIGHUP changes over to it.", kb.folder
                    )

    async def close(self) -> None:
        await asyncio.to_thread(self.answerer.close)
        self.gate.close()

    def _over(self, qa: ArcaneQA) -> Answerer:
        return Answerer(qa, self.gate, self.limits, lambda answer: self.told(answer))

    async def _leave(self, answerer: Answerer) -> None:
        """Close an answerer, and its knowledge base, when the last who came to it have their answers."""
        while answerer.visitors:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(answerer.close)
        answerer.qa.kb.close()


def _is_replaced(kb: Index) -> bool:
    seal = read_seal(Path(kb.folder))
    return seal is not None and seal != kb.seal


def _stamp(source: Path) -> _Stamp | None:
    """What changes when a file is written or replaced; None while there is none."""
    try:
        found = source.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
