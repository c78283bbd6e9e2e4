"""The loop: mutate, read, and keep what is new; a broken law is a finding."""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import CodeType

from tests.hostile.fuzz.mutations import mutated
from tests.hostile.fuzz.target import Target
from tests.hostile.fuzz.watch import TooMuchWork, Work, watched

CORPUS = Path(__file__).parent / "corpus"
MOST_KEPT = 600


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that broke a law, and how. `signature` is the same for all inputs that break it in the same place."""

    target: str
    data: bytes
    what: str
    signature: str

    @property
    def file_name(self) -> str:
        return f"found-{hashlib.sha256(self.data).hexdigest()[:10]}"

    def __str__(self) -> str:
        return f"{self.target}: {self.what}\n  input ({len(self.data)} bytes): {self.data[:160]!r}"


@dataclass(slots=True)
class Campaign:
    """One target, one seed. `run` may be called again to go on."""

    target: Target
    seed: int = 1
    iterations: int = 0
    findings: dict[str, Finding] = field(default_factory=dict)
    dearest: float = 0.0
    """The most lines per byte that an input took."""
    places: set[tuple[CodeType, int]] = field(default_factory=set)
    _kept: list[bytes] = field(default_factory=list)
    _random: Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = Random(f"{self.target.name}/{self.seed}")
        for data in corpus_of(self.target.name):
            self._kept.append(data)
            self._try(data)

    def run(self, *, iterations: int | None = None, seconds: float | None = None) -> None:
        until = time.process_time() + seconds if seconds is not None else None
        done = 0
        while (iterations is None or done < iterations) and (until is None or time.process_time() < until):
            done += 1
            data = mutated(self._random, self._chosen(), self._kept, self.target.tokens)
            if self._try(data) and len(self._kept) < MOST_KEPT:
                self._kept.append(data)

    @property
    def kept(self) -> int:
        return len(self._kept)

    def _chosen(self) -> bytes:
        """Half of the time one of the newest, which led somewhere new."""
        newest = self._kept[-20:] if self._random.random() < 0.5 else self._kept
        return self._random.choice(newest)

    def _try(self, data: bytes) -> bool:
        """Whether the input did anything new."""
        self.iterations += 1
        work, finding = tried(self.target, data)
        if finding is not None:
            self.findings.setdefault(finding.signature, finding)
            return False
        cost = work.lines / (len(data) + self.target.base_bytes)
        is_new = not work.places <= self.places or cost > self.dearest * 1.1
        self.places |= work.places
        self.dearest = max(self.dearest, cost)
        return is_new


def tried(target: Target, data: bytes) -> tuple[Work, Finding | None]:
    """Feeds one input to a target; the finding is None if every law held."""
    limit = target.lines_per_byte * (len(data) + target.base_bytes)
    work = Work()
    try:
        with watched(limit) as work:
            target.read(data)
    except TooMuchWork as error:
        return work, _finding(target, data, error)
    except Exception as error:  # noqa: BLE001  # reason: any other error is what a fuzzer looks for
        if not isinstance(error, target.allowed):
            return work, _finding(target, data, error)
    if work.stopped:
        return work, Finding(target.name, data, f"TooMuchWork: {work.stopped}", "TooMuchWork")
    return work, None


def _finding(target: Target, data: bytes, error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "dramaturg" in frame.filename and "hostile" not in frame.filename] or frames
    at = f"{Path(ours[-1].filename).name}:{ours[-1].name}"
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
    said = " ".join(str(error).split())[:200]
    return Finding(target.name, data, f"{type(error).__name__} at {where}: {said}", f"{type(error).__name__} at {at}")


def minimized(target: Target, finding: Finding, *, most_tries: int = 400) -> Finding:
    """A shorter input that breaks the same law in the same place."""
    best = finding
    tries = 0
    if "CPU" in finding.what:
        most_tries = min(most_tries, 20)
    size = max(1, len(best.data) // 2)
    while size and tries < most_tries:
        for data in _shorter(best.data, size):
            tries += 1
            _, found = tried(target, data)
            if found is not None and found.signature == best.signature:
                best = found
                break
            if tries >= most_tries:
                break
        else:
            size //= 2
            continue
        size = min(size, len(best.data) // 2)
    return best


def _shorter(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[:start] + data[start + size :]


def corpus_of(name: str) -> list[bytes]:
    """The inputs of a target, in a fixed order; an empty one is always among them."""
    folder = CORPUS / name
    files = sorted(path for path in folder.glob("*") if path.is_file()) if folder.is_dir() else []
    return [path.read_bytes() for path in files] + [b""]


def keep(finding: Finding, *, write: Callable[[Path, bytes], object] = Path.write_bytes) -> Path:
    """Writes a finding's input to the corpus."""
    folder = CORPUS / finding.target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / finding.file_name
    write(path, finding.data)
    return path
