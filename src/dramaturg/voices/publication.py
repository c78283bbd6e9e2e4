"""A programme as files to hand out: one per format, with captions, chapters, word times, and a list of them."""

from __future__ import annotations

import hashlib
import re
import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import part_of, read_file
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.store.failures import unwritable
from dramaturg.kernel.store.private_files import private_file, private_folder
from dramaturg.kernel.text.shortened import short_line
from dramaturg.kernel.values import WireValue
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.programme import QUESTION_ID, Chapter
from dramaturg.voices.providers.media import MEDIA_FORMATS, MEDIA_TYPES, MediaFormat, encode

ENDING, LARGEST_RECORD = ".publication.json", 16_000_000
LONGEST_NAME, LONGEST_TITLE = 60, 120
COPIED = (".vtt", ".srt", ".chapters.vtt", ".words.json")


class PublishedFile(WireValue):
    """One sound file of a programme."""

    file: str
    type: str
    bytes: int
    sha256: str


class Publication(WireValue):
    """`….publication.json`: what was published, when, and in which files; a feed is made of these."""

    schema_name: Literal["dramaturg.publication/1"] = Field("dramaturg.publication/1", alias="schema")
    title: str
    summary: str
    run: str
    kind: str
    published_at: float
    duration_ms: int
    lufs: float | None
    true_peak_db: float | None
    files: tuple[PublishedFile, ...]
    captions: str
    subtitles: str
    chapters_file: str
    words: str
    chapters: tuple[Chapter, ...]
    speakers: tuple[str, ...]
    silent: bool = Field(False, description="every line was made by the silent double")


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """Which formats, and where to. `at` is the date of a programme that is not published yet.

    If `private`, only their owner can read the files.
    """

    to: Path
    at: float
    formats: tuple[MediaFormat, ...] = ("m4b",)
    name: str = ""
    kbps: int | None = None
    private: bool = False


def read_media_formats(text: str) -> tuple[MediaFormat, ...]:
    """The formats in a list such as "m4b,mp3". Raises InvalidConfig for an unknown one."""
    names = [name.strip().lower().lstrip(".") for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in MEDIA_FORMATS]
    if unknown or not names:
        found = f" '{unknown[0]}'" if unknown else ""
        raise InvalidConfig(f"There is no format{found}; known are {', '.join(MEDIA_FORMATS)}.", provided=text)
    return tuple(form for form in MEDIA_FORMATS if form in names)


def publish(export: ProgrammeExport, request: PublishRequest) -> Publication:
    """Write a mixed programme in every format, with everything that belongs to it. Blocking and slow.

    Publishing a run again replaces its files and keeps its date.
    """
    manifest = export.manifest
    name = checked_name(request.name) or default_name(manifest.title, manifest.run)
    before = _published(request.to / (name + ENDING))
    if before is not None and before.run != manifest.run:
        raise InvalidConfig(f"{name} in {request.to} is another programme. Give another name.", name=name)
    try:
        if request.private:
            private_folder(request.to)
        else:
            request.to.mkdir(parents=True, exist_ok=True)
        return _publish(export, request, name, before)
    except OSError as error:
        raise unwritable(error, request.to) from error


def _publish(export: ProgrammeExport, request: PublishRequest, name: str, before: Publication | None) -> Publication:
    manifest, folder = export.manifest, Artifacts(request.to, private=request.private)
    title = short(manifest.title)
    tags = {"title": title, "artist": ", ".join(_speakers(export)), "genre": "Podcast"}
    files = tuple(_media(export, request, name, form, tags) for form in request.formats)
    for ending in COPIED:
        folder.write_bytes(name + ending, export.wav.with_name(export.wav.stem + ending).read_bytes())
    publication = Publication(
        title=title,
        summary=" · ".join(chapter.title for chapter in manifest.chapters),
        run=manifest.run,
        kind=manifest.kind,
        published_at=before.published_at if before else request.at,
        duration_ms=manifest.duration_ms,
        lufs=manifest.lufs,
        true_peak_db=manifest.true_peak_db,
        files=files,
        captions=f"{name}.vtt",
        subtitles=f"{name}.srt",
        chapters_file=f"{name}.chapters.vtt",
        words=f"{name}.words.json",
        chapters=manifest.chapters,
        speakers=_speakers(export),
        silent=manifest.silent,
    )
    folder.write_text(name + ENDING, publication.model_dump_json(indent=2, by_alias=True) + "\n")
    return publication


def publications(folder: Path) -> tuple[tuple[str, Publication], ...]:
    """The programmes of a folder with their names, newest first. Raises InvalidConfig for one that is damaged."""
    known = [(path.name.removesuffix(ENDING), _intact(path)) for path in folder.glob(f"*{ENDING}")]
    return tuple(sorted(known, key=lambda one: (-one[1].published_at, one[0])))


def read_publication(folder: Path, name: str) -> Publication | None:
    """The programme of that name, if there is one."""
    return _published(folder / (name + ENDING))


def default_name(title: str, run: str) -> str:
    """A file name that every file system takes: words of the title, and the end of the run's id."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].rstrip("-")
    return f"{words or 'programme'}-{run[-6:]}"


def short(title: str) -> str:
    """A title on one line that a player can show: a question may be four thousand characters long."""
    return short_line(title, LONGEST_TITLE)


def checked_name(name: str) -> str:
    """The name of a programme's files, or empty. Raises InvalidConfig if it cannot be one."""
    odd = Path(name).name != name or name.startswith(".") or len(name) > LONGEST_TITLE or not name.isprintable()
    if name and odd:
        raise InvalidConfig(f"{name[:80]!r} cannot name a file. Use a plain name without a folder.", name=name[:80])
    return name


def _media(
    export: ProgrammeExport, request: PublishRequest, name: str, form: MediaFormat, tags: Mapping[str, str]
) -> PublishedFile:
    to = request.to / f"{name}.{form}"
    part = part_of(to)
    try:
        if request.private:
            private_file(part)
        if form == "wav":
            shutil.copyfile(export.wav, part)
        else:
            encode(export.wav, part, form, export.manifest.chapters, tags, request.kbps)
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)
    with to.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return PublishedFile(file=to.name, type=MEDIA_TYPES[form], bytes=to.stat().st_size, sha256=digest)


def _intact(path: Path) -> Publication:
    found = _published(path)
    if found is None:
        raise InvalidConfig(
            f"{path} is damaged, so its programme would be missing. Make that programme again, or remove the file.",
            file=str(path),
        )
    return found


def _published(path: Path) -> Publication | None:
    try:
        return Publication.model_validate_json(read_file(path, LARGEST_RECORD))
    except (OSError, ValidationError):
        return None


def _speakers(export: ProgrammeExport) -> Sequence[str]:
    """Who is heard, without whoever only asks."""
    heard = (passage.speaker for passage in export.manifest.passages if passage.id != QUESTION_ID)
    return tuple(dict.fromkeys(heard))
