"""Which reading of a question is its answer, how sure that is, or why there is none."""
