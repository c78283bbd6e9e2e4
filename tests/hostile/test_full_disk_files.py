"""The disk is full while a file is made: there is none afterwards, and with room again it is made under its name."""

from __future__ import annotations

import errno
import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dramaturg.authored import write_new_file
from dramaturg.characters.exchange import import_card
from dramaturg.characters.folder_import import LinkedWorlds, bring_world
from dramaturg.characters.tavern.folder import TavernSettings
from dramaturg.cli.app import app
from dramaturg.cli.edge import STORE, write_out
from dramaturg.cli.scaffold import new_character, new_scene
from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.files import create_file
from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.characters.foreign import V2
from tests.server.visitor import SCENE, inside, write_story

CARD = json.dumps(V2).encode()


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process can grow, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_story(tmp_path / "story")


CREATED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a lorebook": ("POST", "/v1/lorebooks", {"json": {"name": "lb"}}),
    "an episode": ("POST", "/v1/host/episodes", {"json": {"name": "epi", "character": "alice"}}),
    "a scene": ("PUT", "/v1/scenes/sc2", {"json": {**SCENE, "name": "sc2"}}),
    "a card": ("POST", "/v1/characters?file=mara.json", {"data": CARD}),
}


async def test_what_is_not_written_over_http_is_not_there_and_is_written_with_room_again(story: Path) -> None:
    async with inside(create_app(read_settings(story, {}))) as visitor:
        before = [name for name in files_in(story) if not name.startswith("data/")]
        for kind, (method, path, how) in CREATED.items():
            with no_room():
                refused = await visitor.ask(method, path, **how)
            assert (refused.status, refused.json["error"]["code"]) == (503, "STORE_UNAVAILABLE"), (kind, refused.text)
            assert "cannot be written" in refused.json["error"]["message"]
            assert [name for name in files_in(story) if not name.startswith("data/")] == before, kind
        for kind, (method, path, how) in CREATED.items():
            assert (await visitor.ask(method, path, **how)).status == 201, kind


def _world(project: Path) -> None:
    worlds = LinkedWorlds({}, {"haven": b"{}"}, {})
    bring_world(project, "haven", worlds, TavernSettings(), dry_run=False)


MADE: dict[str, Callable[[Path], object]] = {
    "a card of another program": lambda project: import_card(project, CARD, stem="mara"),
    "a card": lambda project: new_character(project, "Zora"),
    "a scene with new cards": lambda project: new_scene(project, "late", ["Zora", "Yves"]),
    "a world": _world,
    "an authored file": lambda project: write_new_file(project, "notes/a.md", "a"),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_is_not_written_is_not_there(kind: str, story: Path) -> None:
    before = files_in(story)
    with no_room(), pytest.raises(StoreUnavailable, match="cannot be written"):
        MADE[kind](story)
    assert files_in(story) == before
    MADE[kind](story)
    assert len(files_in(story)) > len(before)


def test_of_a_scene_and_its_cards_all_is_written_or_nothing(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, link = files_in(story), os.link

    def full_for_scenes(source: Path, target: Path) -> None:
        _refuse(target) if target.suffix == ".yaml" else link(source, target)

    monkeypatch.setattr(os, "link", full_for_scenes)
    monkeypatch.setattr(Path, "replace", lambda path, target: _refuse(target))
    with pytest.raises(StoreUnavailable, match="disk is full"):
        new_scene(story, "late", ["Zora", "Yves"])
    assert files_in(story) == before


def _refuse(path: Path) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@pytest.mark.parametrize("exists", [False, True], ids=["a new folder", "an empty folder"])
def test_a_new_project_is_whole_or_not_there(exists: bool, tmp_path: Path) -> None:
    folder = tmp_path / "above" / "tale"
    if exists:
        folder.mkdir(parents=True)
    with no_room():
        done = CliRunner().invoke(app, ["new", str(folder)])
    assert done.exit_code == STORE
    assert "cannot be written" in done.output
    assert list(tmp_path.rglob("*")) == ([tmp_path / "above", folder] if exists else [])
    assert CliRunner().invoke(app, ["new", str(folder)]).exit_code == 0


def test_an_export_that_finds_no_room_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    file, link = tmp_path / "mara.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    for place in (file, link):
        with no_room(), pytest.raises(StoreUnavailable, match="cannot be written"):
            write_out(place, b"new")
        assert files_in(tmp_path) == ["link.json", "mara.json"]
        assert file.read_text() == "old"
    write_out(link, b"new")
    assert (file.read_text(), link.is_symlink(), file.stat().st_mode & 0o777) == ("new", True, 0o600)


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    write_out(Path(os.devnull), b"x")
    assert not Path(os.devnull).is_file()
    with pytest.raises(InvalidConfig, match="Choose another place"):
        write_out(tmp_path / "none" / "x.json", b"x")
    with pytest.raises(InvalidConfig, match="Choose another place"):
        write_out(tmp_path, b"x")


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_file_that_is_there_is_never_replaced_by_a_new_one(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", refused)
    create_file(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "a", b"second")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "link", b"x")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "link"}
    assert (tmp_path / "a").read_bytes() == b"first"
