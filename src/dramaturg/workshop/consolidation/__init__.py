"""Consolidation: what was said and written becomes facts with quotations, and what contradicts waits for the writer."""
