"""From the words of a question to entities and literals of this knowledge base."""
