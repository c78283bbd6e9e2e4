"""Export of a programme: the sound, its subtitles, its chapters, and a manifest of what is heard when.

A programme that was exported before is found and reused; it is never overwritten by a different one.
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
from dramaturg.kernel.files import open_file, read_file
from dramaturg.kernel.store import Artifacts
from dramaturg.voices import extra
from dramaturg.voices.captions import render_captions, render_chapters, render_subrip
from dramaturg.voices.programme import (
    PassageRecord,
    Placement,
    Programme,
    ProgrammeManifest,
    chapters_of,
    duration_ms,
    timeline,
)
from dramaturg.voices.word_times import words_of

if TYPE_CHECKING:
    from dramaturg.voices.mixer import Mix, Mixer

NAME = "programme"
ENDINGS = (".wav", ".vtt", ".chapters.vtt", ".json", ".srt", ".words.json")
SAMPLE_RATE, CHANNELS = 48_000, 2
LARGEST_MANIFEST = 64_000_000


@dataclass(frozen=True, slots=True)
class ProgrammeExport:
    """A programme on disk, and remarks for its listener.

    `reused` means that the same programme was already on disk; `newly_spoken` counts the lines that were synthesized
    for it.
    """

    manifest: ProgrammeManifest
    wav: Path
    reused: bool = False
    newly_spoken: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """Everything that its listener is told: the remarks, and what cannot be heard."""
        return (*self.remarks, *filter(None, [self.manifest.silence]))


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """Which run is exported, and to which files: `name` is a path below `to`, without an extension.

    Unless it is `exact`, the first unused one of `name`, `name-2`, `name-3` … is taken.
    """

    run: str
    kind: str
    to: Artifacts
    name: str
    exact: bool = False


def export_target(run: str, kind: str, artifacts: Artifacts, folder: str, out: Path | None = None) -> ExportTarget:
    """Where a run's programme goes: into its folder, numbered, or to the WAV file `out`.

    Raises InvalidConfig if `out` cannot be used, before anything is spoken.
    """
    if out is None:
        return ExportTarget(run=run, kind=kind, to=artifacts, name=f"{folder}/{NAME}")
    if out.is_dir() or out.suffix != ".wav":
        raise InvalidConfig(f"{out} is not a WAV file. Give a name that ends in .wav.", file=str(out))
    if out.exists() and not out.with_suffix(".json").exists():
        raise InvalidConfig(f"{out} already exists and is not a programme. Give another name.", file=str(out))
    return ExportTarget(run=run, kind=kind, to=Artifacts(out.parent), name=out.stem, exact=True)


def export_programme(programme: Programme, target: ExportTarget, recordings: Path) -> ProgrammeExport:
    """Mix a programme and write its files. Blocking and slow: call it in a thread.

    Raises VoiceError if there is nothing to mix or a dependency is missing, and InvalidConfig if an exact name is
    taken by something else.
    """
    if not programme.passages:
        raise VoiceError(_nothing(programme), run=target.run)
    placed = timeline(programme)
    fingerprint = programme.fingerprint()
    for name in _names(target):
        if not _taken(target, name):
            return _export(programme, placed, target, name, recordings)
        if found := _same(target, name, fingerprint):
            _write_times(programme, placed, target, name)
            return ProgrammeExport(
                found, target.to.path(name + ".wav"), reused=True, newly_spoken=_newly_spoken(programme)
            )
    raise InvalidConfig(
        f"{target.to.path(target.name + '.wav')} already exists, or a file beside it does, and is something else. "
        "Give another name.",
        file=str(target.to.path(target.name + ".wav")),
    )


def _export(
    programme: Programme, placed: Sequence[Placement], target: ExportTarget, name: str, recordings: Path
) -> ProgrammeExport:
    mix_to = _mixer()
    length = duration_ms(programme, placed)
    beneath = _beneath(programme, placed, length)
    with target.to.writing(name + ".wav") as file:
        mixed = mix_to(file, placed, length, recordings, beneath)
    chapters = chapters_of(programme, placed)
    _write_times(programme, placed, target, name)
    target.to.write_text(name + ".chapters.vtt", render_chapters(chapters))
    manifest = ProgrammeManifest(
        title=programme.title,
        run=target.run,
        kind=target.kind,
        wav=_file(name, ".wav"),
        captions=_file(name, ".vtt"),
        chapters_file=_file(name, ".chapters.vtt"),
        subtitles=_file(name, ".srt"),
        words=_file(name, ".words.json"),
        backdrop=programme.backdrop,
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
    # Last: once the manifest is there, so is everything else.
    target.to.write_text(name + ".json", manifest.model_dump_json(indent=2) + "\n")
    return ProgrammeExport(manifest, target.to.path(name + ".wav"), newly_spoken=_newly_spoken(programme))


def _mixer() -> Mixer:
    """Imported here, so that reading needs no numpy."""
    try:
        from dramaturg.voices.mixer import mix_to
    except ImportError as error:
        raise extra.not_installed((error.name or "numpy",)) from error
    return mix_to


def _write_times(programme: Programme, placed: Sequence[Placement], target: ExportTarget, name: str) -> None:
    """Write captions and word times; those of an earlier version are replaced, since the sound is the same."""
    words = words_of(placed).model_dump_json(indent=1, by_alias=True) + "\n"
    texts = {".vtt": render_captions(programme, placed), ".srt": render_subrip(placed), ".words.json": words}
    for ending, text in texts.items():
        if not _says(target.to.found(name + ending), text):
            target.to.write_text(name + ending, text)


def _says(path: Path, text: str) -> bool:
    try:
        return read_file(path, len(text.encode())) == text.encode()
    except OSError:
        return False


def _beneath(programme: Programme, placed: Sequence[Placement], length: int) -> Mix | None:
    """The backdrop of a programme that has one. Raises InvalidConfig if its music cannot be read."""
    if programme.backdrop is None:
        return None
    from dramaturg.voices.backdrop import backdrop_blocks

    music = None
    if programme.backdrop.music:
        from dramaturg.voices.providers.media import read_sound

        music = read_sound(Path(programme.backdrop.music))
    return backdrop_blocks(programme.backdrop, placed, length, music)


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


def _names(target: ExportTarget) -> Iterator[str]:
    yield target.name
    if not target.exact:
        yield from (f"{target.name}-{number}" for number in count(2))


def _taken(target: ExportTarget, name: str) -> bool:
    return any(target.to.found(name + ending).exists() for ending in ENDINGS)


def _same(target: ExportTarget, name: str, fingerprint: str) -> ProgrammeManifest | None:
    """The manifest of that name, if it is of the same programme and its sound file is unmodified."""
    try:
        manifest = ProgrammeManifest.model_validate_json(read_file(target.to.found(name + ".json"), LARGEST_MANIFEST))
        same = manifest.fingerprint == fingerprint and manifest.sha256 == _sha256(target.to.found(name + ".wav"))
    except (OSError, ValidationError):
        return None
    return manifest if same else None


def _newly_spoken(programme: Programme) -> int:
    return sum(not passage.recording.cached for passage in programme.passages)


def _sha256(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file(name: str, ending: str) -> str:
    return Path(name).name + ending


def _nothing(programme: Programme) -> str:
    if not programme.missing:
        return f"There is nothing to hear in “{programme.title}”: it has no spoken lines."
    first = programme.missing[0]
    return f"No line of “{programme.title}” could be spoken; the first failure: {first.reason}"
