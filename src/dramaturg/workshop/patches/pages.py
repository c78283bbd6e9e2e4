"""The files that patches belong to, as they stand, found again where one was renamed."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.files import PlannedChange, ProjectFiles
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript
from dramaturg.workshop.patches.patch import Patch, Place, locate
from dramaturg.workshop.patches.review import Review


class PatchedFiles:
    """The texts of a project's files, to the byte."""

    def __init__(self, project: Path) -> None:
        self._files = ProjectFiles(project)
        self.manuscript = Manuscript(project)

    def exact(self, path: str) -> str | None:
        """The text of a file as it stands; None if there is none. Raises InvalidConfig if it cannot be read."""
        return self._files.exact(path, MOST_BYTES)

    def text_or_nothing(self, path: str) -> str | None:
        """The same, with None for a file that cannot be read."""
        try:
            return self.exact(path)
        except InvalidConfig:
            return None

    def put(self, path: str, before: str, text: str) -> None:
        self._files.put(PlannedChange(path=path, before=before, text=text))

    def path_of(self, patch: Patch, review: Review) -> str:
        """The file that a patch belongs to now: its own, or the one that its file has become."""
        return patch.path if self.text_or_nothing(patch.path) is not None else self._renamed(patch, review)

    def renamed(self, path: str, text: str) -> str | None:
        """The one other file of the manuscript with exactly this text; None if there is none, or several."""
        others = [one.path for one in self.manuscript.files() if one.path != path]
        found = [one for one in others if self.text_or_nothing(one) == text]
        return found[0] if len(found) == 1 else None

    def _renamed(self, patch: Patch, review: Review) -> str:
        """By the text that it last had, else by the place of the patch and of the others of its set."""
        scene = review.scenes.get(patch.path)
        same = self.renamed(patch.path, scene.text) if scene is not None else None
        if same is not None:
            return same
        its_set = next((one.patches for one in review.sets if patch in one.patches), (patch,))
        wanted = [one for one in its_set if one.path == patch.path and review.states.get(one.number) != "accepted"]
        found = [one.path for one in self.manuscript.files() if self._holds(one.path, wanted)]
        return found[0] if len(found) == 1 else patch.path

    def _holds(self, path: str, patches: list[Patch]) -> bool:
        text = self.text_or_nothing(path)
        return text is not None and all(isinstance(locate(one, text), Place) for one in patches)

    def missing(self, path: str) -> str:
        return f"There is no {path}. If it was renamed, its words were not found in one other file."
