"""The variants of a draft while they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from pydantic import Field

from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.values import WireValue
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.workshop.drafts.length import length_of

SURE_AFTER = 400
"""A first line of so many characters is no preface."""
_KEY = re.compile(r"([A-Z]) section-(\d{1,18})")


class VariantPreview(WireValue):
    """A section of a variant so far."""

    letter: str
    section: int = Field(description="from 1; what was previewed of it is void once it is written")
    words: int
    text: str = Field(description="all words so far; they replace those of the preview before")


class VariantPreviews:
    """What is new in the sections that are being written for one draft."""

    def __init__(self, performance: Performance[Any, Any]) -> None:
        self._performance = performance
        self._shown: dict[str, str] = {}

    def new(self) -> Iterator[VariantPreview]:
        """A preview for each section that has other words than when it was last asked for."""
        asked = self._performance.run.answers.under_way
        self._shown = {key: text for key, text in self._shown.items() if key in asked}
        for key, one in asked.items():
            found = _KEY.match(key)
            text = readable("a preview", partial(preview_of, one.text)) if found and one.text else ""
            if found is not None and text != self._shown.get(key, ""):
                self._shown[key] = text
                yield VariantPreview(letter=found[1], section=int(found[2]), words=length_of(text), text=text)


def preview_of(answer: str) -> str:
    """What is certain to be prose: not a first line that may yet turn out to be a preface, and no reasoning."""
    text = scene_text(answer)
    return text if "\n" in text or len(text) > SURE_AFTER else ""
