"""CharX: a card and its assets in a ZIP archive, sometimes appended to a JPEG picture.

Nothing is ever unpacked to disk, and no code in an archive is ever run.
"""

from __future__ import annotations

import re

from dramaturg.characters.tavern.jsontext import MAX_JSON, Refuse
from dramaturg.kernel.archives import MAX_UNPACKED, Archive, packed

__all__ = ["CARD", "MAX_UNPACKED", "CharxArchive", "looks_like_charx", "packed"]

CARD = "card.json"
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
