"""The director of a scene: goals, verdicts with quoted evidence, and what rules alone can see. Pure functions."""
