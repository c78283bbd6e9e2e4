"""The changes that are proposed for one scene, pass by pass: each has its place, and none lies over another."""

from __future__ import annotations

from collections.abc import Iterable

from dramaturg.kernel.text.escape import unescaped
from dramaturg.workshop.book.plain_text import line_break_of, plain_text
from dramaturg.workshop.patches.patch import Patch, Place, locate, quoted_patch
from dramaturg.workshop.revision.patch_answer import AskedChange


class SceneProposals:
    """Collects the changes that models ask for. `misquoted` and `overlapping` count what was not taken."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._taken: list[tuple[Place, Patch]] = []
        self._twice: list[Patch] = []
        self.misquoted = 0
        self.overlapping = 0

    @property
    def patches(self) -> tuple[Patch, ...]:
        return (*(patch for _, patch in self._taken), *self._twice)

    def take(self, asked: Iterable[AskedChange]) -> tuple[Patch, ...]:
        """The patches that come of what was asked for. Words that stand twice are kept: the writer says which."""
        new: list[Patch] = []
        for one in asked:
            patch = self._patch(one)
            found = locate(patch, self._text)
            if isinstance(found, Place):
                if patch.old == patch.new:
                    continue
                if any(_touch(found, place) for place, _ in self._taken):
                    self.overlapping += 1
                    continue
                self._taken.append((found, patch))
            elif found.reason == "gone":
                self.misquoted += 1
                continue
            else:
                self._twice.append(patch)
            new.append(patch)
        return tuple(new)

    def made(self) -> str:
        """The text with every change that has its place."""
        text = self._text
        for place, patch in sorted(self._taken, key=lambda one: one[0].start, reverse=True):
            new = plain_text(patch.new).plain.replace("\n", line_break_of(self._text))
            text = text[: place.start] + new + text[place.end :]
        return text

    def _patch(self, one: AskedChange) -> Patch:
        """As quoted, or with its entities read where only that is in the scene."""
        patch = quoted_patch(self._path, self._text, one.old, one.new, reason=one.reason, issue=one.issue)
        if "&" not in one.old or isinstance(locate(patch, self._text), Place):
            return patch
        old, new = unescaped(one.old), unescaped(one.new)
        return quoted_patch(self._path, self._text, old, new, reason=one.reason, issue=one.issue)


def _touch(one: Place, other: Place) -> bool:
    """Whether two places share a character, or begin at the same one."""
    return (one.start < other.end and other.start < one.end) or one.start == other.start
