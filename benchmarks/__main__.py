"""`python -m benchmarks [NAME …]`: what is measured, as ratios to a floor in the same run.

Without a name, the one table; `compare` compares two runs of it; `plot` draws how work grows; `all` runs every other
benchmark.
"""

from __future__ import annotations

import sys

from benchmarks import (
    comparison,
    contradictions,
    ears,
    ensemble,
    episodes,
    evidence,
    graph,
    growth,
    health,
    kiosks,
    notices,
    plot,
    scenes,
    startup,
    store,
    studio,
    table,
    tokens,
    voices,
)

ALL = {
    "startup": startup.main,
    "scenes": scenes.main,
    "episodes": episodes.main,
    "voices": voices.main,
    "ears": ears.main,
    "ensemble": ensemble.main,
    "kiosks": kiosks.main,
    "growth": growth.main,
    "store": store.main,
    "notices": notices.main,
    "studio": studio.main,
    "graph": graph.main,
    "tokens": tokens.main,
    "health": health.main,
    "contradictions": contradictions.main,
    "evidence": evidence.main,
}


def main() -> None:
    asked, *words = sys.argv[1:] or ["table"]
    if asked == "table":
        table.main(words)
    elif asked == "compare":
        comparison.main(words)
    elif asked == "plot":
        plot.main()
    else:
        run(list(ALL) if asked == "all" else [asked, *words])


def run(names: list[str]) -> None:
    for name in names:
        if name not in ALL:
            sys.exit(f"No benchmark is called '{name}' (known here: table, compare, plot, all, {', '.join(ALL)}).")
        print(f"## {name}\n")
        ALL[name]()
        print()


main()
