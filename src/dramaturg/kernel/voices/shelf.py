"""Lines that were spoken before, kept by what was asked: nobody pays for the same words twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.kernel.voices.port import WordTime

FOLDER = "artifacts/tts/cache"
LIMIT = 1_000_000_000


class Measures(Value):
    """What was found of a finished line's sound, and when its words are heard."""

    lufs: float | None = None
    peak_db: float | None = None
    words: tuple[WordTime, ...] = ()
    silent: bool = False


class Label(Measures):
    """What a finished line measures, and the hash of its file."""

    sha256: str
    duration_ms: int
    sample_rate: int


@dataclass(frozen=True, slots=True)
class Master:
    """A finished line: the bytes of its WAV file, their label, and whether it came from the shelf."""

    wav: bytes
    label: Label
    kept: bool = False


class Shelf:
    """Finished lines by key. A file that was cut off or changed is not taken; beyond `limit` the oldest go."""

    def __init__(self, artifacts: Artifacts, limit: int = LIMIT) -> None:
        self._artifacts = artifacts
        self._limit = limit
        self._put = 0

    def get(self, key: str) -> Master | None:
        wav, label = self._place(key)
        try:
            found = Label.model_validate_json(self._artifacts.path(label).read_bytes())
            data = self._artifacts.path(wav).read_bytes()
        except (OSError, ValidationError):
            return None
        return Master(data, found, kept=True) if sha256(data).hexdigest() == found.sha256 else None

    def put(self, key: str, master: Master) -> None:
        """Keep a line, if the disk allows: a shelf is a convenience, and a full one costs nobody their line."""
        wav, label = self._place(key)
        with suppress(StoreUnavailable):
            self._artifacts.write_bytes(wav, master.wav)
            self._artifacts.write_bytes(label, master.label.model_dump_json().encode())
        self._put += 1
        if self._put % 100 == 1:
            self._clear_out()

    def _clear_out(self) -> None:
        kept = sorted((path for path in self._folder().glob("*/*.wav")), key=_age)
        size = sum(_size(path) for path in kept)
        for path in kept:
            if size <= self._limit:
                return
            size -= _size(path)
            for gone in (path.with_suffix(".json"), path):
                with suppress(OSError):
                    gone.unlink()

    def _folder(self) -> Path:
        return self._artifacts.path(FOLDER)

    def _place(self, key: str) -> tuple[str, str]:
        stem = f"{FOLDER}/{key[:2]}/{key}"
        return f"{stem}.wav", f"{stem}.json"


def _age(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
