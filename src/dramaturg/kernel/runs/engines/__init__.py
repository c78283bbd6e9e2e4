"""Who plays runs: the port, and the engine that plays them as tasks of this process."""
