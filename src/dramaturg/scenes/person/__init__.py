"""A person in the cast: their words, their agent, what they are shown, and the seat they take."""
