"""Meanings of topics and classes, kept between searches."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from arcaneqa.induction.meaning import Meaning


class Roots:
    """Meanings of topics and classes, kept between searches; the least recently used go first.

    What a meaning knows grows while it is in use, so weights are taken anew every now and then.
    """

    def __init__(self, most: int = 128, most_nodes: int = 4_000_000) -> None:
        self._most = most
        self._most_nodes = most_nodes
        self._known: OrderedDict[Hashable, Meaning] = OrderedDict()
        self._made = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Meaning]) -> Meaning:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = make()
        with self._lock:
            found = self._known.setdefault(key, made)
            self._made += 1
            if len(self._known) > self._most:
                self._known.popitem(last=False)
            if self._made % 64 == 0:
                self._trim()
        return found

    def _trim(self) -> None:
        nodes = sum(meaning.kept_nodes for meaning in self._known.values())
        while len(self._known) > 1 and nodes > self._most_nodes:
            _, oldest = self._known.popitem(last=False)
            nodes -= oldest.kept_nodes
