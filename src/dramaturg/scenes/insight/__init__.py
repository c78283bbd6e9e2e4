"""Looking into a run: what a line rested on, what moved it, how takes of a scene differ. Views of the log."""
