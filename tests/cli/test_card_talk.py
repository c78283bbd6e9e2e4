"""A talk with any card, from the command line: no YAML, nothing in the project but the session."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.characters.foreign import V2, V3, card_png, charx
from tests.cli.story import new_story, typed

MARKDOWN = """# Old Tom - Lighthouse keeper

## Personality
- Patient, counts everything

## Lines
- "Forty steps, and I know each of them."
"""


def talk(folder: Path, card: object, keys: str = "Hello.\n", *more: str) -> list[dict[str, Any]]:
    words = ("episode", "play", "--card", str(card), "--model", "rehearsal", "--json", *more)
    return [json.loads(line) for line in typed(folder, *words, keys=keys).splitlines()]


def files_of(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.parts[len(folder.parts)] != "data"
    }


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Mara.png", card_png(V2)),
        ("mara.json", json.dumps(V3).encode()),
        ("mara.charx", charx(V3)),
        ("Old Tom.md", MARKDOWN.encode()),
    ],
)
def test_any_card_is_talked_with_and_the_talk_is_resumed_without_its_file(
    name: str, data: bytes, tmp_path: Path
) -> None:
    folder, card = new_story(tmp_path / "story"), tmp_path / name
    card.write_bytes(data)
    before = files_of(folder)
    told = talk(folder, card)
    assert [one["role"] for one in told[-1]["messages"]][-2:] == ["player", "character"]
    assert told[-1]["title"].startswith(("A talk with Mara", "A talk with Old Tom"))
    assert files_of(folder) == before
    card.unlink()
    session = told[-1]["id"]
    again = typed(folder, "episode", "play", "--session", session, "--json", keys="And the ferry?\n").splitlines()
    assert len(json.loads(again[-1])["messages"]) == len(told[-1]["messages"]) + 2


def test_the_lorebook_of_a_card_is_told_even_when_its_file_is_gone(tmp_path: Path) -> None:
    folder, card = new_story(tmp_path / "story"), tmp_path / "Mara.png"
    card.write_bytes(card_png(V2))
    session = talk(folder, card)[-1]["id"]
    card.unlink()
    typed(folder, "episode", "play", "--session", session, "--json", keys="When does the ferry go?\n")
    log = typed(folder, "runs", "show", session, "--debug", "--json")
    assert "The ferry runs until ten." in log


def test_another_greeting_is_chosen_before_anything_is_said(tmp_path: Path) -> None:
    folder, card = new_story(tmp_path / "story"), tmp_path / "Mara.png"
    card.write_bytes(card_png(V2))
    told = talk(folder, card, "/greeting 2\nHello.\n")
    assert told[-1]["messages"][0]["content"] == '"You again."'


def test_a_character_of_the_project_is_named_without_an_episode(tmp_path: Path) -> None:
    folder = new_story(tmp_path / "story")
    assert talk(folder, "iris")[-1]["character"] == "Iris"
    assert talk(folder, folder / ".claude" / "agents" / "iris.md")[-1]["character"] == "Iris"


def test_a_card_is_talked_with_in_a_folder_that_is_no_project(tmp_path: Path) -> None:
    folder, card = tmp_path / "empty", tmp_path / "Mara.png"
    folder.mkdir()
    card.write_bytes(card_png(V2))
    assert len(talk(folder, card)[-1]["messages"]) == 3
    assert files_of(folder) == set()


def test_a_card_that_chooses_its_model_is_not_played_by_it_without_consent(tmp_path: Path) -> None:
    folder, card = tmp_path / "empty", tmp_path / "Tom.md"
    folder.mkdir()
    card.write_text(f"---\nmodel: claude-code/some-large-model\n---\n{MARKDOWN}", encoding="utf-8")
    done = CliRunner().invoke(app, ["episode", "play", "--card", str(card), "--project", str(folder)], input="Hello\n")
    assert done.exit_code == 2
    assert "Claude Code" in done.stderr
    assert "Traceback" not in done.output


def lying_png(by: int) -> bytes:
    """A card whose text chunk says it is longer, or shorter, than it is."""
    data = card_png(V2)
    at = data.index(b"tEXt") - 4
    (length,) = struct.unpack(">I", data[at : at + 4])
    return data[:at] + struct.pack(">I", max(0, length + by)) + data[at + 4 :]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("lies.png", lying_png(+9_000)),
        ("lies.png", lying_png(2**31)),
        ("lies.png", lying_png(-40)),
        ("cut.png", card_png(V2)[:-60]),
        ("plain.png", b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))),
        ("big.md", b"# Tom - Keeper\n\n" + b"He counts the steps. " * 20_000),
        ("big.json", json.dumps({**V2, "data": {**V2["data"], "description": "x" * 400_000}}).encode()),
        ("empty.json", b""),
        ("empty.md", b""),
        ("list.json", b"[1]"),
        ("utf16.md", MARKDOWN.encode("utf-16")),
        ("photo.webp", b"RIFF\0\0\0\0WEBPVP8 "),
    ],
)
def test_a_card_that_cannot_be_read_is_explained_in_one_line_and_nothing_is_kept(
    name: str, data: bytes, tmp_path: Path
) -> None:
    folder, card = tmp_path / "empty", tmp_path / name
    folder.mkdir()
    card.write_bytes(data)
    done = CliRunner().invoke(app, ["episode", "play", "--card", str(card), "--project", str(folder)], input="Hello\n")
    assert done.exit_code == 2, done.output
    assert len(done.stderr.strip().splitlines()) == 1
    assert "bug" not in done.output
    assert list(folder.iterdir()) == []


def test_a_card_of_400_kb_plays_if_most_of_it_is_its_book(tmp_path: Path) -> None:
    entry = V2["data"]["character_book"]["entries"][0]
    entries = [{**entry, "keys": [f"word{n}"], "content": f"Fact {n}. " + "The river rose. " * 25} for n in range(1000)]
    card = {**V2, "data": {**V2["data"], "character_book": {"entries": [entry, *entries], "extensions": {}}}}
    folder, file = tmp_path / "empty", tmp_path / "big.png"
    folder.mkdir()
    file.write_bytes(card_png(card))
    assert file.stat().st_size > 400_000
    assert len(talk(folder, file, "Tell me of word77.\n")[-1]["messages"]) == 3


@pytest.mark.parametrize(
    ("card", "told"),
    [("nobody.png", "There is no file nobody.png"), ("iiris", "Did you mean 'iris'"), (".", "is a folder")],
)
def test_a_card_that_is_not_there_is_named(card: str, told: str, tmp_path: Path) -> None:
    folder = new_story(tmp_path / "story")
    assert told in typed(folder, "episode", "play", "--card", card, code=2)
