"""The book: its files, its decisions, and the state that prompts are built from."""
