"""The rehearsal company at an ensemble's table."""
