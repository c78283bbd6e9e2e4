"""Pages for people, and their static files."""
