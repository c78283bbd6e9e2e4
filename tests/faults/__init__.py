"""Faults of machines, each really done to real processes, on both databases."""
