"""What the service answers from at this moment: one knowledge base, exchanged while requests go
on. Whoever came in before the exchange is answered from the one they came to.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.answering import Answerer
from arcaneqa.apps.http.gate import Gate, Kind
from arcaneqa.kb.endpoint.client import Unsupported
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import read_seal
from arcaneqa.support import loops
from arcaneqa.support.errors import ArcaneError

LOOKING = 5.0
"""Seconds between two looks at whether the index was replaced."""
_FIRST = "how many things are there?"
"""Asked before anybody else asks."""
_log = logging.getLogger("uvicorn.error")


class Current:
    def __init__(self, qa: ArcaneQA, seconds: float, together: int, waiting: int) -> None:
        self.seconds = seconds
        self._together, self._waiting = together, waiting
        places = {Kind.QUESTION: together + waiting, Kind.PROGRAM: waiting, Kind.LOOK: 2 * waiting}
        self.gate = Gate(places)
        self.answerer = self._over(qa)
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
            if await asyncio.to_thread(read_seal, kb.folder) == kb.seal:
                return False
            old = self.answerer
            qa = await asyncio.to_thread(lambda: old.qa.over(Index(kb.folder)))
            self.answerer, self.is_outdated = self._over(qa), False
            task = asyncio.create_task(self._leave(old))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
            _log.info("The index %s was replaced; questions are answered from the new one.", kb.folder)
            return True

    async def look_out(self) -> None:
        """Notice, now and then, that the index was replaced."""
        while True:
            await asyncio.sleep(LOOKING)
            kb = self.answerer.qa.kb
            if isinstance(kb, Index):
                was, self.is_outdated = self.is_outdated, await asyncio.to_thread(_is_replaced, kb)
                if self.is_outdated and not was:
                    _log.warning(
                        "The index %s was replaced; POST /v1/reload or SIGHUP changes over to it.", kb.folder
                    )

    async def close(self) -> None:
        await asyncio.to_thread(self.answerer.close)
        self.gate.close()

    def _over(self, qa: ArcaneQA) -> Answerer:
        return Answerer(qa, self.gate, self.seconds, self._together, self._waiting)

    async def _leave(self, answerer: Answerer) -> None:
        """Close an answerer, and its knowledge base, when the last who came to it have their answers."""
        while answerer.visitors:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(answerer.close)
        answerer.qa.kb.close()


def _is_replaced(kb: Index) -> bool:
    seal = read_seal(Path(kb.folder))
    return seal is not None and seal != kb.seal
