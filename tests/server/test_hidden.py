"""What is hidden never leaves the server, by whichever door."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from dramaturg.scenes.events import LineUnsaid, SceneEvent
from dramaturg.scenes.wire import PublicSceneEvent
from tests.model_server import Asked, ModelServer
from tests.scenes.test_kill_and_resume import line_for
from tests.server.visitor import SCENE, Visitor

CARD, NOTE, JUDGE, SHEET, PRIVATE = "of-the-card", "of-the-note", "of-the-judge", "of-the-sheet", "of-alice-alone"


def secretive(asked: Asked) -> str:
    """A judge who talks beside the form, and Bob, who cuts everybody off."""
    if '"natural_end"' in asked.prompt:
        return json.dumps({"goals": [], "confidence": 0.1, "natural_end": False}) + f"\n{JUDGE}"
    if "Your name is Bob" in asked.prompt or "You are Bob" in asked.prompt:
        return '[INTERRUPT after "the open words", TONE: sharp] "Enough!"'
    said = line_for(asked).split('"')[1]
    return f'[TONE: low] "Here are the open words, then {said} and {abs(hash(asked.prompt))}."'


def test_the_events_of_a_stream_are_all_the_public_ones_and_no_other() -> None:
    everything, shown = (set(get_args(get_args(union)[0])) for union in (SceneEvent, PublicSceneEvent))
    assert shown == {event for event in everything if event.audience == "public"}


@pytest.fixture
def long_story(long_story: Path) -> Path:
    """Where no route that speaks takes its time."""
    with (long_story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('\n[voices]\nengine = "silent"\n')
    return long_story


async def test_no_route_gives_away_what_is_hidden(guest: Visitor, models: ModelServer, long_story: Path) -> None:
    for card in (long_story / ".claude" / "agents").iterdir():
        card.write_text(card.read_text(encoding="utf-8") + f"- {CARD}\n", encoding="utf-8")
    parts = {"parts": {"alice": {"note": PRIVATE, "secrets": [SHEET]}}}
    (long_story / "scenes" / "argument.json").write_text(json.dumps(SCENE | parts), encoding="utf-8")
    models.reply = secretive
    parent = await guest.play()
    await guest.to_the_end(parent)
    fork = (await guest.post(f"/v1/runs/{parent}/fork", {"beat": 1, "note": NOTE})).json["run"]
    await guest.to_the_end(fork)

    log = (await guest.studio.runs.open(fork)).entries
    unsaid = {
        number for e in log if isinstance(e.event, LineUnsaid) for number in re.findall(r"\d{9,}", e.event.unsaid)
    }
    secrets = {CARD, NOTE, JUDGE, SHEET, PRIVATE, *unsaid}
    kept = "".join(entry.model_dump_json() for entry in log if entry.event.audience == "hidden")
    assert unsaid
    assert all(secret in kept for secret in secrets)

    described = (await guest.get("/openapi.json")).json["paths"]
    paths = {path: operations["get"]["tags"] for path, operations in described.items() if "get" in operations}
    forms = {path: tags for path, tags in paths.items() if "{form}" in path}
    for path in forms:
        paths |= {
            path.replace("{form}", form): forms[path] for form in ("fountain", "vtt", "md", "html", "json", "txt")
        }
    # What is for the author says so by its tag.
    public = [
        path
        for path, tags in paths.items()
        if not {"insight", "characters", "workshop", "compose"} & set(tags) and path not in forms
    ]
    assert len(public) >= 14
    for path in public:
        for run in (parent, fork):
            shown = await guest.get(path.replace("{run_id}", run).replace("{line}", "1"))
            locked = (
                "{part}" in path or "/programmes/{" in path or path.endswith("}/voice")
            )  # a token, or something spoken
            assert shown.status in (200, 204) or locked or not path.startswith(("/v1/runs", "/v1/scenes")), path
            assert [secret for secret in secrets if secret in shown.text] == [], path
