"""Insight into a run: why a line was said, what changed it, how takes of a scene differ. Views of the log."""
