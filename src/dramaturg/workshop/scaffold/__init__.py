"""How the plan of a scene is made from everything the book says, and where each of its fields came from."""
