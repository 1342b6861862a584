"""Preparing decisions once with the knowledge base, then training without it."""
