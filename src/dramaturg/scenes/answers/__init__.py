"""Reading what a model wrote for a line: what is wrapped around it, whose part it is, its tags and its words."""
