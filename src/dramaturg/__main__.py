"""`python -m dramaturg` is the command line."""

from dramaturg.cli import main

main()
