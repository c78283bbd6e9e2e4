"""The server: the second face. Thin, one router a capability; everything is done by the studio."""
