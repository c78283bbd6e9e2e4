"""The scenes that a manuscript is divided into, as files with their front matter filled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from dramaturg.kernel.text.counts import counted
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.workshop.book.manuscript import FOLDER
from dramaturg.workshop.manuscripts.division.cuts import Cut, is_part
from dramaturg.workshop.manuscripts.intake.preview import ImportPreview, cuts_for
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.speech.attribution import attributed

_NUMBER = re.compile(r"(?:^|\s)(\d{1,4})(?:\W|$)")
_BEFORE = re.compile(r"(?:prolog|foreword|preface|introduction|vorwort|text before)", re.IGNORECASE)


_SHOWN = 8


@dataclass(frozen=True, slots=True)
class ImportedScene:
    """A scene as a file: its path, its front matter and its prose."""

    path: str
    head: str
    body: str
    title: str
    source: str
    words: int

    @property
    def text(self) -> str:
        return f"{self.head}\n{self.body}"


@dataclass(frozen=True, slots=True)
class _Part:
    source: SourceText
    cut: Cut
    body: str
    is_first: bool
    opens: str = ""


def scenes_in(sources: Sequence[SourceText], preview: ImportPreview) -> tuple[ImportedScene, ...]:
    """The scenes of a manuscript as its preview cuts it."""
    aliases = {alias: one.name for one in preview.characters for alias in (one.name, *one.also)}
    found: list[ImportedScene] = []
    chapter, scene, chapter_title = -1, 0, ""
    pending = ""
    for part in _parts(sources, preview):
        if part.cut.kind == "chapter":
            pending = part.cut.title or pending
            if not part.body.strip():
                continue
        elif not part.body.strip():
            continue
        if part.cut.kind == "chapter" or pending or chapter < 0:
            chapter, scene = _chapter_number(pending or part.cut.why, chapter), 0
            chapter_title, pending = part.cut.title or pending, ""
        scene += 1
        found.append(_scene(part, chapter, scene, chapter_title, aliases))
    return tuple(found)


def _parts(sources: Sequence[SourceText], preview: ImportPreview) -> Iterator[_Part]:
    cuts = [(number, cut) for number, cut in cuts_for(preview, sources) if cut.kind != "keep"]
    opens = ""
    for index, (number, cut) in enumerate(cuts):
        if cut.kind == "drop":
            opens = cut.title if is_part(cut) else opens
            continue
        source = sources[number]
        following = cuts[index + 1] if index + 1 < len(cuts) else (-1, cut)
        blocks = source.blocks
        end = blocks[following[1].at].start if following[0] == number else len(source.markdown)
        first = cut.at + cut.skip
        start = blocks[first].start if first < len(blocks) else end
        body = source.markdown[start : max(start, end)].strip("\n") + "\n"
        yield _Part(source, cut, body, cut.at == 0, opens)
        opens = "" if body.strip() else opens


def left_out(sources: Sequence[SourceText], preview: ImportPreview) -> Iterator[str]:
    """What of the text is not imported: how many words, why, and how they begin."""
    cuts = [(number, cut) for number, cut in cuts_for(preview, sources) if cut.kind != "keep"]
    found: dict[tuple[str, str], list[str]] = {}
    for index, (number, cut) in enumerate(cuts):
        blocks = sources[number].blocks
        end = cuts[index + 1][1].at if cuts[index + 1 : index + 2] and cuts[index + 1][0] == number else len(blocks)
        if cut.kind == "drop" and not is_part(cut):
            said = [word for one in blocks[cut.at : end] if one.kind != "break" for word in one.plain.split()]
            found.setdefault((sources[number].name, cut.why), []).extend(said)
    for (name, why), words in found.items():
        if words:
            begin = f"“{' '.join(words[:_SHOWN])}{'…' if len(words) > _SHOWN else ''}”"
            yield f"{name}: {counted(len(words), 'word')} left out ({why or 'dropped'}), beginning with {begin}."


def _chapter_number(title: str, last: int) -> int:
    found = _NUMBER.search(title)
    given = int(found[1]) if found else -1
    if given > last:
        return given
    if last < 0:
        return 0 if _BEFORE.match(title) else 1
    return last + 1


def _scene(part: _Part, chapter: int, scene: int, chapter_title: str, aliases: Mapping[str, str]) -> ImportedScene:
    paragraphs = [" ".join(one.split()) for one in part.body.split("\n\n")]
    lines = attributed(paragraphs, aliases).lines
    cast = sorted({one.speaker for one in lines if one.speaker in set(aliases.values()) and one.is_certain})
    title = part.cut.title if part.cut.kind == "scene" else ""
    fields: dict[str, object] = {
        "title": title or chapter_title or f"Chapter {chapter}, scene {scene}",
        "chapter": chapter,
        "part": part.opens if scene == 1 else "",
        "chapter_title": chapter_title if scene == 1 else "",
        "scene": scene,
        "cast": cast,
        "time": part.cut.where,
        "source": part.source.name,
    }
    head = _head(fields, part.source.head if part.is_first else "")
    path = f"{FOLDER}/ch{chapter:02}-sc{scene:02}.md"
    return ImportedScene(path, head, part.body, str(fields["title"]), part.source.name, len(part.body.split()))


def _head(fields: Mapping[str, object], given: str) -> str:
    """The front matter: what the source had, as it was written, and what it did not have."""
    raw = (split_front_matter(given).fields or "").strip("\n")
    had = {
        line.partition(":")[0].strip().casefold() for line in raw.splitlines() if ":" in line and line[:1] not in " -#"
    }
    ours = {key: value for key, value in fields.items() if value not in ("", []) and key not in had}
    written: str = yaml.safe_dump(ours, allow_unicode=True, sort_keys=False, width=110) if ours else ""
    return f"---\n{raw}\n{written}---\n" if raw else f"---\n{written}---\n"
