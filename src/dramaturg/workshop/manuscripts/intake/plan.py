"""The plan of an import: which files are new, changed, moved or left alone. Planning changes nothing.

What was imported before is remembered by digest, so that importing again brings only what changed in the source, and a
scene that the writer changed since is never overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.files import ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.manuscripts.intake.cards import card_path, card_text
from dramaturg.workshop.manuscripts.intake.preview import ImportPreview, digest_of_sources
from dramaturg.workshop.manuscripts.intake.scenes import ImportedScene, left_out, scenes_in
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.speech.attribution import attributed

ChangeKind = Literal["new", "changed", "moved", "unchanged", "conflict", "card"]
WRITTEN: tuple[ChangeKind, ...] = ("new", "changed", "moved")
"""What changes the manuscript."""


class RememberedScene(Value):
    """A scene of an earlier import: the digest of its prose in the source, and of the file that was written."""

    path: str
    body: str
    file: str


class ImportMemory(Value):
    """The scenes of the last import, in reading order."""

    scenes: tuple[RememberedScene, ...] = ()


class PlannedFile(Value):
    """What an import does with one file. `was` is its path before, if that changes; `text` is None if it stays."""

    path: str
    kind: ChangeKind
    title: str = ""
    words: int = 0
    was: str = ""
    text: str | None = Field(None, repr=False)
    before: str | None = Field(None, repr=False, description="the text that is replaced")


class ImportPlan(Value):
    """Everything an import will do, and what it will remember."""

    files: tuple[PlannedFile, ...] = ()
    removed: tuple[str, ...] = Field((), description="files that are moved away and leave no other in their place")
    memory: ImportMemory = ImportMemory()
    problems: tuple[str, ...] = ()

    def count(self, *kinds: ChangeKind) -> int:
        return sum(one.kind in kinds for one in self.files)


def plan_import(
    project: Path, sources: Sequence[SourceText], preview: ImportPreview, memory: ImportMemory
) -> ImportPlan:
    """What importing these sources does to a project. Raises InvalidConfig if the preview is of other sources."""
    if preview.digest != digest_of_sources(sources):
        raise InvalidConfig("The preview belongs to another version of this text. Make a new one with --preview.")
    scenes = scenes_in(sources, preview)
    if not scenes:
        raise InvalidConfig("There is no prose to import: every part is empty or left out.")
    files = ProjectFiles(project)
    earlier = {one.path: one for one in memory.scenes}
    matched = _matched(scenes, memory.scenes)
    planned: list[PlannedFile] = []
    remembered: list[RememberedScene] = []
    for scene, was in zip(scenes, matched, strict=True):
        one = _planned(scene, earlier.get(was), files, taken=set(matched))
        planned.append(one)
        remembered += _remembered(scene, one, earlier.get(was))
    kept = {one.path for one in planned if one.kind != "conflict"}
    removed = tuple(was for was in matched if was and was not in kept and not _is_conflict(was, planned))
    cards = tuple(_cards(project, sources, preview, files))
    left = tuple(one for one in earlier if one not in kept and one not in matched)
    gone = tuple(f"{one} is no longer in the source; it stays in the manuscript." for one in left)
    return ImportPlan(
        files=(*planned, *cards),
        removed=removed,
        memory=ImportMemory(scenes=tuple(remembered)),
        problems=(*preview.problems, *left_out(sources, preview), *gone),
    )


def _remembered(scene: ImportedScene, one: PlannedFile, was: RememberedScene | None) -> list[RememberedScene]:
    """What the next import compares with. What was not written is remembered as it was."""
    if one.text is not None and one.kind != "moved":
        return [RememberedScene(path=one.path, body=digest_of(scene.body), file=digest_of(one.text))]
    if was is not None:
        return [was.model_copy(update={"path": one.path})]
    if one.kind == "unchanged" and one.before is not None:
        return [RememberedScene(path=one.path, body=digest_of(scene.body), file=digest_of(one.before))]
    return []


def _is_conflict(path: str, planned: Sequence[PlannedFile]) -> bool:
    return any(one.kind == "conflict" and one.path == path for one in planned)


def _planned(scene: ImportedScene, was: RememberedScene | None, files: ProjectFiles, taken: set[str]) -> PlannedFile:
    told = {"title": scene.title, "words": scene.words}
    if len(scene.text.encode()) > MOST_BYTES:
        raise InvalidConfig(f"{scene.path} would be larger than {MOST_BYTES // 1_000_000} MB. Cut it in the preview.")
    if was is None:
        held = files.exact(scene.path, MOST_BYTES) if scene.path not in taken else None
        if held is None:
            return PlannedFile(path=scene.path, kind="new", text=scene.text, **told)
        if split_front_matter(held).body.strip() == scene.body.strip():
            return PlannedFile(path=scene.path, kind="unchanged", before=held, **told)
        return PlannedFile(path=scene.path, kind="conflict", before=held, **told)
    now = files.exact(was.path, MOST_BYTES)
    moved = {"was": was.path} if was.path != scene.path else {}
    if now is None:
        return PlannedFile(path=scene.path, kind="new", text=scene.text, **told)
    if digest_of(scene.body) == was.body:
        if not moved:
            return PlannedFile(path=scene.path, kind="unchanged", before=now, **told)
        return PlannedFile(path=scene.path, kind="moved", text=now, before=now, **told, **moved)
    if digest_of(now) != was.file:
        return PlannedFile(path=was.path, kind="conflict", before=now, **told)
    text = split_front_matter(now).head + "\n" + scene.body
    return PlannedFile(path=scene.path, kind="changed", text=text, before=now, **told, **moved)


def _matched(scenes: Sequence[ImportedScene], earlier: Sequence[RememberedScene]) -> list[str]:
    """For each scene the path it was imported to before; empty if it is new."""
    old, new = [one.body for one in earlier], [digest_of(one.body) for one in scenes]
    matched = [""] * len(scenes)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and i2 - i1 == j2 - j1):
            for index in range(j2 - j1):
                matched[j1 + index] = earlier[i1 + index].path
        elif tag == "replace":
            paths = {earlier[at].path for at in range(i1, i2)}
            for index in range(j1, j2):
                if scenes[index].path in paths:
                    matched[index] = scenes[index].path
    return matched


def _cards(
    project: Path, sources: Sequence[SourceText], preview: ImportPreview, files: ProjectFiles
) -> list[PlannedFile]:
    """A card for each character that the writer wants one of and that has none yet."""
    wanted = [one for one in preview.characters if one.card]
    quotes: Mapping[str, tuple[str, ...]] = _quotes(sources, preview) if wanted else {}
    found: list[PlannedFile] = []
    for one in wanted:
        path = card_path(one.name)
        if path and not (project / path).exists() and path not in {other.path for other in found}:
            text = card_text(one, quotes.get(one.name, ()))
            found.append(PlannedFile(path=path, kind="card", title=one.name, text=text))
    return found


def _quotes(sources: Sequence[SourceText], preview: ImportPreview) -> dict[str, tuple[str, ...]]:
    aliases = {alias: one.name for one in preview.characters for alias in (one.name, *one.also)}
    paragraphs = [" ".join(one.plain.split()) for source in sources for one in source.blocks if one.kind != "break"]
    found: dict[str, list[str]] = {}
    for line in attributed(paragraphs, aliases).lines:
        if line.speaker and line.is_certain and 3 <= len(line.text.split()) <= 25:
            found.setdefault(line.speaker, []).append(line.text.strip(" ,"))
    return {name: tuple(lines[:: max(1, len(lines) // 5)][:5]) for name, lines in found.items()}
