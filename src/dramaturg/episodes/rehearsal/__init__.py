"""The rehearsal company in an episode: the character, the director and simulated players."""
