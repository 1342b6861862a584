"""Question answering over knowledge bases by dynamic program induction."""

__version__ = "0.1.0"
