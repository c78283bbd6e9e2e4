"""What the moderator does beside the loop: private notes, corrections, events, directions, translations."""

import json
from pathlib import Path

import pytest

from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from dramaturg.scenes.events import CorrectionMeasured, LineWeighed, NoteGiven
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import metadata_of
from tests.rehearsals.script import Rehearsal, read_rehearsal
from tests.stage import play_scripted

TALK = """
scene: talk        cast: alice, bob
prompt: They talk. Scene goal: Bob gives back the key, Alice thanks him.
max beats: {beats}
beat 0
  alice  @0  [TONE: calm] "The orchard wants pruning before the frost."
"""
TOPICS = (
    "The surveyor measured the well twice.",
    "My cousin sold his boat to a baker.",
    "Yesterday the mill wheel stopped by itself.",
    "Somebody painted the church door yellow.",
    "The ferry carries sheep on Tuesdays now.",
    "Our teacher writes poems about weather.",
    "Two soldiers asked for the way to Leeds.",
    "I found a letter under the floor.",
    "The doctor lost his spectacles in the river.",
    "A circus wintered in the empty barn.",
    "Grandmother kept bees and never a diary.",
)


def rehearsal(beats: int) -> Rehearsal:
    """Alice talks on about something new at every beat; Bob says nothing."""
    script = TALK.format(beats=beats)
    for beat, topic in enumerate(TOPICS[: beats - 1], start=1):
        script += f'beat {beat}\n  alice  @{beat}  [TONE: calm] "{topic}"\n'
    return read_rehearsal(script)


def notes(run: Run, to: str) -> list[NoteGiven]:
    return [entry.event for entry in run.entries if isinstance(entry.event, NoteGiven) and entry.event.to == to]


async def test_who_holds_back_for_long_gets_a_note_that_nobody_else_sees(tmp_path: Path) -> None:
    played = rehearsal(10)
    model = ScriptedModel(played.answer)
    run = await play_scripted(played.config(), model, tmp_path)
    given = notes(run, "bob")
    assert given
    assert given[0].reason.endswith("silent beats")
    after = given[0].beat + 1
    told = {request.key: request.messages[-1].text for request in model.requests}
    assert given[0].text in told[f"beat-{after}/bob"]
    assert given[0].text not in told[f"beat-{after}/alice"]


async def test_a_scene_that_comes_no_closer_to_its_goal_gets_a_note_and_then_something_happens(tmp_path: Path) -> None:
    played = rehearsal(12)
    run = await play_scripted(played.config(), ScriptedModel(played.answer), tmp_path)
    assert any("key" in note.text for note in notes(run, ""))
    assert [line for line in scene_state(run.entries).lines if line.kind == "event"]


async def test_a_line_far_from_the_card_is_weighed_corrected_once_and_the_effect_is_measured(tmp_path: Path) -> None:
    blunt = (
        "# Alice - Sergeant\n\n## Communication Style\n- Blunt, speaks in short, clipped sentences\n- Never hedges\n"
    )
    rambling = (
        "Well, I suppose that perhaps we might, if it is not too much trouble for anybody here, possibly begin to "
        "think about maybe sitting down somewhere, sort of, to talk it over at length, unless you would rather not."
    )
    script = TALK.format(beats=8)
    for beat in range(1, 8):
        words = f"{rambling} {TOPICS[beat]}" if beat < 4 else f"Enough. {TOPICS[beat]}"
        script += f'beat {beat}\n  alice  @{beat}  [TONE: calm] "{words}"\n'
    played = read_rehearsal(script)
    run = await play_scripted(played.config(), ScriptedModel(played.answer), tmp_path, cards={"alice": blunt})
    weighed = [entry.event for entry in run.entries if isinstance(entry.event, LineWeighed)]
    assert any(event.drift.drifted for event in weighed)
    corrections = [note for note in notes(run, "alice") if note.kind == "correction"]
    assert len(corrections) == 1
    effects = [entry.event.effect for entry in run.entries if isinstance(entry.event, CorrectionMeasured)]
    assert len(effects) == 1
    assert effects[0] is not None
    assert effects[0] > 0


async def test_stage_directions_of_the_silent_are_printed_only_where_the_scene_asks_for_them(tmp_path: Path) -> None:
    script = TALK.format(beats=2) + "beat 1\n  bob  @1  [SILENT, *turns the key over*]\n"
    for asked, expected in ((False, []), (True, ["[STAGE: Bob turns the key over]"])):
        played = read_rehearsal(script)
        config = played.config() | {"stageDirections": asked}
        run = await play_scripted(config, ScriptedModel(played.answer), tmp_path / str(asked))
        lines = scene_state(run.entries).lines
        assert [line.rendered() for line in lines if line.kind == "direction"] == expected


def hosted(script) -> ScriptedModel:
    """A double that reads no cues, as a hosted model does."""
    return ScriptedModel(script, name="house/gpt-4o", profile=profile_of("openai/gpt-4o"))


async def test_a_foreign_line_is_translated_for_the_reader_and_not_for_the_cast(tmp_path: Path) -> None:
    played = read_rehearsal(
        TALK.format(beats=3) + 'beat 1\n  bob  @1  [TO: Alice, TONE: tender] "Je te rends la clef."\n'
    )

    def answer(request):
        return "I give you back the key." if request.key.endswith("/gloss") else played.answer(request)

    model = hosted(answer)
    config = played.config() | {"gloss": "English"}
    run = await play_scripted(config, model, tmp_path, languages={"bob": "French"})
    line = next(line for line in scene_state(run.entries).lines if line.speaker == "Bob")
    assert (
        line.rendered()
        == 'Bob [TO: Alice, TONE: tender, IN: French] "Je te rends la clef." ("I give you back the key.")'
    )
    told = next(request for request in model.requests if request.key == "beat-2/alice")
    assert "give you back" not in told.messages[-1].text
    assert "(speaks French)" in told.messages[-1].text


@pytest.mark.parametrize(
    ("languages", "scene", "asked"),
    [
        ({"alice": "French", "bob": "French"}, {}, True),
        ({}, {"language": "French"}, True),
        ({"alice": "fr", "bob": "fr"}, {"gloss": "French"}, False),
        ({}, {"gloss": "German"}, False),  # nothing says what is spoken
    ],
)
async def test_a_cast_that_shares_another_language_than_the_reader_is_translated_too(
    tmp_path: Path, languages: dict[str, str], scene: dict[str, str], asked: bool
) -> None:
    played = read_rehearsal(TALK.format(beats=2) + 'beat 1\n  bob  @1  [TONE: tender] "Je te rends la clef."\n')
    model = hosted(lambda request: "The key." if request.key.endswith("/gloss") else played.answer(request))
    run = await play_scripted(played.config() | {"gloss": "English"} | scene, model, tmp_path, languages=languages)
    line = next(line for line in scene_state(run.entries).lines if line.speaker == "Bob")
    assert (line.gloss, line.language) == ("The key." if asked else None, None)


@pytest.mark.parametrize(
    ("translated", "gloss"),
    [
        ("<think>He gives back the key: SECRET</think>I give you back the key.", "I give you back the key."),
        ('"I give you back the key."\n\n(Note: SECRET, as a subtitle.)', "I give you back the key."),
        ("<think>SECRET and no end", None),
        ("", None),
    ],
)
async def test_of_a_translation_the_reader_is_shown_no_thought_and_no_note(
    tmp_path: Path, translated: str, gloss: str | None
) -> None:
    played = read_rehearsal(TALK.format(beats=2) + 'beat 1\n  bob  @1  [TONE: tender] "Je te rends la clef."\n')
    model = hosted(lambda request: translated if request.key.endswith("/gloss") else played.answer(request))
    run = await play_scripted(played.config() | {"gloss": "English"}, model, tmp_path, languages={"bob": "French"})
    line = next(line for line in scene_state(run.entries).lines if line.speaker == "Bob")
    assert line.gloss == gloss


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("I'm sorry, but I can't continue with this roleplay.", "declined to play, taken as silence"),
        ("<think>Not this.</think>", "empty answer, taken as silence"),
    ],
)
async def test_a_model_that_never_plays_is_named_in_the_metadata_and_not_only_silent(
    tmp_path: Path, said: str, error: str
) -> None:
    played = read_rehearsal(TALK.format(beats=9))
    run = await play_scripted(played.config(), hosted(lambda _: said), tmp_path)
    metadata = metadata_of(run.entries, scene_state(run.entries))
    assert (metadata.reason, metadata.words.spoken) == ("stalled", 0)
    assert {one.error for one in metadata.errors} == {error}
    assert [one.beat for one in metadata.errors] == [0, 1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    ("idea", "used"),
    [
        ("A cart rolls past outside", True),
        ('Bob says "here is the key"', False),
        ("x" * 500, False),
        ("nonsense", None),
    ],
)
async def test_a_models_idea_of_what_happens_is_used_only_if_it_is_one(
    tmp_path: Path, idea: str, used: bool | None
) -> None:
    played = read_rehearsal(TALK.format(beats=7))

    def answer(request):
        if "/event" in request.key:
            return idea if used is None else json.dumps({"event": idea})
        return played.answer(request)

    config = played.config() | {"worldEvents": "model"}
    run = await play_scripted(config, hosted(answer), tmp_path)
    events = [line.content for line in scene_state(run.entries).lines if line.kind == "event"]
    assert len(events) == 1
    assert (events == [idea]) is bool(used)


@pytest.mark.parametrize("order", ["tempo", "cast"])
async def test_an_interruption_follows_the_line_it_cuts_in_every_order(tmp_path: Path, order: str) -> None:
    script = TALK.format(beats=2) + (
        "beat 1\n"
        '  alice  @1  [INTERRUPT after "the key is", TONE: sharp] "Where?"\n'
        '  bob    @2  [TONE: vague] "As far as I can tell you the key is somewhere in the long grass behind the mill"\n'
    )
    played = read_rehearsal(script)
    run = await play_scripted(played.config() | {"order": order}, ScriptedModel(played.answer), tmp_path)
    lines = [line.rendered() for line in scene_state(run.entries).lines]
    assert lines[1:] == [
        'Bob [TONE: vague] "As far as I can tell you the key is—"',
        'Alice [INTERRUPT after "the key is", TONE: sharp] "Where?"',
    ]
