"""The files of the book when a prompt was written, as the log has them: what changed since the prompt before.

An action must know whether a file is still what the model was told of. A log that repeated the digests of five hundred
scenes with every prompt would be about them and little else.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from dramaturg.kernel.values import Value


class FilesSeen(Value):
    """The digests of files that are new or changed, by path, and the paths of those that are gone."""

    changed: Mapping[str, str] = Field(default_factory=dict)
    gone: tuple[str, ...] = ()

    @classmethod
    def between(cls, before: Mapping[str, str], now: Mapping[str, str]) -> FilesSeen:
        if before == now:
            return cls()
        return cls(
            changed={path: digest for path, digest in now.items() if before.get(path) != digest},
            gone=tuple(path for path in before if path not in now),
        )

    def after(self, before: Mapping[str, str]) -> Mapping[str, str]:
        """The digests of all files once this has happened."""
        if not self.changed and not self.gone:
            return before
        return {path: digest for path, digest in (dict(before) | dict(self.changed)).items() if path not in self.gone}
