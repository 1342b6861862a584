"""Builds the bundled demonstration knowledge base from openly licensed data packages."""
