"""`python -m benchmarks [NAME]`: what is measured, as ratios to a floor in the same run."""

from __future__ import annotations

import sys

from benchmarks import contradictions, ensemble, episodes, evidence, graph, health, scenes, startup, store, voices

ALL = {
    "startup": startup.main,
    "scenes": scenes.main,
    "episodes": episodes.main,
    "voices": voices.main,
    "ensemble": ensemble.main,
    "store": store.main,
    "graph": graph.main,
    "health": health.main,
    "contradictions": contradictions.main,
    "evidence": evidence.main,
}


def main() -> None:
    wanted = sys.argv[1:] or list(ALL)
    for name in wanted:
        if name not in ALL:
            sys.exit(f"No benchmark is called '{name}' (known here: {', '.join(ALL)}).")
        print(f"## {name}\n")
        ALL[name]()
        print()


main()
