"""Concordia: an entity for each part that hears its whole thread, and a judge that is asked anew."""

from __future__ import annotations

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    from benchmarks.peers.concordia_cast import play

    return play


if __name__ == "__main__":
    main("gdm-concordia", load)
