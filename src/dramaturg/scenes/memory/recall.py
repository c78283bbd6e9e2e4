"""What a character recalls as a scene begins, ranked by words shared with the scene, importance and age."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.words import content
from dramaturg.scenes.memories import CharacterRecollection, Memory, Past
from dramaturg.scenes.memory.recollection_text import bond_in_words, memory_layer, mood_in_words
from dramaturg.scenes.scene import SceneConfig

RELEVANCE, WEIGHT, RECENCY = 0.5, 0.3, 0.2
YESTERDAY = 0.7
"""How much each scene counts relative to the one after it."""
MOST_TRIED = 80
_LENGTH_WEIGHT = 0.5
"""Memories are short and of similar length, so length counts less than BM25's usual 0.75."""


def recall(past: Past, config: SceneConfig, cast: Mapping[str, str], budget_tokens: int) -> CharacterRecollection:
    """What a character recalls of its past in this scene, within the budget. `cast` is card name to name on stage.

    Mood and bonds come first, then memories, the best ranked as long as there is room; what is left out is listed.
    """
    ranked = rank(past.memories, config, [name for key, name in cast.items() if key != past.character])
    best = CharacterRecollection(
        character=past.character, left_out=tuple(memory.id for memory in ranked), budget=max(0, budget_tokens)
    )
    own_name = cast.get(past.character, past.character)
    mood = mood_in_words(past.mood.faded())
    best = _if_it_fits(best, best.model_copy(update={"mood": mood}), own_name)
    for toward, name in cast.items():
        if toward != past.character and (said := bond_in_words(past.bond(toward), name)):
            best = _if_it_fits(best, best.model_copy(update={"bonds": (*best.bonds, said)}), own_name)
    for memory in ranked[:MOST_TRIED]:
        more = best.model_copy(
            update={
                "memories": tuple(sorted((*best.memories, memory), key=lambda one: (one.at, one.line))),
                "left_out": tuple(left for left in best.left_out if left != memory.id),
            }
        )
        best = _if_it_fits(best, more, own_name)
    return best


def rank(memories: Sequence[Memory], config: SceneConfig, others: Sequence[str]) -> list[Memory]:
    """Memories, the most relevant to this scene first."""
    asked = content(" ".join((config.prompt, config.setting or "", config.goal or "", *others)))
    texts = [content(f"{memory.text} {' '.join(memory.about)}") for memory in memories]
    shared = bm25(texts, asked, b=_LENGTH_WEIGHT)
    runs = list(dict.fromkeys(memory.run for memory in sorted(memories, key=lambda one: -one.at)))
    ages = {run: YESTERDAY**age for age, run in enumerate(runs)}
    scores = {
        memory.id: RELEVANCE * relevance + WEIGHT * memory.importance + RECENCY * ages[memory.run]
        for memory, relevance in zip(memories, shared, strict=True)
    }
    return sorted(memories, key=lambda memory: (-scores[memory.id], -memory.at, -memory.line, memory.id))


def _if_it_fits(best: CharacterRecollection, more: CharacterRecollection, name: str) -> CharacterRecollection:
    layer = memory_layer(more, name)
    tokens = estimate_tokens(str(layer)) if layer is not None else 0
    return more.model_copy(update={"tokens": tokens}) if tokens <= best.budget else best
