"""The command line: one file per noun, and nothing heavy imported before a command needs it."""

from __future__ import annotations


def main() -> None:
    """The entry point of `dramaturg`."""
    from dramaturg.cli.app import app
    from dramaturg.cli.edge import STORE, without_traceback
    from dramaturg.cli.output import checked_output

    with checked_output(STORE), without_traceback():
        app()
