"""Experiments beside the product; asking never loads it."""
