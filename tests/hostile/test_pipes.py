"""Pipes where a project's data and authored files should be: nobody waits for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from dramaturg.episodes.folder_import import ImportLedger
from dramaturg.kernel.errors import InvalidSettings, StoreUnavailable
from dramaturg.kernel.models.gguf import read_weights
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts, open_store
from dramaturg.scenes.audioplay.voicing import PINS, pinned_lines
from dramaturg.server.http.player_tokens import secret_of
from dramaturg.server.routes.card_files import _mentions
from dramaturg.voices import engine_speed, publication
from dramaturg.voices.cache import FOLDER, LineCache
from dramaturg.voices.export import _says
from dramaturg.workshop.notebooks.text_index import open_index

SECONDS = 20
KEY = "0123456789abcdef"
CACHES: dict[str, tuple[str, Callable[[Path], object], object]] = {
    "what was imported": ("imports/sillytavern.json", lambda data: ImportLedger(data).target("x"), None),
    "the engine's speed": (engine_speed.FILE, lambda data: engine_speed._remembered(Artifacts(data)), None),
    "the voices of lines": (f"a/kokoro/{PINS}", lambda data: pinned_lines(Artifacts(data), "a", "kokoro"), {}),
    "a publication": ("x.publication.json", lambda data: publication._published(data / "x.publication.json"), None),
    "a cached line": (f"{FOLDER}/01/{KEY}.json", lambda data: LineCache(Artifacts(data)).get(KEY), None),
    "captions": ("x.vtt", lambda data: _says(data / "x.vtt", "WEBVTT"), False),
}


def pipe(path: Path) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.mkfifo(path, 0o600)
    return path


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("what", CACHES)
def test_a_pipe_in_the_data_is_as_if_it_were_not_there(what: str, tmp_path: Path) -> None:
    name, read, nothing = CACHES[what]
    pipe(tmp_path / "data" / name)
    assert read(tmp_path / "data") == nothing


@pytest.mark.timeout(SECONDS)
def test_a_pipe_as_the_key_of_players_is_an_error(tmp_path: Path) -> None:
    pipe(tmp_path / "data" / "players.key")
    with pytest.raises(InvalidSettings, match="it is a pipe, not a file"):
        secret_of(Settings(project=tmp_path))


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("beside", ["", "-journal", "-wal", "-shm"])
async def test_a_pipe_where_sqlite_has_its_files_is_an_error(beside: str, tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    if beside:
        await (await open_store(settings)).close()
        (tmp_path / "data" / f"dramaturg.db{beside}").unlink(missing_ok=True)
    pipe(tmp_path / "data" / f"dramaturg.db{beside}")
    with pytest.raises(InvalidSettings, match=rf"dramaturg\.db{beside} is no file\. Remove it"):
        await open_store(settings)


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("beside", ["", "-journal"])
def test_a_pipe_where_an_index_of_notes_has_its_files_is_an_error(beside: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    if beside:
        with open_index(file):
            pass
    pipe(tmp_path / f"notes.db{beside}")
    with pytest.raises(StoreUnavailable, match=r"is a link or no file\. Remove it"), open_index(file):
        pass


@pytest.mark.timeout(SECONDS)
def test_a_pipe_as_weights_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="it is a pipe, not a file"):
        read_weights(pipe(tmp_path / "x.gguf"))


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("folder", ["scenes", "episodes"])
def test_a_pipe_among_scenes_and_episodes_names_nobody(folder: str, tmp_path: Path) -> None:
    pipe(tmp_path / folder / "x.yaml")
    assert _mentions(tmp_path, "mina") == ()


@pytest.mark.parametrize("folder", ["scenes", "episodes"])
def test_a_link_out_does_not_tell_whether_its_text_has_a_name(folder: str, tmp_path: Path) -> None:
    story, diary = tmp_path / "story", tmp_path / "diary.md"
    diary.write_text("Dear Mina: [", encoding="utf-8")
    (story / folder).mkdir(parents=True)
    (story / folder / "x.yaml").symlink_to(diary)
    assert _mentions(story, "mina") == ()
    (story / folder / "y.yaml").write_text("characters: [mina", encoding="utf-8")
    assert [one.name for one in _mentions(story, "mina")] == ["y"]


def test_a_line_with_a_number_too_long_to_convert_has_no_voice(tmp_path: Path) -> None:
    pins = tmp_path / "a" / "kokoro" / PINS
    pins.parent.mkdir(parents=True)
    pins.write_bytes(orjson.dumps({"9" * 5000: "af_sky", "3": "af_sky"}))
    assert pinned_lines(Artifacts(tmp_path), "a", "kokoro") == {3: "af_sky"}
