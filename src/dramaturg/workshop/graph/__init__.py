"""The knowledge graph of a book: who, where and what, as facts with their evidence."""
