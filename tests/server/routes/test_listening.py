"""A scene as an audio play over HTTP: what is heard when, and the sound by ranges."""

import re
from pathlib import Path

import pytest

from dramaturg.server.routes.listening import up_to
from dramaturg.voices.programme import ProgrammeManifest
from dramaturg.voices.wav import Wav, read_wav, write_wav
from tests.server.visitor import Visitor, served

CUE = re.compile(r"(\S+) --> (\S+)\n<v ([^>]+)>")
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


async def test_the_captions_of_a_run_are_heard_within_its_sound_and_name_who_speaks(story: Path) -> None:
    (story / "dramaturg.toml").write_text(VOICE, encoding="utf-8")
    async with served(story) as visitor:
        run = await played(visitor)
        manifest = ProgrammeManifest.model_validate((await visitor.get(f"/v1/runs/{run}/programme")).json)
        async with visitor.session.get(f"{visitor.url}/v1/runs/{run}/programme.vtt") as response:
            assert (response.status, response.content_type) == (200, "text/vtt")
            captions = await response.text()
        async with visitor.session.get(f"{visitor.url}/v1/runs/{run}/programme.wav") as response:
            seconds = read_wav(await response.read()).seconds
    cues = [(_seconds(start), _seconds(end), speaker) for start, end, speaker in CUE.findall(captions)]
    assert cues
    assert all(0 <= start < end <= seconds for start, end, _ in cues)
    for passage in manifest.passages:
        first = next(cue for cue in cues if cue[0] == passage.start_ms / 1000)
        assert first[2] == passage.speaker


def _seconds(clock: str) -> float:
    hours, minutes, rest = clock.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(rest)


@pytest.mark.parametrize("path", ["programme", "programme.wav", "programme.vtt"])
async def test_what_does_not_exist_or_cannot_be_heard_says_so(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(f"/v1/runs/{'0' * 18}/{path}")).status == 404
    assert (await visitor.get(f"/v1/runs/{'0' * 18}/programme/progress")).status == 404
    run = await played(visitor)
    why = (await visitor.post(f"/v1/runs/{run}/why/1")).json["run"]
    await visitor.studio.engine.join()
    refused = await visitor.get(f"/v1/runs/{why}/{path}")
    assert (refused.status, "listened to" in refused.json["error"]["message"]) == (422, True)


async def test_a_line_is_heard_by_itself_and_is_the_one_of_the_audio_play(story: Path) -> None:
    (story / "dramaturg.toml").write_text(VOICE, encoding="utf-8")
    async with served(story) as visitor:
        run = await played(visitor)
        said = next(one for one in (await visitor.get(f"/v1/runs/{run}/exports/json")).json["lines"] if one["content"])
        path = f"{visitor.url}/v1/runs/{run}/lines/{said['number']}/sound"
        sounds = []
        for _ in range(2):
            async with visitor.session.get(path) as response:
                assert (response.status, response.content_type) == (200, "audio/wav")
                sounds.append(await response.read())
        assert sounds[0] == sounds[1]
        manifest = ProgrammeManifest.model_validate((await visitor.get(f"/v1/runs/{run}/programme")).json)
        passage = next(one for one in manifest.passages if one.id == str(said["number"]))
        assert abs(1000 * read_wav(sounds[0]).seconds - (passage.end_ms - passage.start_ms)) < 50
        assert (await visitor.get(f"/v1/runs/{run}/lines/999/sound")).status == 404


async def test_where_no_voice_can_be_heard_a_line_has_no_sound(story: Path) -> None:
    (story / "dramaturg.toml").write_text('[voices]\nengine = "silent"\n', encoding="utf-8")
    async with served(story) as visitor:
        run = await played(visitor)
        assert (await visitor.get(f"/v1/runs/{run}/lines/1/sound")).status == 204


def test_of_a_line_that_was_cut_only_what_was_said_is_heard() -> None:
    whole = write_wav(Wav(b"\1\0" * 8000, 8000))
    assert read_wav(up_to(whole, 250)).seconds == 0.25
    assert up_to(whole, None) == whole
