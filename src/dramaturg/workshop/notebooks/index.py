"""The index of a folder: every excerpt, searched by words. Made anew for what has changed."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.director.words import function_words, words
from dramaturg.kernel.errors import NotebookUnavailable
from dramaturg.kernel.store.word_index import IndexedPassage, ReadFile, WordIndex
from dramaturg.kernel.values import Value
from dramaturg.workshop.notebooks.port import NotebookPassage
from dramaturg.workshop.notebooks.sources import SUFFIXES, read_source

MOST_FILES = 5000
MOST_WORDS = 32


class NotebookSurvey(Value):
    """What is in a notebook: how many files and excerpts, and what could not be read."""

    files: int
    passages: int
    problems: tuple[str, ...] = ()


class FolderIndex:
    """The index of one folder, kept in one file. Its methods block; call them in a thread."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = folder
        self._index = WordIndex(file)

    def search(self, question: str, most: int) -> tuple[NotebookPassage, ...]:
        """The excerpts that have words of the question, the best first."""
        wanted = [word for word in dict.fromkeys(words(question)) if word not in function_words()][:MOST_WORDS]
        self._index.refresh(self._marks(), self._read)
        found = self._index.search(wanted, most)
        return tuple(NotebookPassage(file=one.name, place=one.place, text=one.text) for one in found)

    def survey(self) -> NotebookSurvey:
        self._index.refresh(self._marks(), self._read)
        contents = self._index.contents()
        return NotebookSurvey(files=contents.files, passages=contents.passages, problems=contents.problems)

    def _read(self, name: str) -> ReadFile:
        try:
            excerpts = read_source(self._folder / name)
        except (NotebookUnavailable, OSError) as error:
            return ReadFile(problem=str(error))
        return ReadFile([IndexedPassage(name, one.place, one.text) for one in excerpts])

    def _marks(self) -> dict[str, str]:
        """Every file with what changes when it does."""
        if not self._folder.is_dir():
            raise NotebookUnavailable(f"The folder {self._folder.name}/ of this notebook is not there.")
        found: dict[str, str] = {}
        for path in sorted(self._folder.rglob("*"))[: 4 * MOST_FILES]:
            if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith((".", "~$")):
                about = path.stat()
                found[path.relative_to(self._folder).as_posix()] = f"{about.st_mtime_ns}/{about.st_size}"
        return dict(list(found.items())[:MOST_FILES])
