"""The speech engine is loaded when the server starts: where lines will be spoken, and as the settings say."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import Settings, VoiceSettings
from dramaturg.server.uvicorn_server import is_warmed, warm_up
from dramaturg.studio import Studio


@pytest.mark.parametrize(("has_ensemble", "warm", "expected"), [
    (False, None, False), (True, None, True), (True, False, False), (False, True, True),
])  # fmt: skip
def test_it_is_loaded_for_a_project_with_an_ensemble_unless_the_settings_say_otherwise(
    tmp_path: Path, has_ensemble: bool, warm: bool | None, expected: bool
) -> None:
    if has_ensemble:
        (tmp_path / "ensemble.yaml").write_text("name: x", encoding="utf-8")
    assert is_warmed(Settings(project=tmp_path, voices=VoiceSettings(warm=warm))) is expected


async def test_which_engine_speaks_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    settings = Settings(project=tmp_path, voices=VoiceSettings(engine="silent"))
    async with Studio.open(settings) as studio:
        await warm_up(studio, told.append)
        studio.booth.booth, studio.booth.silence = None, VoiceError("Nothing is installed.")
        await warm_up(studio, told.append)
    assert told == ["silent speaks.", "Lines stay text. Nothing is installed."]
