"""A scene as an audio play over HTTP: what is heard when, and the sound by ranges."""

from pathlib import Path

import pytest

from dramaturg.voices.programme import ProgrammeManifest
from tests.server.visitor import Visitor, served

VOICE = '[voices]\nengine = "hibari"\n'


async def played(visitor: Visitor) -> str:
    run = await visitor.play()
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    return run


async def test_a_scene_is_heard_line_by_line_and_by_ranges(story: Path) -> None:
    (story / "dramaturg.toml").write_text(VOICE, encoding="utf-8")
    async with served(story) as visitor:
        run = await played(visitor)
        assert (await visitor.get(f"/v1/runs/{run}/programme/progress")).json == {
            "recording": False,
            "done": 0,
            "total": 0,
        }
        told = await visitor.get(f"/v1/runs/{run}/programme")
        manifest = ProgrammeManifest.model_validate(told.json)
        lines = (await visitor.get(f"/v1/runs/{run}/exports/json")).json["lines"]
        path = f"{visitor.url}/v1/runs/{run}/programme.wav"
        async with visitor.session.get(path) as response:
            assert (response.status, response.content_type) == (200, "audio/wav")
            sound = await response.read()
        async with visitor.session.get(path, headers={"Range": "bytes=0-43"}) as response:
            assert response.status == 206
            assert await response.read() == sound[:44]
    assert len(sound) == manifest.bytes
    starts = [one.start_ms for one in manifest.passages]
    assert starts == sorted(starts)
    said = {str(line["number"]): line["speaker"] for line in lines if line["kind"] == "line" and line["content"]}
    assert said.items() <= {one.id: one.speaker for one in manifest.passages}.items()


@pytest.mark.parametrize("path", ["programme", "programme.wav"])
async def test_what_does_not_exist_or_cannot_be_heard_says_so(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(f"/v1/runs/{'0' * 18}/{path}")).status == 404
    assert (await visitor.get(f"/v1/runs/{'0' * 18}/programme/progress")).status == 404
    run = await played(visitor)
    why = (await visitor.post(f"/v1/runs/{run}/why/1")).json["run"]
    await visitor.studio.engine.join()
    refused = await visitor.get(f"/v1/runs/{why}/{path}")
    assert (refused.status, "listened to" in refused.json["error"]["message"]) == (422, True)
