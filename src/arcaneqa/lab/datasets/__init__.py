"""Published datasets, each ending in the same record."""
