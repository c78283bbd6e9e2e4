"""The revision of a book: what is proposed for its scenes, and what the writer makes of it."""
