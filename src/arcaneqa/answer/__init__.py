"""Questions that refer back: what was asked and answered before is carried over, and said."""
