"""Tools for assistants: they ask a knowledge base and get facts, where they would otherwise invent some."""
