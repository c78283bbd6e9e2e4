"""Runs that move: a run with its log as one file, written here and read in another store."""
