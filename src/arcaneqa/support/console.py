"""Tables, styles and progress bars, in which no terminal obeys anything but our own styles."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arcaneqa.support.harmless import printable


def console(*, stderr: bool = False) -> Console:
    """Brackets in a text are brackets: styles come as `Text`, never as markup."""
    return _Harmless(stderr=stderr, markup=False, emoji=False, highlight=False)


class _Harmless(Console):
    """Cleans where text becomes pieces to print, before styles are added. What is shown for a control takes
    more room than a table had measured for it, and may be cut off there."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)
