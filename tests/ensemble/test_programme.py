"""A session as one piece to listen to."""

from pathlib import Path

import pytest

from dramaturg.ensemble.events import EnsembleOpened, Seat, SlotFailed, SlotRecorded, SlotSpoke
from dramaturg.ensemble.programme import LINE_GAP_MS, NOT_SPOKEN, TURN_GAP_MS
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio
from dramaturg.voices.listen import ListenRequest
from tests.voices.tone_lines import tone_line

NAMES = {1: "Ada", 2: "Bo", 3: "Cy"}
FOLDER = "artifacts/tts/sessions/one"


def opened() -> EnsembleOpened:
    cast = tuple(
        Seat(slot_id=slot, agent_id=name.lower(), name=name, model="rehearsal", voice_profile="calm_precise")
        for slot, name in NAMES.items()
    )
    return EnsembleOpened(
        ensemble="table", message="What is courage?", kiosk="main", ticket=1, cast=cast, seed=1, turn3="commented",
        audio=True, folder=FOLDER,
    )  # fmt: skip


def said(turn: int, slot: int, target: int | None = None) -> SlotSpoke:
    return SlotSpoke(
        turn=turn, slot_id=slot, text=f"{NAMES[slot]} in turn {turn}.", voice_profile="calm_precise", target=target
    )


def spoken(data: Path, turn: int, slot: int) -> SlotRecorded:
    made = tone_line(data, f"{FOLDER}/turn_{turn}/slot-{slot}.wav", 800, pitch=150.0 + 70 * slot)
    path = made.path.removeprefix("artifacts/")
    return SlotRecorded(turn=turn, slot_id=slot, voice_profile="calm_precise", audio_path=path, recording=made)


def session(data: Path) -> list[Event]:
    """Slots answer in another order than they sit; one comment could not be spoken; one reply waits for its sound."""
    return [
        opened(),
        *(said(1, slot) for slot in (3, 1, 2)),
        *(spoken(data, 1, slot) for slot in (2, 3, 1)),
        said(2, 1, target=2), said(2, 2, target=1),
        SlotFailed(turn=2, slot_id=2, error="tts_error", message="The engine lost its voice."),
        spoken(data, 2, 1),
        said(3, 2), said(3, 1),
        spoken(data, 3, 2),
    ]  # fmt: skip


async def test_turns_are_chapters_slots_are_seats_and_what_was_not_spoken_is_named(tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    async with Studio.open(settings) as studio:
        run = await studio.runs.create(studio.ensemble.kind, "courage", opening=session(settings.data))
        made = await studio.listen(run.id, ListenRequest())
        assert (await studio.listen(run.id, ListenRequest())).reused
    manifest = made.manifest
    assert made.wav == settings.data / FOLDER / "programme.wav"
    assert (manifest.title, manifest.kind, made.newly_spoken) == ("What is courage?", "ensemble", 0)
    assert [one.id for one in manifest.passages] == [
        "turn-1/slot-1", "turn-1/slot-2", "turn-1/slot-3", "turn-2/slot-1", "turn-3/slot-2",
    ]  # fmt: skip
    assert [one.title for one in manifest.chapters] == ["Turn 1: answers", "Turn 2: comments", "Turn 3: replies"]
    seats = {one.speaker: one.seat for one in manifest.passages}
    assert seats["Ada"] < seats["Bo"] == 0 < seats["Cy"] == -seats["Ada"]
    first, second, third, comment, _ = manifest.passages
    assert second.start_ms - first.end_ms == LINE_GAP_MS
    assert comment.start_ms - third.end_ms == TURN_GAP_MS
    assert [(one.id, one.reason) for one in manifest.missing] == [
        ("turn-2/slot-2", "The engine lost its voice."),
        ("turn-3/slot-1", NOT_SPOKEN),
    ]
    assert manifest.lufs == pytest.approx(-16, abs=0.5)


async def test_a_session_whose_files_are_gone_says_so(tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    async with Studio.open(settings) as studio:
        run = await studio.runs.create(studio.ensemble.kind, "courage", opening=session(settings.data))
        (settings.data / FOLDER / "turn_1" / "slot-1.wav").unlink()
        made = await studio.listen(run.id, ListenRequest())
        assert made.manifest.missing[0].id == "turn-1/slot-1"
        for path in (settings.data / FOLDER).glob("turn_*/*.wav"):
            path.unlink()
        with pytest.raises(
            VoiceError, match="No line of “What is courage\\?” could be spoken; the first failure: its file is"
        ):
            await studio.listen(run.id, ListenRequest())
