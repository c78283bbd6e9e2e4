"""`python -m benchmarks.peers [install [NAME …]]`."""

from __future__ import annotations

import sys

from benchmarks.peers import PEERS, install, named


def main(words: list[str]) -> None:
    if not words:
        for peer in PEERS:
            print(f"{peer.title} is installed." if peer.is_installed else peer.skipped)
    elif words[0] == "install":
        for peer in named(words[1:]):
            install(peer)
            print(f"{peer.title} is installed.")
    else:
        sys.exit("Usage: python -m benchmarks.peers [install [NAME …]]")


if __name__ == "__main__":
    main(sys.argv[1:])
