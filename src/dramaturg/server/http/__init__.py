"""HTTP machinery shared by all routes: dependencies, errors, authentication, limits, event streams, common bodies."""
