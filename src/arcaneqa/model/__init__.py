"""Dynamic contextualised encoding and decoding: which of the admissible tokens is meant."""
