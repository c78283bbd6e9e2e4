"""The files of a programme: the sound, its subtitles, its chapters, and a manifest of what is heard when.

A programme that was pressed before is found again and not made twice; another one never takes its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.voices import extra
from dramaturg.kernel.voices.captions import render_captions, render_chapters
from dramaturg.kernel.voices.programme import (
    PassageRecord,
    Placement,
    Programme,
    ProgrammeManifest,
    chapters_of,
    duration_ms,
    timeline,
)

if TYPE_CHECKING:
    from dramaturg.kernel.voices.mixing import Mixer

NAME = "programme"
ENDINGS = (".wav", ".vtt", ".chapters.vtt", ".json")
SAMPLE_RATE, CHANNELS = 48_000, 2


@dataclass(frozen=True, slots=True)
class Pressing:
    """A programme on disk, and what its listener should know.

    `again` is said of one that was there already, to the byte; `anew` counts the lines that had to be spoken for it.
    """

    manifest: ProgrammeManifest
    wav: Path
    again: bool = False
    anew: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sleeve:
    """What a pressing is of, and what its files are called: `name` is a path below `to`, without an ending.

    Unless it is `exact`, the first free of `name`, `name-2`, `name-3` … is taken.
    """

    run: str
    kind: str
    to: Artifacts
    name: str
    exact: bool = False


def sleeve_for(run: str, kind: str, artifacts: Artifacts, folder: str, out: Path | None = None) -> Sleeve:
    """Where a run's programme goes: into its folder, numbered, or to a WAV file that somebody named.

    Raises InvalidConfig for a file that it cannot be, before anything is spoken.
    """
    if out is None:
        return Sleeve(run=run, kind=kind, to=artifacts, name=f"{folder}/{NAME}")
    if out.is_dir() or out.suffix != ".wav":
        raise InvalidConfig(f"{out} is no WAV file. Give a name that ends in .wav.", file=str(out))
    if out.exists() and not out.with_suffix(".json").exists():
        raise InvalidConfig(f"{out} exists already and is no programme. Give another name.", file=str(out))
    return Sleeve(run=run, kind=kind, to=Artifacts(out.parent), name=out.stem, exact=True)


def press(programme: Programme, sleeve: Sleeve, recordings: Path) -> Pressing:
    """Mix a programme and write its files; whoever waits for them runs this in a thread, since it takes a while.

    Raises VoiceError where there is nothing to mix or nothing to mix it with, InvalidConfig where an exact name
    belongs to something else.
    """
    if not programme.passages:
        raise VoiceError(_nothing(programme), run=sleeve.run)
    placed = timeline(programme)
    fingerprint = programme.fingerprint()
    for name in _names(sleeve):
        if not _taken(sleeve, name):
            return _press(programme, placed, sleeve, name, recordings)
        if found := _same(sleeve, name, fingerprint):
            return Pressing(found, sleeve.to.path(name + ".wav"), again=True, anew=_anew(programme))
    raise InvalidConfig(
        f"{sleeve.to.path(sleeve.name + '.wav')} exists already, or a file beside it does, and is something else. "
        "Give another name.",
        file=str(sleeve.to.path(sleeve.name + ".wav")),
    )


def _press(programme: Programme, placed: Sequence[Placement], sleeve: Sleeve, name: str, recordings: Path) -> Pressing:
    mix_to = _mixer()
    length = duration_ms(programme, placed)
    with sleeve.to.writing(name + ".wav") as file:
        mixed = mix_to(file, placed, length, recordings)
    chapters = chapters_of(programme, placed)
    sleeve.to.write_text(name + ".vtt", render_captions(programme, placed))
    sleeve.to.write_text(name + ".chapters.vtt", render_chapters(chapters))
    manifest = ProgrammeManifest(
        title=programme.title,
        run=sleeve.run,
        kind=sleeve.kind,
        wav=_file(name, ".wav"),
        captions=_file(name, ".vtt"),
        chapters_file=_file(name, ".chapters.vtt"),
        duration_ms=length,
        sample_rate=SAMPLE_RATE,
        channels=CHANNELS,
        bytes=mixed.bytes,
        sha256=mixed.sha256,
        lufs=mixed.lufs,
        true_peak_db=mixed.true_peak_db,
        silent=programme.silent,
        fingerprint=programme.fingerprint(),
        passages=tuple(_record(placement) for placement in placed),
        chapters=chapters,
        missing=programme.missing,
    )
    # Last: who finds the manifest finds everything.
    sleeve.to.write_text(name + ".json", manifest.model_dump_json(indent=2) + "\n")
    return Pressing(manifest, sleeve.to.path(name + ".wav"), anew=_anew(programme))


def _mixer() -> Mixer:
    """Imported here, so that who only reads needs no numpy."""
    try:
        from dramaturg.kernel.voices.mixing import mix_to
    except ImportError as error:
        raise extra.not_installed((error.name or "numpy",)) from error
    return mix_to


def _record(placement: Placement) -> PassageRecord:
    passage, recording = placement.passage, placement.passage.recording
    return PassageRecord(
        id=passage.id,
        speaker=passage.speaker,
        text=passage.text,
        start_ms=placement.start_ms,
        end_ms=placement.end_ms,
        cut=passage.is_cut,
        seat=passage.seat,
        level=passage.level,
        engine=recording.engine,
        voice=recording.voice,
        profile=recording.profile,
        path=recording.path,
        sha256=recording.sha256,
    )


def _names(sleeve: Sleeve) -> Iterator[str]:
    yield sleeve.name
    if not sleeve.exact:
        yield from (f"{sleeve.name}-{number}" for number in count(2))


def _taken(sleeve: Sleeve, name: str) -> bool:
    return any(sleeve.to.path(name + ending).exists() for ending in ENDINGS)


def _same(sleeve: Sleeve, name: str, fingerprint: str) -> ProgrammeManifest | None:
    """The manifest under a name, if it is of the very same programme and its sound is as it was written."""
    try:
        text = sleeve.to.path(name + ".json").read_text(encoding="utf-8")
        manifest = ProgrammeManifest.model_validate_json(text)
        same = manifest.fingerprint == fingerprint and manifest.sha256 == _sha256(sleeve.to.path(name + ".wav"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
    return manifest if same else None


def _anew(programme: Programme) -> int:
    return sum(not passage.recording.cached for passage in programme.passages)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file(name: str, ending: str) -> str:
    return Path(name).name + ending


def _nothing(programme: Programme) -> str:
    if not programme.missing:
        return f"There is nothing to hear in “{programme.title}”: nobody says a word."
    first = programme.missing[0]
    return f"No line of “{programme.title}” can be heard; the first: {first.reason}"
