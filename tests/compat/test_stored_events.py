"""Events that 0.1.0 stored still validate, and are written again to the same bytes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from dramaturg.ensemble.events import ENSEMBLE_EVENTS
from dramaturg.episodes.events import EPISODE_EVENTS
from dramaturg.scenes.events import SCENE_EVENTS
from dramaturg.scenes.insight.events import WHY_EVENTS
from dramaturg.workshop.events import FOREMAN_EVENTS

RELEASE = Path(__file__).parent / "0.1.0"
KINDS: dict[str, TypeAdapter[Any]] = {
    "scene": SCENE_EVENTS,
    "why": WHY_EVENTS,
    "ensemble": ENSEMBLE_EVENTS,
    "episode": EPISODE_EVENTS,
    "foreman": FOREMAN_EVENTS,
}
SAMPLES = [
    json.loads(line)
    for name in ("events.jsonl", "rare_events.jsonl")
    for line in (RELEASE / name).read_text(encoding="utf-8").splitlines()
]


def check(kind: str, type_: str, hidden: bool, body: str) -> None:
    event = KINDS[kind].validate_json(body)
    assert event.type == type_
    assert (event.audience == "hidden") == hidden
    assert event.model_dump_json() == body


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample['kind']}-{sample['type']}")
def test_one_event_of_each_type_is_read_and_written_again(sample: dict[str, Any]) -> None:
    check(sample["kind"], sample["type"], sample["hidden"], sample["body"])


def test_every_event_of_a_played_project_is_read_and_written_again() -> None:
    connection = sqlite3.connect(f"file:{RELEASE / 'story' / 'data' / 'dramaturg.db'}?mode=ro", uri=True)
    rows = connection.execute("SELECT kind, type, hidden, body FROM events JOIN runs ON runs.id = run_id").fetchall()
    connection.close()
    assert len(rows) > 300
    for kind, type_, hidden, body in rows:
        check(kind, type_, bool(hidden), body)
