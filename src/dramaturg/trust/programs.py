"""The files of a project that its programs are made of, or that could steer them: a change to any asks again.

A command can name a file in more ways than anybody can parse: `-m tool`, `sh -c "…"`, a Makefile. So everything in the
project that is not known to be prose or data is compared, besides what the command names.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.files import is_inside, open_file, real_path
from dramaturg.kernel.settings import FILE_NAME
from dramaturg.kernel.values import Value

DATA = frozenset(
    ".md .markdown .txt .rst .org .fountain .yaml .yml .json .jsonl .ndjson .toml .csv .tsv .html .css .xml .log "
    ".tex .bib .pdf .doc .docx .odt .rtf .epub .pages .xls .xlsx .ods .ppt .pptx .odp .opml .scrivx .ics .eml .png "
    ".apng .jpg .jpeg .gif .webp .svg .tif .tiff .bmp .heic .avif .ico .psd .xcf .kra .charx .ttf .otf .woff .woff2 "
    ".wav .mp3 .m4a .aac .aif .aiff .ogg .opus .flac .mid .srt .vtt .lrc .mp4 .mov .mkv .webm .avi .zip .gz .bz2 "
    ".xz .7z .tar .db .db-wal .db-shm .sqlite .sqlite3 .gguf .safetensors .onnx .parquet .swp .swo".split()
)
"""How the names of prose and data end. Any other file could be run, or be loaded by what is run."""
STEERING = frozenset(
    "package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml .yarnrc.yml bunfig.toml "
    "deno.json tsconfig.json jsconfig.json turbo.json nx.json lerna.json composer.json pyproject.toml "
    "requirements.txt constraints.txt poetry.toml uv.toml pdm.toml hatch.toml ruff.toml pixi.toml environment.yml "
    "environment.yaml cargo.toml rust-toolchain.toml config.toml compose.yaml compose.yml docker-compose.yaml "
    "docker-compose.yml taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml mise.toml .mise.toml "
    "mise.local.toml .mise.local.toml .miserc.toml devbox.json cmakelists.txt cmakepresets.json pom.xml build.xml "
    ".mcp.json global.json stack.yaml package.yaml lefthook.yml".split()
)
"""Data that says what `make`, `npm run`, `uv run` and their like start."""
PASSING = frozenset((".ds_store", "thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", ".gitkeep"))
"""What systems and git write everywhere, and nothing runs."""
LEFT_OUT = frozenset((".git", "node_modules"))
ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
"""What only a virtual environment has."""
_BETWEEN = re.compile(r"[\s=,;:<>|&(){}\[\]\"'`$@]+")
"""What stands between the names in one part of a command."""


class ProgramFile(Value):
    """A file that is compared: its name in the project, and the digest of what it holds."""

    name: str
    digest: str


class Bounds(Value):
    """How much is compared before a project is refused: files, their size in bytes, entries of folders."""

    files: int = 2_000
    size: int = 200_000_000
    entries: int = 200_000


def program_files(
    project: Path, commands: Sequence[Sequence[str]], bounds: Bounds | None = None
) -> tuple[ProgramFile, ...]:
    """The files to compare for a project's commands, by name. Raises InvalidSettings beyond the bounds."""
    survey = _Survey(project, frozenset(_words(commands)), bounds or Bounds())
    survey.look_through()
    return tuple(ProgramFile(name=name, digest=digest) for name, digest in sorted(survey.found.items()))


def digest_of_files(files: Iterable[ProgramFile]) -> str:
    """One digest of many files."""
    return hashlib.sha256(json.dumps([(one.name, one.digest) for one in files]).encode()).hexdigest()


def _words(commands: Sequence[Sequence[str]]) -> Iterator[str]:
    """Whatever in the commands could be the name of a file, a folder or a module."""
    for part in (part for command in commands for part in command):
        for word in (part, *_BETWEEN.split(part)):
            for name in (word, word[2:] if word.startswith("-") else ""):
                if name.strip("./"):
                    module = name.replace(".", "/")
                    yield from (name, module, f"{module}.py")


class _Survey:
    """One look through a project."""

    def __init__(self, project: Path, words: frozenset[str], bounds: Bounds) -> None:
        self.found: dict[str, str] = {}
        self._project = real_path(project)
        self._words = words
        self._names = frozenset(PurePath(word).name for word in words)
        self._left = bounds
        self._seen: set[tuple[int, int]] = set()

    def look_through(self) -> None:
        """Everything that could be run, then what the commands name, be it a program or not."""
        self._folder(self._project)
        for place in (self._project / word for word in sorted(self._words)):
            try:
                if not is_inside(place, self._project):
                    continue
                if place.is_dir():
                    self._folder(place)
                elif place.is_file():
                    self._add(place)
                    self._folder(place.parent)  # what is beside it may be loaded, also in data/
            except (OSError, ValueError):  # a word that is no name: it is too long, or has a NUL
                continue

    def _folder(self, folder: Path) -> None:
        waiting = [folder]
        while waiting:
            here = waiting.pop()
            try:
                about = here.stat()
                if (about.st_dev, about.st_ino) in self._seen:
                    continue
                self._seen.add((about.st_dev, about.st_ino))
                entries = sorted(os.scandir(here), key=lambda entry: entry.name)
            except OSError:
                self.found[self._name(here)] = "unreadable"
                continue
            self._count(entries=len(entries))
            waiting += [Path(entry.path) for entry in entries if self._is_to_enter(entry)]

    def _is_to_enter(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is a folder to look through. A file that counts is added, and where a link leads."""
        path = Path(entry.path)
        if entry.is_symlink():
            return self._follow(path)
        if entry.is_dir():
            return not self._is_left_out(path)
        if entry.is_file() and self._counts(path):
            self._add(path)
        return False

    def _follow(self, link: Path) -> bool:
        """Adds where a link leads, if that matters. What lies outside the project is not looked at."""
        inside = is_inside(link, self._project)
        if not (link.is_dir() or self._counts(link)):
            return False
        self._count(files=1)
        self.found[f"{self._name(link)} (link)"] = _text_digest(str(link.readlink()))
        if inside and link.is_file():
            self._add(link)
        return inside and link.is_dir()

    def _is_left_out(self, folder: Path) -> bool:
        if folder.name in LEFT_OUT or folder == self._project / "data":
            return True
        return any((folder / mark).exists() for mark in ENVIRONMENTS)

    def _counts(self, path: Path) -> bool:
        """Whether a file could be run, steers what is run, or is called like a file that a command names."""
        suffix, name = path.suffix.lower().rstrip("~"), path.name.lower()
        if path.name in self._names or name in STEERING:
            return True
        return _may_be_run(path) if suffix in DATA else name not in PASSING

    def _add(self, path: Path) -> None:
        name = self._name(path)
        if name in self.found:
            return
        self._count(files=1)
        digest = hashlib.sha256()
        try:
            with open_file(path) as file:
                while block := file.read(1_000_000):
                    self._count(size=len(block))
                    digest.update(block)
        except OSError:
            self.found[name] = "unreadable"
        else:
            self.found[name] = digest.hexdigest()

    def _count(self, *, files: int = 0, size: int = 0, entries: int = 0) -> None:
        left = self._left
        self._left = Bounds(files=left.files - files, size=left.size - size, entries=left.entries - entries)
        if min(self._left.files, self._left.size, self._left.entries) < 0:
            raise InvalidSettings(
                f"{FILE_NAME}: [notebooks] starts a program, and this project has more files that could be part of it "
                "than can be compared before each command. Move what is no part of the story to a folder outside the "
                "project; a program there is named by its full path.",
                file=FILE_NAME,
            )

    def _name(self, path: Path) -> str:
        """The name of a file in the project, as text."""
        named = path if path.is_relative_to(self._project) else real_path(path)
        return os.fsencode(named.relative_to(self._project).as_posix()).decode("utf-8", "backslashreplace")


def _may_be_run(path: Path) -> bool:
    """Whether a file that is called like data is a program: it may be executed, and says by what."""
    try:
        if os.name != "posix" or not path.stat().st_mode & 0o111:
            return False
        with open_file(path) as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _text_digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()
