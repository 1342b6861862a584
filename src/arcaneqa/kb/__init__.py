"""One `KnowledgeBase` interface; behind it a memory-mapped index or a SPARQL endpoint."""
