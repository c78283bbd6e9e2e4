"""Taking a manuscript in: a preview that the writer corrects, a plan without effects, and one step that applies it."""
