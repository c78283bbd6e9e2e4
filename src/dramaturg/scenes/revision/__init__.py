"""Lines taken again, edited and struck after they were said."""
