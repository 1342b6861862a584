"""Question answering over knowledge bases by dynamic program induction."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcaneqa.answer.answer import Answer
    from arcaneqa.answer.arcaneqa import ArcaneQA
    from arcaneqa.answer.conversation import Conversation
    from arcaneqa.kb.build import build_index
    from arcaneqa.record import AnswerItem, Mention, Question, Reading, Table
    from arcaneqa.support.errors import (
        ArcaneError,
        ArgumentError,
        BudgetExceeded,
        EndpointError,
        IndexFormatError,
        InputError,
        MissingExtra,
        ModelError,
        NotFound,
        ProgramError,
    )

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "AnswerItem",
    "ArcaneError",
    "ArcaneQA",
    "ArgumentError",
    "BudgetExceeded",
    "Conversation",
    "EndpointError",
    "IndexFormatError",
    "InputError",
    "Mention",
    "MissingExtra",
    "ModelError",
    "NotFound",
    "ProgramError",
    "Question",
    "Reading",
    "Table",
    "build_index",
]

_PLACES = {
    "Answer": "answer.answer",
    "ArcaneQA": "answer.arcaneqa",
    "Conversation": "answer.conversation",
    "build_index": "kb.build",
    **dict.fromkeys(("AnswerItem", "Mention", "Question", "Reading", "Table"), "record"),
}


def __getattr__(name: str) -> Any:
    # Imported when asked for: whoever trains or runs a verb should not pay for everything.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES.get(name, 'support.errors')}"), name)
