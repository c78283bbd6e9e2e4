"""The health of a book: seven checks of its structure and two of its continuity, each with its evidence."""
