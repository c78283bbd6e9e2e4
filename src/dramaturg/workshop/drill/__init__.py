"""The fire drill: known flaws in a copy of the book, to see which checks would catch them."""
