"""The writer accepts what came back, one by one or all of it: nothing else in the files changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.book_text import SceneText
from dramaturg.workshop.manuscripts.markdown_writer import SourceEdit, edited
from dramaturg.workshop.manuscripts.remarks import ReturnedPatch, WordReview


def accepted(review: WordReview, scenes: Sequence[SceneText], numbers: Iterable[int]) -> Mapping[str, str]:
    """The new text of each file that these patches change.

    Raises InvalidConfig if a number is unknown, if a patch waits, or if two of them change the same words.
    """
    known = {one.number: one for one in review.patches}
    chosen: dict[str, list[ReturnedPatch]] = {}
    for number in dict.fromkeys(numbers):
        patch = known.get(number)
        if patch is None:
            raise InvalidConfig(f"There is no patch {number} in {review.name} (there are {len(known)}).")
        if patch.state != "ready":
            raise InvalidConfig(f"Patch {number} waits: {patch.why or patch.state}. Make the change by hand.")
        chosen.setdefault(patch.patch.anchor.path, []).append(patch)
    sources = {scene.path: scene.source for scene in scenes}
    return {path: _changed(sources[path], patches) for path, patches in chosen.items()}


def _changed(source: str, patches: Sequence[ReturnedPatch]) -> str:
    ordered = sorted(patches, key=lambda one: (one.start, one.start + len(one.patch.anchor.quote)))
    for one, other in pairwise(ordered):
        if other.start < one.start + len(one.patch.anchor.quote):
            raise InvalidConfig(
                f"Patches {one.number} and {other.number} change the same words. Accept one, then read the file again."
            )
    return edited(
        source,
        [SourceEdit(one.start, one.start + len(one.patch.anchor.quote), one.patch.new) for one in ordered],
    )
