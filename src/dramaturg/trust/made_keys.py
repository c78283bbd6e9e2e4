"""Keys that were made here: remembered in the user's own folder, one empty file per key, named by its digest.

A key in a project's data/ that is not among them may have come with the project, and then others know it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dramaturg.kernel.files import is_inside
from dramaturg.trust.own_folder import is_ours, own_folder, private_own_folder

PLAYERS_KEY, LARGEST_KEY = "players.key", 10_000
"""The file in data/ with the key that signs players' tokens, and its largest size."""


class MadeKeys:
    """The keys that this user's dramaturg has made."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def of(cls, env: Mapping[str, str], project: Path) -> MadeKeys:
        """Those of a user. A folder inside the project does not count: a project does not bring its own."""
        folder = own_folder(env, "keys")
        return cls(None if folder is None or is_inside(folder, project) else folder)

    @property
    def can_remember(self) -> bool:
        """Whether there is a folder of the user's own that can be written."""
        if self._folder is None:
            return False
        existing = next(place for place in (self._folder, *self._folder.parents) if place.exists())
        return os.access(existing, os.W_OK)

    def knows(self, key: bytes) -> bool:
        return self._folder is not None and is_ours(self._folder / digest_of_key(key))

    def remember(self, key: bytes) -> None:
        """Remembers a key that was made just now, as far as the disk allows."""
        if self._folder is None:
            return
        with suppress(OSError):
            private_own_folder(self._folder)
            os.close(os.open(self._folder / digest_of_key(key), os.O_WRONLY | os.O_CREAT, 0o600))


def digest_of_key(key: bytes) -> str:
    """What is remembered of a key: it cannot be guessed from that."""
    return hashlib.sha256(b"a key made here\0" + key).hexdigest()
