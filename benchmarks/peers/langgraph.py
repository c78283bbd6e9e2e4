"""LangGraph: a graph of the cast and a judge, walked once a beat."""

from __future__ import annotations

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    from benchmarks.peers.langgraph_graph import play

    return play


if __name__ == "__main__":
    main("langgraph", load)
