"""Lorebooks are edited in every file that has one, and whatever else is in the file stays as it was."""

import base64
import io
import json
import resource
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dramaturg.characters.books import (
    LorebookEdit,
    open_card_book,
    open_project_book,
    write_card_book,
    write_project_book,
)
from dramaturg.characters.exchange import export_card, load_character_files
from dramaturg.characters.lorebook.conversion import book_as
from dramaturg.characters.lorebook.forms import read_book
from dramaturg.characters.tavern.png import read_chunks
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, StoreUnavailable
from tests.characters.foreign import BOOK, CARDS, V1, V2, V3, charx, packed_json, png, refuse

NEW = "The ferry runs until nine."


def _project(folder: Path, file: str, data: bytes) -> Path:
    path = folder / file
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return folder


def _edit(digest: str, *entries: dict[str, Any], **more: Any) -> LorebookEdit:
    return LorebookEdit.model_validate({"digest": digest, "entries": list(entries), **more})


def _write(project: Path, *entries: dict[str, Any], name: str = "mara") -> None:
    write_card_book(project, name, _edit(open_card_book(project, name).digest, *entries))


def _with_content(card: dict[str, Any], content: str) -> dict[str, Any]:
    changed = deepcopy(card)
    changed["data"]["character_book"]["entries"][0]["content"] = content
    return changed


@pytest.mark.parametrize("version", [2, 3])
def test_a_change_of_one_entry_leaves_the_rest_of_a_json_card_as_it_was(tmp_path: Path, version: int) -> None:
    text = json.dumps(CARDS[version], indent=4) + "\n"
    project = _project(tmp_path, "characters/mara.json", text.encode())
    _write(project, {"at": 0, "fields": {"content": NEW}})
    written = (project / "characters/mara.json").read_text(encoding="utf-8")
    assert json.loads(written) == _with_content(CARDS[version], NEW)
    assert written == json.dumps(_with_content(CARDS[version], NEW), indent=4) + "\n"


def test_both_cards_in_a_picture_are_changed_and_its_other_chunks_are_kept(tmp_path: Path) -> None:
    asset = ("chara-ext-asset_:0", base64.b64encode(b"a sound"))
    data = png(("Chara", packed_json(V2)), asset, ("ccv3", packed_json(V3))) + b"behind the end"
    project = _project(tmp_path, "characters/mara.png", data)
    decorated = f"@@depth 2\n@@role user\n{NEW}"
    _write(project, {"at": 0, "fields": {"content": decorated}})
    written = (project / "characters/mara.png").read_bytes()
    assert written.endswith(b"behind the end")
    before, after = read_chunks(data, refuse), read_chunks(written, refuse)
    assert [chunk.kind for chunk in before] == [chunk.kind for chunk in after]
    texts = [chunk.data.partition(b"\0") for chunk in after if chunk.kind == b"tEXt"]
    assert [word for word, _, _ in texts] == [b"Chara", b"chara-ext-asset_:0", b"ccv3"]
    assert base64.b64decode(texts[1][2]) == b"a sound"
    assert json.loads(base64.b64decode(texts[2][2])) == _with_content(V3, decorated)
    old = json.loads(base64.b64decode(texts[0][2]))
    assert old["data"]["character_book"]["entries"][0]["content"] == NEW
    assert {**old, "data": {**old["data"], "character_book": BOOK}} == V2


@pytest.mark.parametrize("front", [b"", b"\xff\xd8 a picture \xff\xd9"])
def test_an_archive_keeps_its_other_members_and_the_picture_before_it(tmp_path: Path, front: bytes) -> None:
    data = front + charx(V3, ("assets/icon/images/main.png", png()), ("module.risum", b"\0\1"), stored=True)
    project = _project(tmp_path, "characters/mara.charx", data)
    _write(project, {"at": 0, "fields": {"comment": "Timetable"}})
    written = (project / "characters/mara.charx").read_bytes()
    assert written.startswith(front)
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert archive.namelist() == ["card.json", "assets/icon/images/main.png", "module.risum"]
        assert archive.read("module.risum") == b"\0\1"
        assert archive.getinfo("module.risum").compress_type == zipfile.ZIP_STORED
        changed = deepcopy(V3)
        changed["data"]["character_book"]["entries"][0]["comment"] = "Timetable"
        assert json.loads(archive.read("card.json")) == changed


def test_half_a_character_of_another_program_is_kept(tmp_path: Path) -> None:
    card = _with_content(V2, "old")
    card["data"]["extensions"]["cut"] = "\ud83d"
    project = _project(tmp_path, "characters/mara.json", json.dumps(card).encode())
    _write(project, {"at": 0, "fields": {"content": NEW}})
    assert json.loads((project / "characters/mara.json").read_bytes()) == _with_content(card, NEW)


def test_a_card_of_the_first_version_becomes_one_that_has_room_for_a_book(tmp_path: Path) -> None:
    project = _project(tmp_path, "characters/mara.json", json.dumps({**V1, "mood": 3}).encode())
    before = load_character_files(project, "mara").card
    _write(project, {"fields": {"keys": ["ferry"], "content": NEW}})
    written = json.loads((project / "characters/mara.json").read_bytes())
    assert {key: written[key] for key in (*V1, "mood")} == {**V1, "mood": 3}
    files = load_character_files(project, "mara")
    assert files.card == before
    assert files.book is not None
    assert [entry.content for entry in files.book.entries] == [NEW]


def test_a_card_of_ours_gets_a_book_and_is_exported_with_it_and_its_text(tmp_path: Path) -> None:
    text = "# Mara - Ferrywoman\n\n## Personality\n- Blunt\n"
    project = _project(tmp_path, ".claude/agents/mara.md", text.encode())
    assert open_card_book(project, "mara").file == "characters/mara.json"
    book = write_card_book(
        project, "mara", _edit("", {"fields": {"keys": ["ferry"], "content": NEW}}, name="Low Haven")
    )
    assert (book.name, [one.fields.content for one in book.entries]) == ("Low Haven", [NEW])
    assert (project / ".claude/agents/mara.md").read_text(encoding="utf-8") == text
    exported = json.loads(export_card(project, "mara", "json").data)
    assert exported["data"]["character_book"]["entries"][0]["keys"] == ["ferry"]
    assert exported["data"]["extensions"]["dramaturg"]["card"] == text


def test_nothing_is_written_over_a_change_of_others(tmp_path: Path) -> None:
    project = _project(tmp_path, "characters/mara.json", json.dumps(V2).encode())
    book = open_card_book(project, "mara")
    theirs = json.dumps(_with_content(V2, "Theirs.")).encode()
    (project / "characters/mara.json").write_bytes(theirs)
    with pytest.raises(AlreadyUsed, match="changed since you opened it"):
        write_card_book(project, "mara", _edit(book.digest, {"at": 0, "fields": {"content": NEW}}))
    assert (project / "characters/mara.json").read_bytes() == theirs


def test_a_change_elsewhere_in_the_card_is_no_conflict_and_is_kept(tmp_path: Path) -> None:
    project = _project(tmp_path, "characters/mara.json", json.dumps(V2).encode())
    book = open_card_book(project, "mara")
    (project / "characters/mara.json").write_text(json.dumps({**V2, "fav": True}), encoding="utf-8")
    write_card_book(project, "mara", _edit(book.digest, {"at": 0, "fields": {"content": NEW}}))
    assert json.loads((project / "characters/mara.json").read_bytes()) == {**_with_content(V2, NEW), "fav": True}


def test_a_file_that_cannot_be_written_is_said_and_stays_as_it_was(tmp_path: Path) -> None:
    project = _project(tmp_path, "characters/mara.json", json.dumps(V2).encode())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(StoreUnavailable, match=r"characters/mara\.json cannot be written"):
            _write(project, {"at": 0, "fields": {"content": NEW}})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in (project / "characters").iterdir()] == ["mara.json"]
    assert json.loads((project / "characters/mara.json").read_bytes()) == V2


WORLD: dict[str, Any] = {
    **dict(book_as(read_book(json.dumps(BOOK).encode(), refuse), "world")),
    "stranger": {"kept": [1.0, None]},
}


def test_world_info_is_written_as_world_info_with_the_book_it_was_made_from(tmp_path: Path) -> None:
    project = _project(tmp_path, "lorebooks/haven.json", json.dumps(WORLD).encode())
    book = open_project_book(project, "Haven")
    assert (book.name, book.file, book.form) == ("Low Haven", "lorebooks/haven.json", "world")
    edit = _edit(
        book.digest, {"fields": {"keys": ["bell"], "content": "It is cracked."}}, {"at": 0, "fields": {"content": NEW}}
    )
    write_project_book(project, "haven", edit)
    written = json.loads((project / "lorebooks/haven.json").read_bytes())
    assert list(written["entries"]) == ["1", "0"]
    expected = deepcopy(WORLD)
    expected["entries"]["0"]["content"] = NEW
    expected["originalData"]["entries"][0]["content"] = NEW
    assert written["entries"]["0"] == expected["entries"]["0"]
    assert written["originalData"]["entries"][0] == expected["originalData"]["entries"][0]
    assert [one["keys"] for one in written["originalData"]["entries"]] == [["ferry"], ["bell"]]
    assert {**written, "entries": 0, "originalData": 0} == {**expected, "entries": 0, "originalData": 0}


def test_an_entry_that_is_left_out_is_deleted_from_world_info_and_its_original(tmp_path: Path) -> None:
    project = _project(tmp_path, "lorebooks/haven.json", json.dumps(WORLD).encode())
    write_project_book(project, "haven", _edit(open_project_book(project, "haven").digest))
    written = json.loads((project / "lorebooks/haven.json").read_bytes())
    assert (written["entries"], written["originalData"]["entries"]) == ({}, [])


@pytest.mark.parametrize("file", [{"spec": "lorebook_v3", "data": BOOK, "x": 1}, V2, BOOK])
def test_a_stand_alone_book_keeps_the_form_of_its_file(tmp_path: Path, file: dict[str, Any]) -> None:
    project = _project(tmp_path, "lorebooks/haven.json", json.dumps(file).encode())
    book = open_project_book(project, "haven")
    write_project_book(project, "haven", _edit(book.digest, {"at": 0, "fields": {"content": NEW}}))
    text = json.dumps(file).replace("The ferry runs until ten.", NEW)
    assert json.loads((project / "lorebooks/haven.json").read_bytes()) == json.loads(text)


def test_problems_are_named_at_their_field_and_nothing_is_written(tmp_path: Path) -> None:
    project = _project(tmp_path, "characters/mara.json", json.dumps(V2).encode())
    digest = open_card_book(project, "mara").digest
    bad = {"keys": ["/(/"], "content": " ", "probability": 130, "depth": -1}
    with pytest.raises(InvalidConfig, match="Entry 2, keys: the pattern '\\(' cannot be used") as refused:
        write_card_book(project, "mara", _edit(digest, {"at": 0}, {"fields": bad}))
    problems = refused.value.context["problems"]
    assert isinstance(problems, list)
    assert [(one["entry"], one["field"]) for one in problems] == [
        (1, "keys"), (1, "content"), (1, "probability"), (1, "depth"),
    ]  # fmt: skip
    assert json.loads((project / "characters/mara.json").read_bytes()) == V2
