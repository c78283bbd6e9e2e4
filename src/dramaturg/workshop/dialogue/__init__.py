"""Dialogue in prose: tags that name a speaker, and speech that dashes mark."""
