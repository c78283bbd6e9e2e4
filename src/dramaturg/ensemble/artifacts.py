"""The paths of a session's files: names that say what a file holds and that every file system accepts."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dramaturg.ensemble.events import Seat, SlotSpoke
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import link_out
from dramaturg.kernel.runs.ids import is_id
from dramaturg.kernel.store import Artifacts

ROOT = "artifacts"
SESSIONS = "tts/sessions"
MANIFEST = "session.json"
LONGEST_PART = 48
A_DAY = 86_400.0
A_MEGABYTE = 1_000_000


def check_folder(artifacts: Artifacts) -> None:
    """Raises InvalidConfig, which names the link, if the sessions' folder lies behind one out of the data folder."""
    if link := link_out(artifacts.root / ROOT / SESSIONS, artifacts.root):
        data = artifacts.root.resolve().name
        where = f"{data}/{link.relative_to(artifacts.root).as_posix()}"
        raise InvalidConfig(
            f"{where} is a link out of {data}/. Replace it with a folder, and move the files it leads to there.",
            path=where,
        )


def session_folder(session_id: str) -> str:
    """The folder of a session, relative to the data folder."""
    return f"{ROOT}/{SESSIONS}/{safe(session_id)}"


def is_session_folder(folder: str) -> bool:
    """Whether a folder that a log names is one of those above."""
    name = folder.removeprefix(f"{ROOT}/{SESSIONS}/")
    return is_id(name) and folder == session_folder(name)


def audio_path(session_id: str, seat: Seat, line: SlotSpoke) -> str:
    """The path of a line's WAV below `artifacts/`, in the documented form."""
    who = f"{safe(seat.agent_id)}_{safe(line.voice_profile)}"
    what = {
        1: f"slot-{seat.slot_id}_{who}",
        2: f"slot-{seat.slot_id}_comment_to_slot-{line.target}_{who}",
        3: f"slot-{seat.slot_id}_reply_{who}",
    }[line.turn]
    return f"{SESSIONS}/{safe(session_id)}/turn_{line.turn}/{what}.wav"


def words_path(audio: str) -> str:
    """The path of the word times, beside the WAV."""
    return f"{audio.removesuffix('.wav')}.words.json"


def stage_path(audio: str, rate: int) -> str:
    """The path of the copy for the stage, beside the WAV."""
    return f"{audio.removesuffix('.wav')}.{rate}.wav"


def manifest_path(session_id: str) -> str:
    """The manifest of a session, below `artifacts/`."""
    return f"{SESSIONS}/{safe(session_id)}/{MANIFEST}"


def in_data(path: str) -> str:
    """A path below `artifacts/`, as one below the data folder."""
    return f"{ROOT}/{path}"


def safe(name: str) -> str:
    """A name as a part of a file name: ASCII letters, digits, `.`, `-` and `_`, never empty, never too long.

    A name that loses distinguishing characters gets a few digits of its hash.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    tidy = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip(".-_")
    lost = not tidy or len(tidy) > LONGEST_PART or _letters(plain) < _letters(name)
    if not lost:
        return tidy
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{tidy[: LONGEST_PART - 7].rstrip('.-_')}-{digest}".lstrip("-")


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session's folder on disk: its age and size."""

    id: str
    folder: Path
    at: float
    size: int


def stored_sessions(artifacts: Artifacts) -> tuple[StoredSession, ...]:
    """The sessions that have files, oldest first."""
    try:
        folders = list(artifacts.path(f"{ROOT}/{SESSIONS}").iterdir())
    except OSError:
        return ()
    found = (_stored(folder) for folder in folders if is_id(folder.name) and not folder.is_symlink())
    return tuple(sorted((one for one in found if one), key=lambda one: (one.at, one.id)))


def _stored(folder: Path) -> StoredSession | None:
    try:
        stats = [path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
        at = max((stat.st_mtime for stat in stats), default=folder.lstat().st_mtime)
    except OSError:  # another process is writing or removing it
        return None
    return StoredSession(folder.name, folder, at, sum(stat.st_size for stat in stats))


def prune_sessions(
    artifacts: Artifacts,
    *,
    keep_days: float | None,
    keep_mb: float | None,
    now: float,
    playing: Collection[str] = (),
) -> tuple[str, ...]:
    """Remove the files of sessions that are too old, then the oldest until the rest is small enough.

    Never those of a session that is being played. The log keeps what was said. Returns the ids of the removed sessions.
    """
    if keep_days is None and keep_mb is None:
        return ()
    sessions = stored_sessions(artifacts)
    total = sum(one.size for one in sessions)
    gone: list[str] = []
    for one in sessions:
        old = keep_days is not None and now - one.at > keep_days * A_DAY
        large = keep_mb is not None and total > keep_mb * A_MEGABYTE
        if one.id in playing or not (old or large):
            continue
        shutil.rmtree(one.folder, ignore_errors=True)
        total -= one.size
        gone.append(one.id)
    return tuple(gone)
