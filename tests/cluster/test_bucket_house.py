"""Two machines with one bucket: what one plays the other serves; and whose key signs is told at start."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from dramaturg.cluster.object_store import open_artifacts
from dramaturg.kernel.settings import PlayerSettings, Settings
from dramaturg.server.app import create_app
from dramaturg.server.reaper import OTHER_KEY
from dramaturg.studio import Studio
from dramaturg.trust import wishes_of
from tests.cli.story import SCENE, new_story
from tests.cluster.conftest import bucket_settings
from tests.server.routes.test_audio import fetch
from tests.server.visitor import inside, served

KEY, OTHER = "a-key-that-is-long-enough", "another-key-that-is-long"


async def test_a_scene_that_is_played_here_is_read_and_deleted_elsewhere(
    tmp_path: Path, bucket: str, s3_url: str
) -> None:
    from dramaturg.scenes.scene import named_scene
    from dramaturg.transfer.deletion import delete_files

    settings = bucket_settings(new_story(tmp_path / "story"), bucket, s3_url)
    elsewhere = open_artifacts(bucket_settings(tmp_path / "elsewhere", bucket, s3_url))
    async with Studio.open(settings) as studio:
        run = await studio.scenes.open(named_scene(settings.project, SCENE), model="rehearsal")
        await studio.start(run)
        folder = studio.scenes.result(run).output_path.removeprefix("data/").rstrip("/")
        assert elsewhere.found(f"{folder}/transcript.txt").read_text() == studio.scenes.result(run).transcript
        assert len(elsewhere.names(folder)) == 4
        planned = await studio.plan_deletions([run.id])
        assert planned[0].files == 4
        assert delete_files(studio.artifacts, planned[0])
    assert elsewhere.names(folder) == []


async def test_recordings_of_another_machine_are_served_whole_and_by_range(
    tmp_path: Path, bucket: str, s3_url: str
) -> None:
    sound = bytes(range(256)) * 40
    open_artifacts(bucket_settings(tmp_path / "one", bucket, s3_url)).write_bytes("artifacts/tts/a.wav", sound)
    settings = bucket_settings(new_story(tmp_path / "story"), bucket, s3_url)
    async with served(settings) as visitor:
        status, headers, body = await fetch(visitor, "tts/a.wav")
        assert (status, body) == (200, sound)
        assert (await fetch(visitor, "tts/a.wav", Range="bytes=1000-1999"))[::2] == (206, sound[1000:2000])
        assert (await fetch(visitor, "tts/a.wav", **{"If-None-Match": headers["etag"]}))[0] == 304
        for path in ("tts/b.wav", "..%2Fplayers.key", "%2E%2E/dramaturg.db", "tts/.a.wav"):
            assert (await fetch(visitor, path))[0] == 404


def signing(project: Path, secret: str) -> Settings:
    return Settings(
        project=project, players=PlayerSettings(secret_env="PLAYERS_KEY"), env={"PLAYERS_KEY": secret}, asks_first=False
    )


async def test_a_server_that_would_sign_differently_says_so_at_its_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    story, told = new_story(tmp_path / "story"), []
    for secret in (KEY, KEY, OTHER, OTHER, KEY):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            async with inside(create_app(signing(story, secret))):
                pass
        told.append(OTHER_KEY in caplog.messages)
        assert secret not in caplog.text
    assert told == [False, False, True, False, True]


async def test_the_key_is_no_token_of_a_player(tmp_path: Path) -> None:
    settings = signing(new_story(tmp_path / "story"), KEY)
    async with inside(create_app(settings)):
        pass
    async with Studio.open(settings) as studio:
        assert await studio.episodes.players.tokens() == ()
        assert KEY.encode() not in (settings.data / "dramaturg.db").read_bytes()


def test_a_project_asks_before_its_files_go_to_a_bucket(tmp_path: Path, bucket: str, s3_url: str) -> None:
    settings = bucket_settings(tmp_path, bucket, s3_url)
    (wish,) = wishes_of(settings)
    assert f"s3://{bucket}/house at {s3_url}" in wish.sentence
    given = settings.model_copy(update={"given": {"store.artifacts", "store.artifacts_endpoint"}})
    assert wishes_of(given) == ()
    half = settings.model_copy(update={"given": {"store.artifacts"}})
    assert wishes_of(half)
