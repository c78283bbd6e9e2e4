"""CharX: a card and its assets in a ZIP archive, sometimes appended to a JPEG picture.

Nothing is ever unpacked to disk, and no code in an archive is ever run.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

from dramaturg.archives import MAX_UNPACKED, Archive, packed
from dramaturg.characters.tavern.jsontext import MAX_JSON, Refuse

__all__ = ["CARD", "MAX_UNPACKED", "CharxArchive", "looks_like_charx", "packed", "with_members"]

CARD = "card.json"
_OLDEST = (1980, 1, 1, 0, 0, 0)
_LOCAL = b"PK\x03\x04"
_JPEG = b"\xff\xd8"
_ODD = "No program that makes cards writes such an archive. Do not trust it."
_CODE = re.compile(r"(?:^|/)code/|\.(?:js|mjs|py|lua|sh|exe|dll|bat|ps1|wasm|risum|html?)$", re.IGNORECASE)


def looks_like_charx(data: bytes) -> bool:
    return data.startswith(_LOCAL) or (data.startswith(_JPEG) and _LOCAL in data)


class CharxArchive(Archive):
    """The members of a CharX file, checked on opening. Raises the error `refuse` makes for a hostile archive."""

    def __init__(self, data: bytes, refuse: Refuse) -> None:
        super().__init__(data, refuse, odd=_ODD)

    @property
    def code(self) -> tuple[str, ...]:
        """Members that other programs might run; dramaturg never does."""
        return tuple(name for name in self._members if _CODE.search(name))

    def card(self) -> bytes:
        if CARD not in self._members:
            raise self._refuse(f"there is no {CARD} in the archive", "A CharX file has one at its root.")
        return self.member(CARD, MAX_JSON)

    @property
    def listed(self) -> tuple[zipfile.ZipInfo, ...]:
        """Its members as they are packed, folders included."""
        return tuple(self._zip.infolist())

    @property
    def begins(self) -> int:
        """Where the archive begins in its file: behind a picture, if it was appended to one."""
        return min((one.header_offset for one in self.listed), default=0)


def with_members(data: bytes, archive: CharxArchive, members: Mapping[str, bytes]) -> bytes:
    """The file with some members replaced or added; the others stay, and so does a picture before the archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for one in archive.listed:
            kept = b"" if one.is_dir() else members.get(one.filename)
            content = archive.member(one.filename) if kept is None else kept
            made.writestr(_like(one), content, one.compress_type)
        for name in members.keys() - set(archive.names):
            made.writestr(zipfile.ZipInfo(name, _OLDEST), members[name], zipfile.ZIP_DEFLATED)
    return data[: archive.begins] + written.getvalue()


def _like(one: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The name, date and kind of a member, for another archive."""
    made = zipfile.ZipInfo(one.filename, max(one.date_time, _OLDEST))
    made.external_attr, made.comment = one.external_attr, one.comment
    return made
