"""Memory hooks of a run: characters recall before a scene and remember after it."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.characters import Card
from dramaturg.kernel.runs.resources import OpenModel
from dramaturg.scenes.events import MemoryRecalled, SceneRun
from dramaturg.scenes.memories import Aftermath, past_of
from dramaturg.scenes.memory.aftermath import aftermath
from dramaturg.scenes.memory.recall import recall
from dramaturg.scenes.memory.supply import supply_memories
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.store import MemoryStore


async def recall_cast(
    store: MemoryStore,
    config: SceneConfig,
    cards: Sequence[Card],
    budget_tokens: int,
    earlier: Sequence[Aftermath] = (),
) -> tuple[MemoryRecalled, ...]:
    """What each of the cast recalls, for the log of a new run: what is stored, if the scene wants it, and `earlier`."""
    if not config.remembers and not earlier:
        return ()
    cast = {card.name: card.display_name for card in cards}
    pasts = [await store.past(name, earlier) if config.remembers else past_of(name, earlier) for name in cast]
    return tuple(
        MemoryRecalled(character=past.character, recollection=recall(past, config, cast, budget_tokens))
        for past in pasts
    )


async def remember(
    run: SceneRun,
    store: MemoryStore,
    open_model: OpenModel | None = None,
    state: SceneState | None = None,
) -> None:
    """Store what a run leaves in its cast. Idempotent.

    With `open_model`, the characters' own models are asked for memories first. `state` saves folding the log again.
    """
    state = state or scene_state(run.entries)
    if state.opened is None or not state.scene.config.remembers:
        return
    if open_model is not None:
        await supply_memories(run, open_model)
    await store.record(aftermath(run.id, run.entries))
