"""Drafts of a scene: variants by strategy and model, a choice or a hybrid of them, and performances as their base."""
