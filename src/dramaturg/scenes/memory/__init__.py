"""What characters keep from scene to scene: memories, a mood, bonds. Derived from a run's log, without a model."""
