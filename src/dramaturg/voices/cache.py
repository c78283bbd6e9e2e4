"""The cache of mastered lines, keyed by the request: no line is synthesized, or paid for, twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.files import read_file
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.voices.port import WordTime

FOLDER = "artifacts/tts/cache"
LIMIT = 1_000_000_000
LARGEST_LINE, LARGEST_METADATA = 256_000_000, 16_000_000
"""Larger files are no lines of ours."""


class Measurements(Value):
    """What was measured of a line's sound, and its word times."""

    lufs: float | None = None
    peak_db: float | None = None
    floor_db: float | None = None
    words: tuple[WordTime, ...] = ()
    silent: bool = False


class MasterMetadata(Measurements):
    """The measurements of a mastered line, and the hash of its file."""

    sha256: str
    duration_ms: int
    sample_rate: int


@dataclass(frozen=True, slots=True)
class Master:
    """A mastered line: the bytes of its WAV file, their metadata, and whether it came from the cache."""

    wav: bytes
    metadata: MasterMetadata
    from_cache: bool = False


class LineCache:
    """Mastered lines by key. Truncated or modified files are ignored; above `limit` bytes the oldest are evicted."""

    def __init__(self, artifacts: Artifacts, limit: int = LIMIT) -> None:
        self._artifacts = artifacts
        self._limit = limit
        self._writes = 0

    def get(self, key: str) -> Master | None:
        wav, metadata = self._paths(key)
        try:
            found = MasterMetadata.model_validate_json(read_file(self._artifacts.found(metadata), LARGEST_METADATA))
            data = read_file(self._artifacts.found(wav), LARGEST_LINE)
        except (OSError, ValidationError, InvalidConfig):
            return None
        return Master(data, found, from_cache=True) if sha256(data).hexdigest() == found.sha256 else None

    def put(self, key: str, master: Master) -> None:
        """Store a line. Failures to write are ignored: neither a full disk nor a link out must cost the line."""
        wav, metadata = self._paths(key)
        with suppress(StoreUnavailable, InvalidConfig):
            self._artifacts.write_bytes(wav, master.wav)
            self._artifacts.write_bytes(metadata, master.metadata.model_dump_json().encode())
        self._writes += 1
        if self._writes % 100 == 1:
            self._evict()

    def make_room(self, size: int) -> bool:
        """Evict the oldest lines until that many bytes are free; False if nothing was left to evict."""
        freed = 0
        for path in self._oldest_first():
            if freed >= size:
                break
            size_of = _size(path)
            freed += size_of if _remove(path) else 0
        return freed > 0

    def _evict(self) -> None:
        files = self._oldest_first()
        size = sum(_size(path) for path in files)
        for path in files:
            if size <= self._limit:
                return
            size -= _size(path)
            _remove(path)

    def _oldest_first(self) -> list[Path]:
        with suppress(InvalidConfig):
            return sorted(self._artifacts.path(FOLDER).glob("*/*.wav"), key=_modified)
        return []

    def _paths(self, key: str) -> tuple[str, str]:
        stem = f"{FOLDER}/{key[:2]}/{key}"
        return f"{stem}.wav", f"{stem}.json"


def _remove(path: Path) -> bool:
    """Remove a line; False if the disk does not let go of it."""
    for evicted in (path.with_suffix(".json"), path):
        with suppress(OSError):
            evicted.unlink()
    return not path.exists()


def _modified(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
