"""How a voice is found: the tournament, the line-up of its passages, the choice, and the bundle of files."""
