"""A recollection in words: the layer of a character's prompt, and sentences for moods and bonds."""

from __future__ import annotations

import re

from dramaturg.kernel.prompts import Layer
from dramaturg.scenes.memories import Bond, CharacterRecollection, Memory, Mood
from dramaturg.scenes.templates import scene_template

LAYER = "memory"
SLIGHT, STRONG = 0.15, 0.45

_MOODS = {
    (1, 1): "You are in high spirits.",
    (1, 0): "You are at ease.",
    (0, 1): "You are still on edge.",
    (-1, 1): "You are still upset and on edge.",
    (-1, 0): "It still weighs on you.",
}
_TRUST = {2: "you trust {name} deeply", 1: "you trust {name}", -1: "you are wary of {name}", -2: "you distrust {name}"}
_AFFECTION = {
    2: "{name} is dear to you",
    1: "you have grown fond of {name}",
    -1: "you have cooled towards {name}",
    -2: "you cannot stand {name}",
}
_TENSION = {2: "there is bad blood between you and {name}", 1: "something unspoken lies between you and {name}"}


def mood_in_words(mood: Mood) -> str:
    """One sentence; empty for a mood not worth a word."""
    valence = (mood.valence >= SLIGHT) - (mood.valence <= -SLIGHT)
    return _MOODS.get((valence, int(mood.arousal >= SLIGHT)), "")


def bond_in_words(bond: Bond, name: str) -> str:
    """One sentence about the bond with the character of that name; empty if it is neutral."""
    said = [
        told[step].replace("{name}", name)
        for told, value in ((_TRUST, bond.trust), (_AFFECTION, bond.affection), (_TENSION, bond.tension))
        if (step := _step(value)) in told
    ]
    if not said:
        return ""
    sentence = ", and ".join(said) if len(said) < 3 else f"{said[0]}, {said[1]}, and {said[2]}"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _step(value: float) -> int:
    size = 2 if abs(value) >= STRONG else 1 if abs(value) >= SLIGHT else 0
    return size if value > 0 else -size


def memory_layer(recollection: CharacterRecollection, name: str) -> Layer | None:
    """The prompt layer for the character of that name, dropped first if space is short. None if empty."""
    if recollection.is_empty:
        return None
    heading = scene_template("memory").render(name=name, mood=recollection.mood, bonds=recollection.bonds).rstrip()
    lines = memory_lines(recollection)
    if lines:
        return Layer(name=LAYER, text=f"{heading}\n", entries=lines, required=False, priority=-1)
    return Layer(name=LAYER, text=heading, required=False, priority=-1)


def memory_lines(recollection: CharacterRecollection) -> tuple[str, ...]:
    """One line per memory, oldest first."""
    return tuple(f"- {_title(memory)}: {memory.text}" for memory in recollection.memories)


def _title(memory: Memory) -> str:
    return re.sub(r"[-_]+", " ", memory.scene).strip().title()
