"""What characters keep from scene to scene: memories, a mood, bonds. Derived from the log of a run, in code."""
