"""Hostile files: what a stranger, a broken disk or a wrong program may leave where an author's file is expected."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

_KEYS = ("name", "prompt", "characters", "slots", "entries", "variables", "title")
_LAUGHS = "\n".join(
    [f"l0: &l0 [{', '.join(['ha'] * 9)}]", *(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))]
)


def _nameless() -> bytes:
    """A CharX with a member that has no name."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("card.json", "{}")
        archive.writestr(zipfile.ZipInfo("x"), "?")
    return written.getvalue().replace(b"\x01\x00\x00\x00x", b"\x01\x00\x00\x00").replace(b"x?", b"?")


def _empty_name() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = ""
        archive.writestr(info, "?")
        archive.writestr("card.json", "{}")
    return written.getvalue()


TEXTS: Mapping[str, str] = {
    "nothing": "",
    "a date that is none": "prompt: 2024-13-45\nname: 2024-02-30\n",
    "a time that is none": "name: 2024-01-01 99:99:99\n",
    "a tag of another language": "name: !!python/object/apply:os.system ['true']\n",
    "an unknown tag": "name: !wat {}\n",
    "bad binary": "name: !!binary 'a'\n",
    "a bad set": "name: !!set [1, 2]\n",
    "a number without an end": "maxBeats: 1e999999\nname: .inf\ntempo: .nan\n",
    "a huge number": f"maxBeats: {'9' * 6000}\n",
    "a huge hexadecimal number": f"maxBeats: 0x{'f' * 9000}\n",
    "an octal number that is none": "maxBeats: 0o9\nname: 0999\n",
    "a sexagesimal number": "maxBeats: 1:99:99\n",
    "a lone surrogate": 'name: "\\ud800"\nprompt: "\\udfff"\n',
    "NUL": 'name: "a\\0b"\nprompt: a\0b\n',
    "3,000 brackets": "name: " + "[" * 3000 + "\n",
    "3,000 braces": "{" * 3000,
    "3,000 closed brackets": "[" * 3000 + "]" * 3000,
    "3,000 dashes": "- " * 3000 + "x\n",
    "3,000 levels": "".join(" " * level + "a:\n" for level in range(300)),
    "anchors that multiply": _LAUGHS + "\n",
    "an anchor inside itself": "a: &a [*a]\n",
    "a merge of nothing": "<<: 1\nname: x\n",
    "keys twice": "name: a\nname: b\n",
    "a list": "- name\n- prompt\n",
    "a mapping in place of everything": "\n".join(f"{key}: {{a: {{b: c}}}}" for key in _KEYS),
    "a list in place of everything": "\n".join(f"{key}: [[1], {{}}, null]" for key in _KEYS),
    "a mapping as a key": "? {a: b}\n: c\n[1, 2]: 3\n",
    "null as a key": "null: 1\ntrue: 2\n1.5: 3\n",
    "tabs": "name:\n\t- a\n\t\tb: c\n",
    "quotes that never close": "name: 'never\nprompt: \"nor this\n",
    "two documents": "name: a\n---\nname: b\n",
    "directives": "%YAML 9.9\n%TAG ! tag:x:\n---\nname: !a b\n",
    "control characters": "name: a\x1b[31mb\x07\nprompt: \x9b2J\n",
    "bidi overrides": "name: \u202eabc\u2066\n",
    "only a byte order mark": "\ufeff",
    "a byte order mark in the middle": "name: a\n\ufeffprompt: b\n",
    "JSON cut off": '{"name": "a", "entries": [{"key": [',
    "JSON with infinity": '{"name": Infinity, "x": -1e999999, "entries": {"0": {"order": 1e400}}}',
    "JSON with keys twice": '{"name": "a", "name": "b", "entries": [], "entries": {}}',
    "JSON with a lone surrogate": '{"name": "\\ud800", "\\udc00": 1, "entries": []}',
    "JSON of a number": "1e999999",
    "JSON of nesting": '{"entries":' * 3000,
    "entries of the wrong kind": '{"entries": {"0": [], "1": 5, "2": {"key": {}, "uid": [1]}}, "spec": 3, "data": []}',
    "a card of the wrong kind": '{"spec": "chara_card_v2", "data": {"name": [], "character_book": {"entries": {}}}}',
    "a line of 100 kB": "name: " + "x" * 100_000,
    "front matter never closed": "---\nname: x\nrole: y\n",
    "front matter of brackets": "---\nname: " + "[" * 3000 + "\n---\n# X\n",
    "front matter with a bad date": "---\nname: 2024-13-45\nvariables: 2024-13-45\n---\n# X\nBody.\n",
    "front matter with a tag": "---\nname: !!python/name:os.system\nvariables: !!python/none\n---\n# X\nBody.\n",
    "front matter of anchors": f"---\n{_LAUGHS}\n---\n# X\nBody.\n",
    "front matter with a huge number": f"---\nvariables: []\ntempo: 0x{'f' * 9000}\n---\n# X\nBody.\n",
    "a template of brackets": "---\nvariables: []\n---\n{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}\n",
    "a template of powers": "---\nvariables: []\n---\n{{ 9 ** 9 ** 9 }}{{ 'a' * 10 ** 11 }}{{ '%99999999999d' % 1 }}\n",
    "TOML of brackets": "a = " + "[" * 3000 + "\n",
    "TOML with a bad date": "a = 2024-13-45\n[models]\ndefault = 1979-99-99\n",
    "TOML with a huge number": f"a = {'9' * 6000}\n",
    "TOML that is not finite": "[models]\ntimeout = inf\nbudget = nan\n[scenes]\npace = -inf\n",
    "TOML with keys twice": '[models]\n[models]\nx = "a"\nx = 1\n',
    "TOML of one key": "n" + ".n" * 60_000 + " = 1\n",
    "TOML of keys in one another": "a = " + "{n.n.n.n = " * 300 + "1" + "}" * 300 + "\n",
    "TOML of tables": "\n".join(f"[{'.'.join(['a'] * n)}]" for n in (900,)) + "\n",
}
BYTES: Mapping[str, Callable[[], bytes]] = {
    "not UTF-8": lambda: b"name: \xff\xfe\x80\n",
    "UTF-8 cut off": lambda: "name: ä".encode()[:-1],
    "an encoded surrogate": lambda: b"name: \xed\xa0\x80\n",
    "UTF-16": lambda: "name: a\nprompt: b\n".encode("utf-16"),
    "UTF-16 without a mark": lambda: "name: a\n".encode("utf-16-le"),
    "UTF-32": lambda: "name: a\n".encode("utf-32"),
    "a byte order mark": lambda: b"\xef\xbb\xbfname: a\n",
    "zeros": lambda: bytes(5000),
    "a picture that is none": lambda: b"\x89PNG\r\n\x1a\n" + bytes(50),
    "an archive that is none": lambda: b"PK\x03\x04" + bytes(50),
    "an archive with a member without a name": _empty_name,
    "an archive with a damaged member": _nameless,
    "a JPEG that is none": lambda: b"\xff\xd8\xff\xe0" + b"PK\x03\x04" + bytes(80),
}


def _link_loop(path: Path) -> None:
    path.symlink_to(path.name)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere-at-all")


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _unreadable(path: Path) -> None:
    path.write_text("name: x\n", encoding="utf-8")
    path.chmod(0)


def _fifty_megabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"name: x\n#")
        file.truncate(50_000_001)


PLACES: Mapping[str, Callable[[Path], None]] = {
    "50 MB": _fifty_megabytes,
    "a folder": lambda path: path.mkdir(),
    "a pipe": lambda path: os.mkfifo(path),
    "a device": _device,
    "a loop of links": _link_loop,
    "a link to nowhere": _dangling,
    "a file that may not be read": _unreadable,
}
HOSTILE_FILES: Mapping[str, Callable[[Path], object]] = {
    **{
        name: lambda path, text=text: path.write_bytes(text.encode("utf-8", "surrogatepass"))  # type: ignore[misc]
        for name, text in TEXTS.items()
    },
    **{name: lambda path, made=made: path.write_bytes(made()) for name, made in BYTES.items()},  # type: ignore[misc]
    **PLACES,
}
