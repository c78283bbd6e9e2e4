"""The narrative voice of a book: what it must not do, how it measures, how it is found, and the files it is kept in."""
