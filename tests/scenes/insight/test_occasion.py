"""The request behind a line, rebuilt from the log, is the request that went out."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.insight.occasion import occasion_of
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCRIPTS = sorted((Path(__file__).parents[2] / "rehearsals" / "scripts").glob("*.txt"))
SECRETS = {"bob": {"note": "Do not look at her.", "secrets": ["The cup was the last of six."]}}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
async def test_every_question_of_a_rehearsal_is_rebuilt_to_the_byte(path: Path, tmp_path: Path) -> None:
    rehearsal = read_rehearsal(path.read_text(encoding="utf-8"))
    model = ScriptedModel(rehearsal.answer)
    run = await play_scripted(rehearsal.config(), model, tmp_path, languages=rehearsal.languages)
    settings = read_settings(tmp_path, {})
    asked = [request for request in model.requests if request.purpose == "acting"]
    assert asked
    for request in asked:
        beat, _, name = request.key.removeprefix("beat-").partition("/")
        assert occasion_of(run.entries, int(beat), name).request(settings) == request


async def test_it_is_exact_where_a_thread_was_begun_anew_and_where_there_are_secrets(tmp_path: Path) -> None:
    small = ScriptedModel([]).profile.model_copy(update={"context_window": 1900})
    model = ScriptedModel(lambda request: '[TONE: even] "' + f"So it is, at {request.key}. " * 12 + '"', profile=small)
    config = {"name": "long", "prompt": "They talk.", "characters": ["alice", "bob"], "maxBeats": 12}
    run = await play_scripted(config | {"parts": SECRETS, "lookahead": False}, model, tmp_path)
    settings = read_settings(tmp_path, {})
    asked = [request for request in model.requests if request.purpose == "acting"]
    assert any(
        len(later.messages) < len(before.messages) for before, later in zip(asked[1::2], asked[3::2], strict=False)
    )
    for request in asked:
        beat, _, name = request.key.removeprefix("beat-").partition("/")
        occasion = occasion_of(run.entries, int(beat), name)
        assert occasion.request(settings) == request
        assert occasion.changed == ()


async def test_who_was_not_asked_has_no_occasion(tmp_path: Path) -> None:
    config = {"name": "short", "prompt": "They talk.", "characters": ["alice", "bob"], "maxBeats": 2}
    run = await play_scripted(config, ScriptedModel(lambda request: "[SILENT]"), tmp_path)
    with pytest.raises(NotFound, match="no question to bob at beat 0"):
        occasion_of(run.entries, 0, "bob")
