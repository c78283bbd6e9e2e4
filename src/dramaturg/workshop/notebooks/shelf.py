"""The notebooks of a project, found by id or by role, and the advice given if there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.errors import NotebookUnavailable, NotFound
from dramaturg.kernel.files import is_inside, is_text
from dramaturg.kernel.settings import Settings
from dramaturg.workshop.meaning import open_meaning
from dramaturg.workshop.notebooks.folder import FolderNotebook
from dramaturg.workshop.notebooks.mcp_client import McpNotebook
from dramaturg.workshop.notebooks.port import Notebook, NotebookListing, NotebookPassage

LONGEST_PASSAGE = 1200
MOST_PASSAGES = 6
FOLDER = "notebooks"
_TOLD = re.compile(r"^\[(\d{1,6})\] (.+)\n“", re.M)


def open_shelf(settings: Settings) -> NotebookShelf:
    """Every folder of notebooks/ by its role, and the notebooks that dramaturg.toml names."""
    root, data = settings.project / FOLDER, settings.data / FOLDER
    meaning = open_meaning(settings.workshop.by_meaning)
    found: dict[str, Notebook] = {}
    for folder in sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else ():
        if not folder.name.startswith(".") and is_text(folder.name):
            title = folder.name.replace("_", " ").replace("-", " ").strip().capitalize()
            listing = NotebookListing(id=folder.name, role=_alike(folder.name), title=title)
            found[folder.name] = FolderNotebook(listing, folder, data / f"{folder.name}.db", settings.project, meaning)
    for name, own in settings.notebooks.items():
        listing = NotebookListing(id=name, role=_alike(own.role), title=own.title or name)
        if own.command:
            found[name] = McpNotebook(listing, own, settings.project, settings.env)
        else:
            folder = settings.project / (own.folder or f"{FOLDER}/{name}")
            # A folder elsewhere that the settings name, with the user's consent, is its own boundary.
            elsewhere = own.folder is not None and not is_inside(folder, settings.project)
            boundary = folder if elsewhere else settings.project
            found[name] = FolderNotebook(listing, folder, data / f"{_alike(name)}.set.db", boundary, meaning)
    return NotebookShelf(tuple(found.values()))


class NotebookShelf:
    """All notebooks of the project."""

    def __init__(self, notebooks: Sequence[Notebook] = ()) -> None:
        self._notebooks = tuple(notebooks)

    def listings(self) -> tuple[NotebookListing, ...]:
        return tuple(notebook.listing for notebook in self._notebooks)

    def find(self, wanted: str) -> Notebook:
        """The notebook with this id, else the first with this role. Raises NotFound, which lists the options."""
        name = _alike(wanted)
        for by in ("id", "role"):
            for notebook in self._notebooks:
                if _alike(getattr(notebook.listing, by)) == name:
                    return notebook
        raise NotFound(_no_notebook(wanted, self.listings()), notebook=wanted)

    async def problems(self) -> dict[str, tuple[str, ...]]:
        """What could not be read, by notebook; only for folders."""
        found: dict[str, tuple[str, ...]] = {}
        for notebook in self._notebooks:
            if isinstance(notebook, FolderNotebook):
                try:
                    found[notebook.listing.id] = (await notebook.survey()).problems
                except NotebookUnavailable as error:
                    found[notebook.listing.id] = (error.message,)
        return found

    async def ask(self, wanted: str, question: str) -> tuple[NotebookPassage, ...]:
        found = await self.find(wanted).query(question)
        return tuple(
            one.model_copy(update={"text": one.text[:LONGEST_PASSAGE].strip()}) for one in found[:MOST_PASSAGES]
        )


def told(passages: Sequence[NotebookPassage], first: int = 1) -> str:
    """Passages as a prompt shows them: numbered from `first`, each with its place."""
    return "\n\n".join(f"[{number}] {one.cited}\n“{one.text}”" for number, one in enumerate(passages, start=first))


def count_told(text: str) -> int:
    """How many passages such a text has."""
    return len(_TOLD.findall(text))


def passages_told(text: str) -> dict[int, NotebookPassage]:
    """The passages of such a text by their numbers."""
    starts = list(_TOLD.finditer(text))
    ends = [*(one.start() for one in starts[1:]), len(text)]
    return {
        int(one[1]): NotebookPassage(file=one[2], text=text[one.end() : end].strip().removesuffix("”"))
        for one, end in zip(starts, ends, strict=False)
    }


def _no_notebook(wanted: str, known: Sequence[NotebookListing]) -> str:
    there = ", ".join(f"{one.id} ({one.role})" for one in known)
    role = _alike(wanted) or "world_building"
    return (
        f"There is no notebook '{wanted}'"
        + (f"; there are {there}. " if there else " yet. ")
        + f"Ways on: (1) put your research into notebooks/{role}/ as md, txt, pdf or docx; "
        "(2) settle it together, here and now; (3) go on with what there is, and come back to it."
    )


def _alike(name: str) -> str:
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())
