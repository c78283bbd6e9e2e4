"""The fields of a form that is sent in parts (RFC 7578). It is cut at its boundaries, whatever is between them.

The standard library reads such a body as a mail: line by line, and parts within parts. Here a part is bytes.
"""

from __future__ import annotations

import re

MOST_PARTS = 50
LONGEST_HEAD = 2_048
_PARAMETER = re.compile(r';\s{0,3}([a-z]{1,20})\s{0,3}=\s{0,3}(?:"([^"]{0,200})"|([^\s;,"]{1,200}))', re.IGNORECASE)
_LINE, _EMPTY = b"\r\n", b"\r\n\r\n"


def form_fields(content_type: str, body: bytes) -> dict[str, bytes] | None:
    """The fields by their names; None if there is no boundary, no field, or more of them than any form has."""
    boundary = _parameter(content_type, "boundary")
    if not boundary:
        return None
    mark = _LINE + b"--" + boundary.encode("latin-1", "replace")
    parts = (_LINE + body).split(mark, MOST_PARTS + 1)[1:]
    if len(parts) > MOST_PARTS:
        return None
    return dict(_field(part) for part in parts if not part.startswith(b"--")) or None


def _field(part: bytes) -> tuple[str, bytes]:
    head, _, data = part.partition(_EMPTY)
    lines = head[:LONGEST_HEAD].decode("utf-8", "replace").splitlines()
    told = (line.partition(":") for line in lines)
    disposition = next((value for name, _, value in told if name.strip().lower() == "content-disposition"), "")
    return _parameter(disposition.strip(), "name"), data


def _parameter(header: str, name: str) -> str:
    found = (one for one in _PARAMETER.finditer(header[:LONGEST_HEAD]) if one[1].lower() == name)
    value = next(found, None)
    return (value[2] or value[3] or "") if value is not None else ""
