"""Seats: the parts that a person plays. What is sent to one, who holds it, and what of that is in the log."""
