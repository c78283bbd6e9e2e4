"""What an author can ask of a scene while it is played, and how that changes its state."""
