"""`foreman patches`, `accept`, `reject`, `versions`, `compare` and `restore`, as a writer uses them."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from dramaturg.cli.foreman_chat import patch_numbers
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio
from dramaturg.workshop.patches.patch import PatchSource
from tests.cli.story import typed
from tests.workshop.patches.test_review import SCENE, quoted, text_of, write


@pytest.fixture
def book(tmp_path: Path) -> Path:
    write(tmp_path)

    async def propose() -> None:
        async with Studio.open(Settings(project=tmp_path)) as studio:
            patches = (quoted("Ruth put", "She put"), quoted("began again", "fell"), quoted("harbour was", "sea was"))
            await studio.workshop.patches.propose("t1", "Prose pass", PatchSource(name="m", purpose="prose"), patches)

    anyio.run(propose)
    return tmp_path


def test_patches_are_shown_word_by_word_and_accepted_by_number(book: Path) -> None:
    shown = typed(book, "foreman", "patches")
    assert "Prose pass  prose, m" in shown
    assert "  1  manuscript/ch01-sc01.md  flat" in shown
    assert "[-Ruth-]{+She+} put the letter down." in shown
    assert "! Its words stand there 2 times" in shown
    waits = typed(book, "foreman", "accept", "2", "3", code=2)
    assert "Accepted: 2. Patch 3 waits: Its words stand there 2 times" in waits
    typed(book, "foreman", "accept", "3", "--place", "1")
    typed(book, "foreman", "reject", "1", "--reason", "her name")
    now = SCENE.replace("began again", "fell").replace("harbour was", "sea was", 1)
    assert text_of(book / "manuscript" / "ch01-sc01.md") == now
    typed(book, "foreman", "undo", "p2")
    assert text_of(book / "manuscript" / "ch01-sc01.md") == SCENE.replace("harbour was", "sea was", 1)
    states = [one["state"] for one in json.loads(typed(book, "foreman", "patches", "--all", "--json"))["patches"]]
    assert states == ["rejected", "undone", "accepted"]
    assert "There is no patch 9" in typed(book, "foreman", "accept", "9", code=2)


def test_versions_are_listed_compared_and_restored(book: Path) -> None:
    assert json.loads(typed(book, "foreman", "versions", "ch01-sc01", "--json"))["versions"] == []
    typed(book, "foreman", "accept", "1")
    listed = typed(book, "foreman", "versions", "ch01-sc01")
    assert "The text as it stood." in listed
    assert "Accepted: 1.  (the file as it is now)" in listed
    shown = typed(book, "foreman", "compare", "ch01-sc01", "1")
    assert "1 words out, 1 in" in shown
    assert "[-Ruth-]{+She+}" in shown
    typed(book, "foreman", "restore", "ch01-sc01", "1")
    assert text_of(book / "manuscript" / "ch01-sc01.md") == SCENE
    assert "She put the letter down." in typed(book, "foreman", "versions", "ch01-sc01", "--text", "2")
    assert "There is no manuscript/nothing.md" in typed(book, "foreman", "restore", "nothing", "1", code=2)


def test_patches_are_reviewed_in_the_chat(book: Path) -> None:
    said = typed(book, "foreman", "chat", keys="/patches\n/accept 1, 2\n/reject 3\n/accept x\n/undo p2\n/quit\n")
    assert "[-Ruth-]{+She+}" in said
    assert text_of(book / "manuscript" / "ch01-sc01.md") == SCENE.replace("Ruth put", "She put")


def test_the_numbers_of_patches_are_read_from_what_is_typed() -> None:
    assert patch_numbers(["1", "3"]) == patch_numbers(["1,3"]) == patch_numbers(["#1,", "p3"]) == [1, 3]
    for wrong in ([], ["all"], ["1", "x"], ["-1"], ["9" * 400]):
        with pytest.raises(InvalidConfig, match=r"/accept 1 3"):
            patch_numbers(wrong)
