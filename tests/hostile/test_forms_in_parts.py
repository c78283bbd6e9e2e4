"""Forms in parts: what is between two boundaries is a field, whatever it looks like."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from dramaturg.server.http.multipart import MOST_PARTS, form_fields
from tests.hostile.fuzz.watch import watched

KIND = "multipart/form-data; boundary=b0"
SOUNDS = (b"RIFF", b"", b"\r\n" * 9, b"\r\n--b0 \r\n\r\n", bytes(range(256)), b"--b0--")


def part(name: str, data: bytes) -> bytes:
    return b'--b0\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), data)


class _Sink:
    """Where a client writes what it sends."""

    def __init__(self) -> None:
        self.sent = b""

    async def write(self, data: bytes) -> None:
        self.sent += data


@pytest.mark.parametrize("sound", SOUNDS)
async def test_what_a_client_writes_is_read(sound: bytes) -> None:
    form = aiohttp.FormData({"kiosk": "Foyer ä"}, default_to_multipart=True)
    form.add_field("audio", sound, filename='a "b".wav', content_type="audio/wav")
    payload: Any = form()
    sink: Any = _Sink()
    await payload.write(sink)
    assert form_fields(payload.content_type, sink.sent) == {"kiosk": "Foyer ä".encode(), "audio": sound}


def test_parts_within_parts_and_mails_in_mails_are_bytes() -> None:
    nested = b"".join(b"--b%d\r\ncontent-type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(5000))
    assert form_fields(KIND, nested) is not None
    mails = b"content-type: message/rfc822\r\n\r\n" * 5000
    assert form_fields(KIND, part("audio", mails) + b"--b0--") == {"audio": mails}


@pytest.mark.parametrize("filler", [b"\r\n", b"-", b"\r\n--b", b"\r\n--b0\r\n"])
def test_the_work_does_not_grow_with_the_sound(filler: bytes) -> None:
    small, large = (_lines(part("audio", filler * size)) for size in (40, 40_000))
    assert large <= 2 * small


def _lines(body: bytes) -> int:
    with watched(1_000_000) as work:
        form_fields(KIND, body)
    return work.lines


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", part("audio", b"x")),
        ("multipart/form-data; boundary=", part("audio", b"x")),
        (KIND, b"no part at all"),
        (KIND, part("audio", b"x") * (MOST_PARTS + 1)),
    ],
)
def test_what_is_no_form_or_more_than_one_has_is_refused(kind: str, body: bytes) -> None:
    assert form_fields(kind, body) is None
