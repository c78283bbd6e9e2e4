"""Runs that move or go: a run with its log as one file, written here and read in another store, and what a deletion takes."""
