"""The models of a server on this machine that gets them itself: what it has, and getting one with progress."""
