"""Tags around reasoning beyond the usual names: those with one typo, and names that only some models use."""

from __future__ import annotations

import re
from functools import lru_cache

from dramaturg.kernel.reasoning import REASONING_TAGS, is_reasoning_name

SHORTEST = 6
_RARE = frozenset({"rationale", "brainstorm", "brainstorming", "critique", "self-talk", "self_talk", "monolog"})
_MEANT = frozenset(name for name in REASONING_TAGS | _RARE | {"internal"} if len(name) >= SHORTEST)
_ALSO = frozenset({"plann"})
"""Typos in names that are too short for others."""
_WORDS = frozenset(
    (
        "interval infernal interna interne interno interim thanking thinning though drought nought bought fought "
        "sought brought tanker tankard seasoning seasonings deflection inflection analyses analysts analyst "
        "planting planking panning planing plannings canning critiques critiqued rational rationales brainstorms"
    ).split()
)
"""Other words than those that are meant, a letter away from them."""
_TAG = re.compile(r"<(?P<end>\s{0,2}/?)\s{0,2}(?P<name>[^\W\d_][\w-]{3,20})\s{0,2}>")


@lru_cache(maxsize=1024)
def is_thought_tag(name: str) -> bool:
    """Whether a tag with this name and no attributes is around reasoning, though that is none of its usual names."""
    plain = name.lower()
    if plain in _RARE or plain in _ALSO:
        return True
    if len(plain) < SHORTEST or plain in _WORDS or plain in _MEANT or is_reasoning_name(plain):
        return False
    return any(is_one_edit(plain, meant) for meant in _MEANT)


def with_usual_tags(text: str) -> str:
    """A text with every such tag as `<thinking>`."""
    return _TAG.sub(_as_usual, text) if "<" in text else text


def _as_usual(found: re.Match[str]) -> str:
    return f"<{found['end'].strip()}thinking>" if is_thought_tag(found["name"]) else found[0]


def is_one_edit(one: str, two: str) -> bool:
    """Whether a letter was left out, added or changed, or two neighbours were exchanged."""
    if abs(len(one) - len(two)) > 1:
        return False
    shorter = min(len(one), len(two))
    begun = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    ended = next((at for at in range(shorter - begun) if one[-1 - at] != two[-1 - at]), shorter - begun)
    rest, other = one[begun : len(one) - ended], two[begun : len(two) - ended]
    return max(len(rest), len(other)) < 2 or (len(rest) == 2 and rest == other[::-1])
