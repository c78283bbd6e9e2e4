"""Long work of the book: each kind declared in one file, each performance of it a run."""
