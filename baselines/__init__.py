"""What the paper does and measurements here did not confirm, kept for comparison; not part of the product."""
