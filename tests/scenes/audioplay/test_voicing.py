"""A scene's lines voiced: those without a file, one of them, or with another voice that is heard from then on."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.audioplay.export import export_audioplay
from dramaturg.scenes.audioplay.voicing import voice_scene
from dramaturg.scenes.events import SceneRun
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.voicing import VoicingRequest
from tests.scenes.audioplay.test_export import played
from tests.scenes.audioplay.tone_booth import ToneBooth


async def voiced(run: SceneRun, booth: ToneBooth, **asked: object) -> list[int]:
    """The numbers of the lines that were spoken now."""
    request = VoicingRequest.model_validate(asked)
    scene = await voice_scene(run, booth, Artifacts(booth.root), VoiceSettings(), request)
    return [int(one.id) for one in scene.spoken.passages]


async def test_the_lines_that_have_no_file_are_spoken_and_no_others(tmp_path: Path) -> None:
    booth, run = ToneBooth(tmp_path / "data", fails_on="Nobody."), await played(tmp_path)
    first = await voiced(run, booth)
    assert len(first) == 8
    booth.fails_on = None
    (last,) = await voiced(run, booth)
    assert last not in first
    with pytest.raises(InvalidConfig, match="Every line of this scene has its sound by tone"):
        await voiced(run, booth)


async def test_one_line_gets_another_voice_and_keeps_it_in_the_play(tmp_path: Path) -> None:
    booth, run = ToneBooth(tmp_path / "data"), await played(tmp_path)
    await voiced(run, booth)
    number = (await voiced(run, booth, engine="tone"))[-1]
    assert await voiced(run, booth, line=number, voice="spare") == [number]
    play = await export_audioplay(run, booth, Artifacts(booth.root), VoiceSettings(), ListenRequest())
    assert {one.id for one in play.manifest.passages if one.voice == "spare"} == {str(number)}


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"slot": 1}, InvalidConfig, "A scene has no slots"),
        ({"line": 99}, NotFound, "Line 99 is not spoken in this scene; lines 1, "),
    ],
)
async def test_what_a_scene_does_not_have_is_refused(
    tmp_path: Path, asked: dict[str, int], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        await voiced(await played(tmp_path), ToneBooth(tmp_path / "data"), **asked)


async def test_damaged_pins_are_none(tmp_path: Path) -> None:
    booth, run = ToneBooth(tmp_path / "data"), await played(tmp_path)
    await voiced(run, booth, line=1, voice="spare")
    (pins,) = (tmp_path / "data").rglob("voices.json")
    for damage in (b"{", b"[1]", b'{"x": "spare", "1": 3}'):
        pins.write_bytes(damage)
        play = await export_audioplay(run, booth, Artifacts(booth.root), VoiceSettings(), ListenRequest())
        assert "spare" not in {one.voice for one in play.manifest.passages}
