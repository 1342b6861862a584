"""Many knowledge bases in one service: those of a folder, each under its name, opened when asked for."""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.http.gate import Limits
from arcaneqa.apps.http.safety import Receive, Scope, Send
from arcaneqa.kb.open import open_kb
from arcaneqa.support.errors import ArcaneError

_NAME = re.compile(r"/(?P<name>[^/]+)(?P<rest>/(?:v1/.*|healthz|readyz))", re.DOTALL)


@dataclass
class _Open:
    app: FastAPI
    stack: AsyncExitStack
    inside: int = 0
    """Requests that it has not answered yet."""


@dataclass
class Folder:
    """An application to be mounted: `/NAME/v1/…` is answered from what is called so in the folder.

    One model serves all. At most so many are open; the one that was asked longest ago makes room, once it has
    answered who came to it. Knowing a name is enough to ask: what not everybody may see needs a service
    of its own.
    """

    folder: Path
    qa: ArcaneQA
    most: int
    limits: Limits
    token: str | None = None
    hosts: Collection[str] = ()
    _open: OrderedDict[str, _Open] = field(default_factory=OrderedDict)
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        found = _NAME.fullmatch(path)
        if found is None:
            await _refuse(send, 404, "A knowledge base is asked under /kb/NAME/v1/.")
            return
        name = found["name"]
        try:
            opened = self._open.get(name) or await self._opening(name)
        except ArcaneError as error:
            await _refuse(send, 503, str(error))
            return
        except KeyError:
            await _refuse(send, 404, "No knowledge base here is called so.")
            return
        # Nothing waits between finding it and counting this request: it is not closed in between.
        opened.inside += 1
        self._open.move_to_end(name)
        try:
            inner = {**scope, "path": found["rest"], "raw_path": found["rest"].encode(), "root_path": ""}
            await opened.app(inner, receive, send)
        finally:
            opened.inside -= 1

    async def _opening(self, name: str) -> _Open:
        async with self._changing:
            return self._open.get(name) or await self._opened(name)

    async def _opened(self, name: str) -> _Open:
        if name not in await asyncio.to_thread(lambda: {each.name for each in self.folder.iterdir()}):
            raise KeyError(name)
        await self._make_room()
        path = self.folder / name
        kb = await asyncio.to_thread(open_kb, path)
        source = path if path.is_file() else None
        app = create_app(
            self.qa.over(kb), token=self.token, limits=self.limits, hosts=self.hosts, source=source
        )
        stack = AsyncExitStack()
        await stack.enter_async_context(app.router.lifespan_context(app))
        self._open[name] = _Open(app, stack)
        return self._open[name]

    async def _make_room(self) -> None:
        """Others wait meanwhile: what is open stays within its bound, whatever comes."""
        while len(self._open) >= self.most:
            idle = next((name for name, one in self._open.items() if not one.inside), None)
            if idle is None:
                await asyncio.sleep(0.02)
                continue
            gone = self._open.pop(idle)
            kb = gone.app.state.current.answerer.qa.kb
            await gone.stack.aclose()
            kb.close()


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"detail": sentence}).encode()})
