"""What a plan may draw on, by the names that a writer or a model gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.decisions import key_name

Enrichment: TypeAlias = Literal[
    "beat_sheet", "character_arcs", "theme", "world_rules", "earlier_scenes", "later_scenes", "promises", "graph",
    "notebooks",
]  # fmt: skip
EVERYTHING: tuple[Enrichment, ...] = get_args(Enrichment)
_NAMES: Mapping[str, Enrichment] = {
    **{name: name for name in EVERYTHING},
    **dict.fromkeys(("beats", "beatsheet"), "beat_sheet"),
    **dict.fromkeys(("arcs", "arc", "characters", "character_arc", "protagonist"), "character_arcs"),
    **dict.fromkeys(("world", "rules", "worldbuilding"), "world_rules"),
    **dict.fromkeys(("prior_scenes", "previous_scenes", "earlier", "past_scenes"), "earlier_scenes"),
    **dict.fromkeys(("future_scenes", "next_scenes", "later"), "later_scenes"),
    **dict.fromkeys(("ledger", "callbacks", "foreshadowing"), "promises"),
    **dict.fromkeys(("knowledge_graph", "facts", "knowledge"), "graph"),
    **dict.fromkeys(("notebook", "research"), "notebooks"),
}


def enrichment_of(names: Iterable[str]) -> tuple[Enrichment, ...]:
    """What these names mean, in our order; everything if there is none. Raises InvalidConfig for an unknown one."""
    wanted: set[Enrichment] = set()
    for name in names:
        if key_name(name) not in _NAMES:
            raise InvalidConfig(
                f"A scaffold cannot be enriched with '{name}'; there is: {', '.join(EVERYTHING)}.", enrichment=name
            )
        wanted.add(_NAMES[key_name(name)])
    return tuple(one for one in EVERYTHING if not wanted or one in wanted)
