"""Patches: changes to the writer's files that are proposed, and made only when the writer accepts them."""
