"""Runs that move, or go: a run with its log as one file, and what a deletion takes."""
