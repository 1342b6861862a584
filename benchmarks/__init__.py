"""What stands behind every figure in the docs; not part of the product."""
