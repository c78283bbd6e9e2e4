"""Many scenes from one file: rows read as they are played, results as a table."""
