"""What a book promises its readers: planted, taken up again, due, paid or dropped."""
