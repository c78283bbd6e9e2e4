"""The server: the HTTP face. Thin; the studio does the work."""
