"""Lines that nothing here can speak stay text, and say why; everybody keeps to the language of the question."""

import json
from pathlib import Path
from typing import Any

from dramaturg.ensemble.ensemble import ensemble_from
from dramaturg.ensemble.events import SlotUnspoken
from dramaturg.ensemble.stage import system_prompt
from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.errors import LineUnspeakable
from dramaturg.kernel.models.port import ModelRequest
from tests.ensemble.table import asked, open_table, play, scripted, sent

GERMAN = "Mut heißt, trotzdem zu gehen."


def in_german(number: int, text: str) -> Exception | None:
    return LineUnspeakable("Nothing here speaks German.", language="de") if text == GERMAN else None


async def test_a_line_nothing_can_speak_is_an_unspoken_slot_audio_with_its_reason(tmp_path: Path) -> None:
    model = scripted({"turn-1/slot-2": json.dumps({"text": GERMAN, "voice_profile": ""})})
    run = await play(tmp_path, model, fault=in_german)
    (unspoken,) = [one for one in sent(run, "slot.audio") if one["status"] == "unspoken"]
    assert (unspoken["turnIndex"], unspoken["slotId"], unspoken["language"]) == (1, 2, "de")
    assert unspoken["reason"] == "Nothing here speaks German."
    assert "audioPath" not in unspoken
    assert not sent(run, "slot.error")
    heard = {one["turnIndex"]: one for one in sent(run, "turn.audio")}
    assert (heard[1]["slotCount"], heard[1]["unspokenSlots"], heard[1]["failedSlots"]) == (5, [2], [])
    assert len(heard) == 3


async def test_the_manifest_has_the_text_and_why_it_has_no_sound(tmp_path: Path) -> None:
    model = scripted({"turn-1/slot-2": json.dumps({"text": GERMAN, "voice_profile": ""})})
    run = await play(tmp_path, model, fault=in_german)
    manifest: dict[str, Any] = json.loads(
        (tmp_path / "data" / "artifacts" / "tts" / "sessions" / run.id / "session.json").read_text(encoding="utf-8")
    )
    lines = {line["slotId"]: line for line in manifest["turns"][0]["lines"]}
    assert (lines[2]["text"], lines[2]["audio"], lines[2]["unspoken"]) == (GERMAN, None, "Nothing here speaks German.")
    assert lines[1]["unspoken"] is None
    assert manifest["turns"][0]["status"] == "audio_in"
    assert manifest["errors"] == []


async def test_the_booth_is_told_the_language_of_the_question_or_of_the_seat(tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text(
        "name: two\nslots:\n"
        "  - {slot: 1, agent: ada, persona: A mathematician.}\n"
        "  - {slot: 2, agent: benno, persona: A baker., language: French}\n",
        encoding="utf-8",
    )
    async with open_table(tmp_path, scripted({})) as studio:
        await asked(studio, "Warum fällt es uns so schwer, den ersten Schritt zu tun?")
        booth = studio.booth.booth
        assert booth is not None
        told = {(to.split("slot-")[1][0], language) for (_, to, _, _), language in zip(
            booth.recorded, booth.languages, strict=True)}  # fmt: skip
    assert told == {("1", "de"), ("2", "fr")}


async def test_every_seat_is_told_to_keep_to_the_question_unless_it_has_a_language_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text(
        "name: two\nslots:\n"
        "  - {slot: 1, agent: ada, persona: A mathematician.}\n"
        "  - {slot: 2, agent: benno, persona: A baker., language: de}\n",
        encoding="utf-8",
    )
    seen: dict[str, str] = {}

    def note(request: ModelRequest) -> None:
        seen[request.key] = request.system

    run = await play(tmp_path, scripted(note), audio=False)
    assert "Speak the language of the person's message, in every turn." in seen["turn-1/slot-1"]
    assert "You speak German in every turn" in seen["turn-1/slot-2"]
    assert seen["turn-2/slot-2"] == seen["turn-1/slot-2"] == system_prompt(ensemble_state(run.entries), 2)


async def test_an_answer_of_emoji_alone_stays_text(tmp_path: Path) -> None:
    def wordless(number: int, text: str) -> Exception | None:
        return LineUnspeakable("There is nothing to say in '🎉'.") if text == "🎉" else None

    model = scripted({"turn-1/slot-3": json.dumps({"text": "🎉", "voice_profile": ""})})
    run = await play(tmp_path, model, message="🎉🔥😅", fault=wordless)
    events = [entry.event for entry in run.entries if isinstance(entry.event, SlotUnspoken)]
    assert [(one.turn, one.slot_id, one.language) for one in events] == [(1, 3, "")]
    assert sent(run)[-1]["event"] == "done"


def test_a_language_is_read_from_the_file() -> None:
    ensemble = ensemble_from(
        {"name": "x", "slots": [{"slot": 1, "agent": "a", "persona": "p", "language": " German "}]}
    )
    assert ensemble.slots[0].language == "German"
