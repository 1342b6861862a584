"""Questions made from a knowledge base."""
