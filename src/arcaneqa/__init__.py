"""Question answering over knowledge bases by dynamic program induction."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcaneqa.answer.answer import Answer
    from arcaneqa.answer.arcaneqa import ArcaneQA

__version__ = "0.1.0"
__all__ = ["Answer", "ArcaneQA"]


def __getattr__(name: str) -> Any:
    # Imported when asked for: whoever trains or runs a verb should not pay for everything.
    if name == "ArcaneQA":
        from arcaneqa.answer.arcaneqa import ArcaneQA

        return ArcaneQA
    if name == "Answer":
        from arcaneqa.answer.answer import Answer

        return Answer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
