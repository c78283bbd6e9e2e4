"""The health of a book: seven checks of its structure and three of its continuity, each with its evidence."""
