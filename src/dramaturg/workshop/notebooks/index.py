"""The index of a folder: every excerpt of its files, searched by words. Changed files are indexed again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dramaturg.kernel.errors import NotebookUnavailable
from dramaturg.kernel.files import is_inside
from dramaturg.kernel.text.words import function_words, words
from dramaturg.kernel.values import Value
from dramaturg.workshop.meaning import Meaning, fused
from dramaturg.workshop.notebooks.port import NotebookPassage
from dramaturg.workshop.notebooks.sources import SUFFIXES, read_source
from dramaturg.workshop.notebooks.text_index import IndexedText, TextIndex, open_index

MOST_FILES = 5000
MOST_WORDS = 32


class NotebookSurvey(Value):
    """The contents of a notebook: the number of files and excerpts, and what could not be read."""

    files: int
    passages: int
    problems: tuple[str, ...] = ()


class FolderIndex:
    """The index of one folder, kept in one file. Its methods block; call them in a thread.

    Links that lead out of `boundary`, or of the folder itself, are refused.
    """

    def __init__(self, folder: Path, file: Path, boundary: Path | None = None, meaning: Meaning | None = None) -> None:
        self._folder = folder
        self._file = file
        self._meaning = meaning
        self._boundary = (boundary or folder).resolve()

    def search(self, question: str, most: int) -> tuple[NotebookPassage, ...]:
        """The excerpts that contain words of the question, best first; with `meaning`, also those that mean it."""
        wanted = [word for word in dict.fromkeys(words(question)) if word not in function_words()]
        with open_index(self._file) as index:
            self._refresh(index)
            found: Sequence[IndexedText] = index.search(wanted[:MOST_WORDS], most)
            if self._meaning is not None:
                found = fused([index.search_meaning(question, self._meaning, most), found], most)
        return tuple(NotebookPassage(file=one.name, place=one.place, text=one.text) for one in found)

    def survey(self) -> NotebookSurvey:
        with open_index(self._file) as index:
            self._refresh(index)
            return NotebookSurvey(files=len(index.marks()), passages=index.count(), problems=index.problems())

    def _refresh(self, index: TextIndex) -> None:
        now, before = self._marks(), index.marks()
        for name in before.keys() - now.keys():
            index.drop(name)
        for name, mark in now.items():
            if mark != before.get(name):
                self._read(index, name, mark)

    def _read(self, index: TextIndex, name: str, mark: str) -> None:
        try:
            if not is_inside(self._folder / name, self._boundary):
                raise NotebookUnavailable(f"{name} is a link out of the project. Copy the file itself there.")
            excerpts = read_source(self._folder / name)
        except NotebookUnavailable as error:
            index.put(name, mark, (), error.message)
            return
        except OSError as error:
            index.put(name, mark, (), f"{name} cannot be read: {error.strerror}. Rename it, or save it again.")
            return
        index.put(name, mark, [IndexedText(name, one.place, one.text) for one in excerpts])

    def _marks(self) -> dict[str, str]:
        """Every file, with a mark that changes when the file does."""
        if not is_inside(self._folder, self._boundary):
            raise NotebookUnavailable(
                f"The folder {self._folder.name}/ of this notebook is a link out of the project. Copy the files "
                "themselves there, or name their folder under [notebooks]."
            )
        if not self._folder.is_dir():
            raise NotebookUnavailable(f"The folder {self._folder.name}/ of this notebook does not exist.")
        found: dict[str, str] = {}
        for path in sorted(self._folder.rglob("*"))[: 4 * MOST_FILES]:
            if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith((".", "~$")):
                about = path.stat()
                # A name that is no text cannot be stored; under the name as it is shown, it is reported as missing.
                name = path.relative_to(self._folder).as_posix()
                found[os.fsencode(name).decode("utf-8", "backslashreplace")] = f"{about.st_mtime_ns}/{about.st_size}"
        return dict(list(found.items())[:MOST_FILES])
