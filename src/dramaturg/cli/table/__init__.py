"""The table of commands, a file a noun: what can be typed, and the help. What they do is imported when they run."""
