"""The versions of a scene: every text that the log has of it. They are listed, compared and restored."""

from __future__ import annotations

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.patches.events import SceneChanged
from dramaturg.workshop.patches.review import Review, SceneHistory
from dramaturg.workshop.patches.wire import (
    VersionComparison,
    VersionList,
    VersionRestored,
    VersionRow,
    VersionText,
    diff_words,
    words_in,
)
from dramaturg.workshop.revision.patch_review import PatchReview
from dramaturg.workshop.turn_context import Alone
from dramaturg.workshop.voice.prose import count_words

NOW = 0
"""The number that stands for the file as it is now."""


class SceneVersions:
    """The versions of a book's scenes. Restoring one keeps the text before it as a version too."""

    def __init__(self, patches: PatchReview, alone: Alone) -> None:
        self._patches = patches
        self._alone = alone

    async def versions(self, scene: str) -> VersionList:
        """The versions of a scene, oldest first; none for one that no patch or action has changed yet."""
        history, now = self._history(await self._patches.current(), scene)
        rows = tuple(
            VersionRow(
                number=one.number,
                at=one.at,
                said=one.said,
                words=count_words(split_front_matter(one.text).body),
                patches=tuple(sorted(one.accepted)),
                is_current=one.text == now,
            )
            for one in history.versions
        )
        edited = now is not None and (not rows or not rows[-1].is_current)
        return VersionList(file=history.path, versions=rows, edited=edited)

    async def text(self, scene: str, version: int) -> VersionText:
        """The whole text of a version."""
        history, now = self._history(await self._patches.current(), scene)
        return VersionText(file=history.path, number=version, text=_text(history, version, now))

    async def compare(self, scene: str, first: int, second: int = NOW) -> VersionComparison:
        """What has changed between two versions, or between one and the file as it is now."""
        history, now = self._history(await self._patches.current(), scene)
        words = diff_words(_text(history, first, now), _text(history, second, now))
        return VersionComparison(
            file=history.path,
            first=first,
            second=second,
            words=words,
            added=words_in(words, "new"),
            removed=words_in(words, "old"),
        )

    async def restore(self, scene: str, version: int) -> VersionRestored:
        """Makes a version the text of the file again; the patches that stood in it stand in it again."""
        async with self._alone() as performance:
            await self._patches.finish(performance)
            review = performance.state.review
            history, now = self._history(review, scene)
            wanted = history.version(version)
            if now is None:
                raise NotFound(f"There is no {history.path}; write a file there, then restore.", path=history.path)
            if now == wanted.text:
                raise InvalidConfig(f"{history.path} has the text of version {version} already.", path=history.path)
            change = SceneChanged(
                number=review.changes + 1,
                path=history.path,
                before=None if now == history.text else now,
                changes=(),
                digest=digest_of(wanted.text),
                restored=version,
                said=f"Restored version {version}.",
            )
            await self._patches.make(performance, change)
            made = performance.state.review.scenes[history.path].versions[-1].number
        await self._patches.tell_graph()
        said = (
            f"{history.path} has the text of version {version} again, as version {made}; {made - 1} is the one before."
        )
        return VersionRestored(file=history.path, version=made, restored=version, said=said)

    def _history(self, review: Review, scene: str) -> tuple[SceneHistory, str | None]:
        """A scene's history and its text now, whatever it is called."""
        path = self._patches.files.manuscript.path_of(scene)
        now = self._patches.files.exact(path)
        history = review.scenes.get(path)
        if history is None and now is None:
            known = ", ".join(sorted(review.scenes)[:8]) or "none yet"
            raise NotFound(f"There is no {path} (scenes with versions: {known}).", path=path)
        return history or SceneHistory(path, now or ""), now


def _text(history: SceneHistory, number: int, now: str | None) -> str:
    if number != NOW:
        return history.version(number).text
    if now is None:
        raise NotFound(f"There is no {history.path} now; name a version instead.", path=history.path)
    return now
