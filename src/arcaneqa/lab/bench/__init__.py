"""The benchmarks behind every figure in the docs, one module each."""
