"""What can be said of a voice without asking anybody: rules, counts, measures, line-ups."""
