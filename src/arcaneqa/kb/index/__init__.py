"""A knowledge base in a folder of memory-mapped arrays; `Index` is the door."""

from arcaneqa.kb.index.index import Index

__all__ = ["Index"]
