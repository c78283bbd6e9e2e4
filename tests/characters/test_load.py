"""Cards from the files of a project."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from dramaturg.characters.load import MAX_BYTES, known_cards, load_card, load_cast
from dramaturg.kernel.errors import CharacterLoadError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "story" / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "alice.md").write_text("# Alice - PM\n", encoding="utf-8")
    (folder / "bob.md").write_text("# Bob\n", encoding="utf-8")
    return tmp_path / "story"


def put(project: Path, name: str, data: bytes = b"# Somebody\n") -> Path:
    path = project / ".claude" / "agents" / name
    path.write_bytes(data)
    return path


def refused(project: Path, name: str) -> CharacterLoadError:
    with pytest.raises(CharacterLoadError) as caught:
        load_card(project, name)
    assert set(caught.value.context) >= {"character", "reason"}
    return caught.value


def test_a_card_is_found_by_name_in_any_case(project: Path) -> None:
    assert load_card(project, "alice").display_name == "Alice"
    assert load_card(project, " ALICE ").name == "alice"


def test_a_card_is_found_in_any_unicode_form(project: Path) -> None:
    put(project, unicodedata.normalize("NFD", "zoë.md"))
    assert load_card(project, unicodedata.normalize("NFC", "Zoë")).name == unicodedata.normalize("NFC", "zoë")
    assert "zoë" in known_cards(project)


@pytest.mark.parametrize("name", ["王芳", "O'Neill", "d’Artagnan", "Dr. No", "old-tom_2", "नमस्ते", "x" * 64])
def test_names_of_many_kinds_are_fine(project: Path, name: str) -> None:
    put(project, f"{name}.md")
    assert load_card(project, name).name == name


def test_a_missing_card_is_named_with_those_that_are_here(project: Path) -> None:
    error = refused(project, "alicia")
    assert str(error) == (
        "Character 'alicia' not found. Ensure .claude/agents/alicia.md exists (known here: alice, bob). "
        "Did you mean 'alice'?"
    )
    assert error.context == {"character": "alicia", "reason": "not found"}
    assert "Did you mean" not in str(refused(project, "Q"))


def test_a_project_without_cards_says_so(tmp_path: Path) -> None:
    assert known_cards(tmp_path) == ()
    assert str(refused(tmp_path, "bob")).endswith("(there are no cards here yet).")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "../../etc/x",
        "..",
        ".hidden",
        "a/b",
        "a\\b",
        "a\0b",
        "C:alice",
        "con",
        "NUL",
        "lpt1.x",
        "alice.",
        "a\nb",
        "a\u202eb",
        "-rf",
        "x" * 65,
    ],
)
def test_a_name_that_is_a_trick_is_refused(project: Path, name: str) -> None:
    assert "cannot be the name of a character" in str(refused(project, name))


@pytest.mark.parametrize(("name", "mark"), [("../keys", "a slash"), ("..\\keys", "a backslash"), ("a|b", "'|'")])
def test_a_refused_name_says_which_mark_is_in_the_way(project: Path, name: str, mark: str) -> None:
    assert f"it contains {mark}." in str(refused(project, name))


def test_two_files_that_differ_in_case_are_told_apart_or_reported(project: Path) -> None:
    put(project, "Alice.md", b"# Another\n")
    assert load_card(project, "alice").display_name == "Alice"
    assert load_card(project, "Alice").display_name == "Another"
    assert "Alice.md or alice.md" in str(refused(project, "ALICE"))


def test_a_link_out_of_the_project_is_refused_and_one_inside_is_fine(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Spy\n")
    (project / ".claude" / "agents" / "spy.md").symlink_to(outside)
    (project / ".claude" / "agents" / "twin.md").symlink_to(project / ".claude" / "agents" / "bob.md")
    assert "is a link out of the project" in str(refused(project, "spy"))
    assert load_card(project, "twin").display_name == "Bob"


def test_a_folder_a_pipe_and_a_dangling_link_are_refused(project: Path) -> None:
    agents = project / ".claude" / "agents"
    (agents / "box.md").mkdir()
    os.mkfifo(agents / "pipe.md")
    (agents / "gone.md").symlink_to(agents / "nowhere.md")
    assert "is a folder" in str(refused(project, "box"))
    assert "is not a file" in str(refused(project, "pipe"))
    assert "is not a file" in str(refused(project, "gone"))
    assert known_cards(project) == ("alice", "bob")


def test_a_card_over_the_limit_is_refused_and_one_at_it_is_read(project: Path) -> None:
    put(project, "long.md", b"x" * MAX_BYTES)
    put(project, "longer.md", b"x" * (MAX_BYTES + 1))
    assert len(load_card(project, "long").text) == MAX_BYTES
    assert "is over 256 kB" in str(refused(project, "longer"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"# Tom\nsailor\x92s", "byte 0x92 at offset 12 (line 2) is not UTF-8. Save the file as UTF-8."),
        ("# Tom".encode("utf-16"), "it is UTF-16 (offset 0). Save it as UTF-8."),
        ("# Tom".encode("utf-16-le"), "it contains a zero byte at offset 1."),
        (b"", "it is empty"),
    ],
)
def test_bytes_that_are_no_text_are_reported_with_the_way_out(project: Path, data: bytes, said: str) -> None:
    put(project, "tom.md", data)
    assert said in str(refused(project, "tom"))


def test_what_was_read_can_be_written_back_byte_for_byte(project: Path) -> None:
    data = "\ufeff---\r\ntempo: 2\r\n---\r\n# Zoë\r\n".encode()
    put(project, "zoe.md", data)
    assert load_card(project, "zoe").raw.encode() == data


def test_a_cast_comes_in_the_order_it_was_named(project: Path) -> None:
    assert [card.name for card in load_cast(project, ["bob", "Alice"])] == ["bob", "alice"]
    assert load_cast(project, []) == ()


def test_a_cast_whose_members_cannot_be_told_apart_is_refused(project: Path) -> None:
    put(project, "twin.md", b"# ALICE\n")
    with pytest.raises(CharacterLoadError, match="listed more than once"):
        load_cast(project, ["alice", "Alice"])
    with pytest.raises(CharacterLoadError, match=r"alice\.md and twin\.md are both called 'ALICE'"):
        load_cast(project, ["alice", "twin"])


def test_a_card_that_may_not_be_read_says_why(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("dramaturg.kernel.files.os.open", denied)
    assert "Permission denied. Check the file and its permissions." in str(refused(project, "alice"))
