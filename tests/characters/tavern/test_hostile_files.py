"""Files that mean harm, or are broken: each is refused with a reason, and nothing is run or unpacked to disk."""

from __future__ import annotations

import json
import stat
import struct
import zipfile
import zlib

import pytest

from dramaturg import archives as charx_module
from dramaturg.characters.tavern.charx import MAX_UNPACKED, CharxArchive
from dramaturg.characters.tavern.file import read_card_file
from dramaturg.kernel.errors import CharacterLoadError
from tests.characters.foreign import V2, V3, card_png, charx, chunk, packed_json, png, refuse, zipped

GOOD = card_png(V2)
CARD = json.dumps(V3).encode()


def refused(data: bytes) -> str:
    with pytest.raises(CharacterLoadError) as caught:
        read_card_file(data, refuse)
    assert caught.value.context["character"] == "mara"
    assert caught.value.context["reason"]
    return str(caught.value)


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def encrypted(data: bytes) -> bytes:
    """The same archive with the mark of encryption on its first member."""
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    broken = bytearray(data)
    broken[local + 6] |= 1
    broken[central + 8] |= 1
    return bytes(broken)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (GOOD[:60], "is cut off before its end"),
        (GOOD[:-6], "is cut off before its end"),
        (png(("chara", packed_json(V2)), end=False), "is cut off before its end"),
        (GOOD.replace(b"IDAT", b"IDAX"), "checksum of chunk 'IDAX'"),
        (png(extra=chunk(b"tEXt", b"chara\0e30=", crc=1)), "checksum of chunk 'tEXt' at offset 33 is wrong"),
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"tEXtchara", "is cut off"),
        (b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""), "no image data"),
        (png(), "there is no card in this picture"),
        (png(("chara", b"*not base64*")), "not base64"),
        (png(("chara", "é".encode("latin-1"))), "not base64"),
        (png(("chara", b"e30")), "not a character card"),
        (png(("chara", b"rcc||rccv1||abc")), "only RisuAI can open it. Ask its author for an unencrypted copy"),
        (b"rcc||abc", "only RisuAI can open it"),
        (b"", "not JSON (line 1, column 1"),
        (b"[1, 2]", "it is a list, not an object"),
        (b"\xff{}", "byte 0xff at offset 0 is not UTF-8"),
        (b'{"name": "A", "description": ' + b"[" * 100_000, "nested too deep"),
        (b'{"name": ' + b"[" * 80 + b"]" * 80 + b"}", "nested more than 60 levels deep"),
        (b'{"name": "A", "x": NaN}', "contains an invalid number"),
        (b'{"name": "A", "x": 1e999}', "contains an invalid number"),
        (b'{"name": "A", "x": ' + b"9" * 5000 + b"}", "contains an invalid number"),
        (b"[" + b"1," * 500_000 + b"1]", "over 400,000 values"),
        (b'{"name": 7, "description": ""}', "field 'name' is a number, but should be a text"),
        (json.dumps({**V2, "data": {**V2["data"], "tags": ["a", 3]}}).encode(), "field 'data.tags[1]' is a number"),
        (json.dumps({**V2, "data": [1]}).encode(), "it has no 'data'"),
        (b'{"spec": "chara_card_v2"}', "it has no 'data'"),
        (b'{"spec": "my_card", "data": {}}', "its spec is 'my_card'"),
        (b'{"spec": 2, "data": {}}', "its spec is 2"),
        (b'{"entries": {}}', "it is a lorebook, not a card"),
        (b'{"spec": "lorebook_v3", "data": {}}', "it is a lorebook, not a card"),
        (b'{"char_name": "A"}', "it is not a character card"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "no specification allows cards in WEBP"),
        (b"\xff\xd8\xff\xe0 a picture", "JPEG picture without an archive"),
        (b"GIF89a", "not JSON"),
        (b"PK\x03\x04 and no more", "not a readable ZIP archive"),
        (zipped(("other.json", CARD)), "there is no card.json"),
        (zipped(("card.json", CARD), ("../../etc/passwd", b"x")), "a path outside itself"),
        (zipped(("card.json", CARD), ("/etc/passwd", b"x")), "names an absolute path"),
        (zipped(("card.json", CARD), ("C:/x", b"x")), "names an absolute path"),
        (zipped(("card.json", CARD), ("a\\..\\b", b"x")), "a path outside itself"),
        (zipped(("card.json", CARD), (link("assets/a.png"), b"/etc/passwd")), "is a link"),
        (encrypted(charx(V3)), "is encrypted"),
        (charx(V3)[:-30], "not a readable ZIP archive"),
        (zipped(("card.json", bytes(8_000_000))), "compression ratio over 200"),
        (zipped(*((f"a/{n}", b"") for n in range(4200))), "over 4096 files"),
    ],
)  # fmt: skip
def test_a_broken_or_hostile_file_is_refused_with_the_reason(data: bytes, said: str) -> None:
    assert said in refused(data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_two_cards_is_refused() -> None:
    assert "contains 'card.json' twice" in refused(zipped(("card.json", CARD), ("card.json", CARD)))


def test_an_archive_whose_member_was_changed_is_refused() -> None:
    data = bytearray(charx(V3, stored=True))
    data[data.index(b"Mara")] ^= 1
    assert "'card.json' in the archive cannot be unpacked" in refused(bytes(data))


def test_an_archive_that_lies_about_its_sizes_unpacks_no_further_than_they_say() -> None:
    honest = zipped(("card.json", CARD), ("big", bytes(500_000)))
    claimed = struct.pack("<I", 500_000)
    lying = honest.replace(claimed, struct.pack("<I", 10))
    archive = CharxArchive(lying, refuse)
    with pytest.raises(CharacterLoadError, match="cannot be unpacked"):
        archive.member("big")


def test_all_members_together_unpack_to_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charx_module, "MAX_UNPACKED", 1000)
    assert MAX_UNPACKED > 1000
    with pytest.raises(CharacterLoadError, match="the archive unpacks to over"):
        CharxArchive(zipped(("a", bytes(600)), ("b", bytes(600))), refuse)


def test_an_unusual_packing_is_refused() -> None:
    import io

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("card.json", CARD)
    assert "uses an unusual compression method" in refused(out.getvalue())


def test_compressed_text_in_a_picture_is_never_unpacked() -> None:
    bomb = chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(1_000_000)))
    assert "no card in this picture" in refused(png(extra=bomb))


def test_halves_of_characters_are_replaced_since_no_file_could_hold_them() -> None:
    card = read_card_file(b'{"name": "A\\ud800", "description": "\\ud83d\\ude00"}', refuse).card
    assert (card.data.name, card.data.description) == ("A\ufffd", "😀")
