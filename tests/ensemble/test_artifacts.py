"""The files of a session: safe names, a manifest that fits its schema, pruning that spares who is playing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from dramaturg.ensemble.artifacts import audio_path, prune_sessions, safe
from dramaturg.ensemble.events import Seat, SlotSpoke
from dramaturg.ensemble.manifest import render_schema
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.store import Artifacts
from tests.ensemble.table import asked, comment, open_table, play, scripted, sent

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "session.schema.json"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gpt-4o", "gpt-4o"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("openai/gpt-4o", "openai-gpt-4o"),
        ("../../etc/passwd", "etc-passwd"),
        ("a:b\\c|d?", "a-b-c-d"),
        ("Zoë", "Zoe"),
        ("...", "ab5df6"),
    ],
)
def test_a_name_becomes_a_part_of_a_file_name(name: str, path: str) -> None:
    assert safe(name) == path


def test_names_that_lose_their_letters_are_still_told_apart() -> None:
    assert safe("勇気") != safe("愛")
    assert safe("x" * 200) != safe("x" * 201)
    assert len(safe("x" * 200)) <= 48


def test_the_names_are_those_of_the_documents() -> None:
    seat = Seat(slot_id=4, agent_id="claude-sonnet-4-5", name="Claude", model="m", voice_profile="playful_expressive")

    def line(turn: int, target: int | None = None) -> SlotSpoke:
        return SlotSpoke(turn=turn, slot_id=4, text="x", voice_profile="playful_expressive", target=target)

    folder = "tts/sessions/0123456789abcdefgh"
    named = [audio_path("0123456789abcdefgh", seat, one) for one in (line(1), line(2, 2), line(3))]
    assert named == [
        f"{folder}/turn_1/slot-4_claude-sonnet-4-5_playful_expressive.wav",
        f"{folder}/turn_2/slot-4_comment_to_slot-2_claude-sonnet-4-5_playful_expressive.wav",
        f"{folder}/turn_3/slot-4_reply_claude-sonnet-4-5_playful_expressive.wav",
    ]


async def test_the_manifest_tells_the_whole_session_and_fits_its_published_schema(tmp_path: Path) -> None:
    def hoarse(number: int, text: str) -> Exception | None:
        return VoiceError("No breath.") if number == 3 else None

    only_one = {f"turn-2/slot-{n}": comment(1 if n != 1 else 2) for n in range(1, 7)}
    run = await play(tmp_path, scripted(only_one), fault=hoarse)
    folder = tmp_path / "data" / "artifacts" / "tts" / "sessions" / run.id
    manifest = json.loads((folder / "session.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(json.loads(PUBLISHED.read_text(encoding="utf-8")))
    validator.validate(manifest)
    with pytest.raises(ValidationError):
        validator.validate({**manifest, "surprise": 1})
    assert (manifest["schema"], manifest["sessionId"], manifest["finished"]) == ("dramaturg.session/1", run.id, True)
    lines = [line for turn in manifest["turns"] for line in turn["lines"]]
    assert len(lines) == len(sent(run, "slot.done"))
    assert [turn["status"] for turn in manifest["turns"]] == ["audio_in"] * 3
    assert len(manifest["dropped"]) == 2
    assert sum(line["dropped"] for line in lines) == 2
    assert [(one["type"], one["message"]) for one in manifest["errors"]] == [("tts_error", "No breath.")]
    for line in lines:
        if line["audio"]:
            audio = tmp_path / "data" / "artifacts" / line["audio"]["audioPath"]
            assert audio.stat().st_size == line["audio"]["bytes"]
            words = json.loads(
                (tmp_path / "data" / "artifacts" / line["audio"]["wordsPath"]).read_text(encoding="utf-8")
            )
            assert [word["word"] for word in words["words"]] == line["text"].split()
    assert len([line for line in lines if line["audio"]]) == len(lines) - 1


async def test_the_manifest_is_there_after_each_turn(tmp_path: Path) -> None:
    run = await play(tmp_path, audio=False)
    assert {event["turns"] for event in sent(run, "session.manifest")} >= {3}
    assert sent(run)[-2]["event"] == "session.manifest"
    assert sent(run)[-2]["manifestPath"] == f"tts/sessions/{run.id}/session.json"


def test_the_published_schema_is_the_one_of_the_code() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == render_schema()
    Draft202012Validator.check_schema(json.loads(render_schema()))


def stored(root: Path, name: str, *, age: float, size: int) -> Path:
    folder = root / "artifacts" / "tts" / "sessions" / name
    (folder / "turn_1").mkdir(parents=True)
    for path in (folder / "turn_1" / "slot-1.wav", folder / "session.json"):
        path.write_bytes(b"x" * (size // 2))
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return folder


def test_old_sessions_are_pruned_by_age_and_never_one_that_is_played(tmp_path: Path) -> None:
    old, played, young = (
        stored(tmp_path, name * 18, age=age, size=10) for name, age in (("a", 90_000), ("b", 90_000), ("c", 1000))
    )
    gone = prune_sessions(Artifacts(tmp_path), keep_days=1, keep_mb=None, now=1_000_000, playing={"b" * 18})
    assert gone == ("a" * 18,)
    assert (old.exists(), played.exists(), young.exists()) == (False, True, True)


def test_the_oldest_go_until_the_rest_is_small_enough(tmp_path: Path) -> None:
    for name, age in (("a", 300), ("b", 200), ("c", 100)):
        stored(tmp_path, name * 18, age=age, size=400_000)
    assert prune_sessions(Artifacts(tmp_path), keep_days=None, keep_mb=0.9, now=1_000_000) == ("a" * 18,)
    assert prune_sessions(Artifacts(tmp_path), keep_days=None, keep_mb=0.9, now=1_000_000) == ()


def test_nothing_that_is_no_session_is_pruned(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept.txt").write_text("x", encoding="utf-8")
    sessions = tmp_path / "artifacts" / "tts" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / ("d" * 18)).symlink_to(tmp_path / "elsewhere")
    (sessions / "notes").mkdir()
    assert prune_sessions(Artifacts(tmp_path), keep_days=0.001, keep_mb=None, now=9e12) == ()
    assert (tmp_path / "elsewhere" / "kept.txt").exists()


async def test_a_session_prunes_the_older_ones_when_it_is_over(tmp_path: Path) -> None:
    async with open_table(tmp_path, keep_mb=0.000001) as studio:
        first = await asked(studio, slots=[1, 2])
        second = await asked(studio, slots=[1, 2])
        sessions = studio.artifacts.path("artifacts/tts/sessions")
        assert [path.name for path in sessions.iterdir()] == [second.id]
        assert sent(await studio.ensemble.open_run(first.id))[-1]["event"] == "done"
