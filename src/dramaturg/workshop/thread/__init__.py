"""Pull the thread: everything that rests on a fact, and the change of all of it as one set of patches."""
