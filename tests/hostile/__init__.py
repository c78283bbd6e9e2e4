"""Hostile material: texts, files, projects and clients that must cost nobody anything."""
