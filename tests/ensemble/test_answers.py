"""What models send in place of the form: what they mean counts, and no example, JSON or name is said aloud."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.ensemble.events import EnsembleRun, Seat, SlotSpoke
from dramaturg.ensemble.forms import EXAMPLES, CommentSelection, SpokenResponse
from dramaturg.ensemble.salvage import fields_in
from dramaturg.ensemble.speaker import own_words, slot_meant, spoken_in
from dramaturg.kernel.errors import ModelUnreadable
from dramaturg.kernel.models.forms import form_of
from dramaturg.model_notes.structured import read
from tests.ensemble.table import comment, in_protocol, play, scripted, sent

FORM = {"text": "Rivers go.", "voice_profile": "calm_precise"}
SAID = json.dumps(FORM)
CAST = tuple(
    Seat(slot_id=number, agent_id=agent, name=name, model="x/y", voice_profile="calm_precise")
    for number, (agent, name) in enumerate([("gpt-4o", "Gardener"), ("claude-5-5", "Bob"), ("bob-2", "Bob")], 1)
)


def line(run: EnsembleRun, turn: int, slot: int) -> SlotSpoke:
    spoken = (entry.event for entry in run.entries if isinstance(entry.event, SlotSpoke))
    return next(event for event in spoken if (event.turn, event.slot_id) == (turn, slot))


@pytest.mark.parametrize(
    "answer",
    [
        SAID,
        f"[{SAID}]",
        json.dumps({"response": FORM}),
        json.dumps({"name": "answer", "arguments": FORM}),
        json.dumps({"text": SAID, "voice_profile": "calm_precise"}),
        json.dumps({**FORM, "text": "what you say"}) + SAID,
        json.dumps([{"type": "thinking", "text": "SECRET"}, {"type": "text", "text": "Rivers go."}]),
        json.dumps([{"type": "reasoning", "text": "SECRET"}, {"type": "output_text", "text": "Rivers go."}]),
        json.dumps([{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": SAID}]),
        json.dumps({"type": "thinking", "text": "SECRET"}) + "\n" + json.dumps({"type": "text", "text": "Rivers go."}),
        json.dumps({"content": [{"type": "thinking", "text": "SECRET"}, {"type": "text", "text": "Rivers go."}]}),
        json.dumps([{"role": "user", "text": "SECRET"}, {"role": "assistant", "text": "Rivers go."}]),
        json.dumps([{"role": "user", "content": "SECRET"}, {"role": "assistant", "content": SAID}]),
        '<tool_call>{"name": "think", "arguments": {"text": "SECRET"}}</tool_call>' + SAID,
        json.dumps({"text": "**Thinking:**\nSECRET\n\n**Response:**\nRivers go."}),
    ],
)
def test_an_answer_counts_however_it_is_wrapped(answer: str) -> None:
    assert read(answer, SpokenResponse).text == "Rivers go."


@pytest.mark.parametrize(
    "thought",
    [
        {"type": "thinking", "text": "SECRET"},
        [{"type": "reasoning", "text": "SECRET"}],
        {"name": "think", "arguments": {"text": "SECRET"}},
        {"role": "user", "text": "SECRET"},
    ],
)
def test_a_thought_and_the_turn_of_somebody_else_are_no_answer(thought: object) -> None:
    with pytest.raises(ModelUnreadable):
        read(json.dumps(thought), SpokenResponse)
    assert spoken_in([json.dumps(thought)]) is None


@pytest.mark.parametrize(
    "answer",
    [
        "**Thinking:**\nSECRET\n\n**Response:**\nRivers go.",
        "## Thinking\nSECRET\n\nSECRET\n\n## Response\nRivers go.",
        '"internal": "SECRET",\n"text": "Rivers go."',
    ],
)
def test_the_answer_below_thoughts_is_what_is_said(answer: str) -> None:
    found = spoken_in([answer])
    assert found is not None
    assert found.text == "Rivers go."


@pytest.mark.parametrize("text", [*EXAMPLES, "What you say.", '{"mood": 3}', "", 42])
def test_an_example_and_json_are_no_words_to_be_said(text: object) -> None:
    answer = json.dumps({"text": text, "voice_profile": "calm_precise"})
    for form in (SpokenResponse, CommentSelection):
        with pytest.raises(ModelUnreadable, match="Not the form that was asked for: text"):
            read(answer, form)


async def test_the_example_in_a_question_is_no_answer_to_it(tmp_path: Path) -> None:
    model = scripted({})
    await play(tmp_path, model, audio=False)
    assert {request.key[:6] for request in model.requests} == {"turn-1", "turn-2", "turn-3"}
    for request in model.requests:
        form = CommentSelection if request.key.startswith("turn-2") else SpokenResponse
        with pytest.raises(ModelUnreadable, match="this is the example"):
            read(request.messages[-1].text, form)


async def test_a_model_that_sends_the_example_back_is_asked_for_words_of_its_own(tmp_path: Path) -> None:
    model = scripted({"turn-1/slot-1": json.dumps({**FORM, "text": "what you say"})})
    run = await play(tmp_path, model, audio=False)
    again = next(request for request in model.requests if request.key == "turn-1/slot-1#repair")
    assert "this is the example; expected words of your own" in again.messages[-1].text
    assert line(run, 1, 1).text == "Slot 1 speaks in turn 1."


@pytest.mark.parametrize("profile", [None, ["warm_gravel"], {"name": "warm_gravel"}, 7])
def test_a_profile_that_is_no_text_costs_no_line(profile: object) -> None:
    assert read(json.dumps({**FORM, "voice_profile": profile}), SpokenResponse).voice_profile == ""


@pytest.mark.parametrize("profile", ["Warm Gravel", "warm-gravel", " WARM_GRAVEL "])
async def test_a_profile_is_known_however_it_is_spelled(tmp_path: Path, profile: str) -> None:
    said = json.dumps({**FORM, "voice_profile": profile})
    spoken = line(await play(tmp_path, scripted({"turn-1/slot-1": said}), audio=False), 1, 1)
    assert (spoken.voice_profile, spoken.reprofiled) == ("warm_gravel", False)


async def test_a_text_twenty_times_too_long_is_shortened_like_any_other(tmp_path: Path) -> None:
    said = json.dumps({**FORM, "text": "The river is long. " * 600})
    spoken = line(await play(tmp_path, scripted({"turn-1/slot-1": said}), audio=False), 1, 1)
    assert (spoken.text, spoken.shortened) == (" ".join(["The river is long."] * 3), True)


@pytest.mark.parametrize(
    ("sent_target", "read_target"),
    [
        *((2, 2), ("2", 2), ("slot-2", 2), ("Slot 2", 2), ("#2", 2), ([2], 2), (2.0, 2)),
        *(("gpt-4o", "gpt-4o"), ("Gardener", "Gardener"), ([2, 3], None), (None, None), (True, None), ({}, None)),
    ],
)
def test_a_target_is_a_number_or_a_name_and_anything_else_is_nobody(sent_target: object, read_target: object) -> None:
    assert read(comment(sent_target), CommentSelection).target_slot_id == read_target


def test_a_comment_may_call_its_words_text_and_name_nobody() -> None:
    read_back = read('{"text": "I like that.", "voice_profile": ""}', CommentSelection)
    assert (read_back.comment, read_back.target_slot_id) == ("I like that.", None)


def test_what_is_asked_for_is_still_a_number() -> None:
    schema = form_of(CommentSelection).schema
    assert schema["required"] == ["targetSlotId", "comment", "voice_profile"]
    assert schema["properties"]["targetSlotId"] == {"type": "integer"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("target", "slot"), [(2, 2), ("gpt-4o", 1), ("gardener ", 1), ("bob-2", 3), ("Bob", None), ("Alice", None)]
)
def test_a_name_means_the_one_seat_that_has_it(target: int | str, slot: int | None) -> None:
    assert slot_meant(target, CAST) == slot


async def test_a_comment_that_names_its_target_needs_no_second_question(tmp_path: Path) -> None:
    model = scripted({"turn-2/slot-1": comment("The-Gardener")})
    spoken = line(await play(tmp_path, model, audio=False), 2, 1)
    assert (spoken.target, spoken.repaired) == (2, False)
    assert not [request.key for request in model.requests if "#" in request.key]


@pytest.mark.parametrize("nobody", [None, [3, 4], "all of them"])
async def test_a_comment_on_nobody_is_asked_again_and_then_gets_a_target_by_lot(tmp_path: Path, nobody: object) -> None:
    model = scripted(lambda request: comment(nobody) if request.key.startswith("turn-2/slot-2") else None)
    spoken = line(await play(tmp_path, model, audio=False), 2, 2)
    assert (spoken.text, spoken.repaired) == ("I like that.", True)
    assert spoken.target in {1, 3, 4, 5, 6}
    assert [request.key for request in model.requests].count("turn-2/slot-2#target") == 1


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ('{"text": "Rivers go. They must", ', "Rivers go. They must"),
        ('{"text": "Rivers go. They mu', "Rivers go."),
        ('```json\n{"text": "Rivers go. They \\u26', "Rivers go."),
        ('{"text": "Rivers go.", "voice_profile": "calm_precise",}', "Rivers go."),
        ('{"text": "He said "go", and went.", "voice_profile": ""}', 'He said "go", and went.'),
        ("{'text': 'It\\'s a river.', 'voice_profile': 'calm_precise'}", "It's a river."),
        ('<think>{"text": "SECRET."</think>{"text": "Rivers go.",}', "Rivers go."),
    ],
)
async def test_words_in_broken_json_are_saved_when_asking_again_does_not_help(
    tmp_path: Path, broken: str, text: str
) -> None:
    run = await play(tmp_path, scripted({"turn-1/slot-1": broken, "turn-1/slot-1#repair": broken}), audio=False)
    spoken = line(run, 1, 1)
    assert (spoken.text, spoken.salvaged) == (text, True)


async def test_a_comment_that_begins_with_a_word_of_its_own_keeps_what_it_says(tmp_path: Path) -> None:
    model = scripted({"turn-2/slot-1": comment(3, "Hm. I like “It rains. It pours.” very much. So there.")})
    spoken = line(await play(tmp_path, model, audio=False), 2, 1)
    assert (spoken.text, spoken.shortened) == ("I like “It rains. It pours.” very much.", True)


async def test_a_comment_in_broken_json_keeps_its_target(tmp_path: Path) -> None:
    broken = '{"targetSlotId": 4, "comment": "I like that. And'
    run = await play(tmp_path, scripted({"turn-2/slot-1": broken, "turn-2/slot-1#repair": broken}), audio=False)
    spoken = line(run, 2, 1)
    assert (spoken.target, spoken.text, spoken.salvaged, spoken.repaired) == (4, "I like that.", True, False)


@pytest.mark.parametrize(
    "junk", ['{"text": "Rivers', '{"tex', '{"text": ""', '{"voice_profile": "x",}', 'Say {"text": "Rivers go.",}', "{}"]
)
def test_nothing_is_saved_where_no_sentence_is_whole(junk: str) -> None:
    assert fields_in([junk], SpokenResponse) is None


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("Gardener: Rivers go.", "Rivers go."),
        ("**Gardener:** Rivers go.", "Rivers go."),
        ("[gpt-4o]: “Rivers go.”", "Rivers go."),
        ('"Rivers go."', "Rivers go."),
        ("Bob: Rivers go.", "Bob: Rivers go."),
        ("Gardeners: they go.", "Gardeners: they go."),
        ("“Go”, said Bob, “now.”", "“Go”, said Bob, “now.”"),
        ('<answer slot="2" agent="x">Rivers</answer> go.', "Rivers go."),
        ("<comment>Gardener: Rivers go.</comment>", "Rivers go."),
        ("</message>", ""),
        ("", ""),
    ],
)
def test_nobody_says_their_own_name_before_a_line_or_puts_all_of_it_in_quotation_marks(said: str, own: str) -> None:
    assert own_words(said, CAST[0]) == own


async def test_a_refusal_in_plain_words_is_told_as_one(tmp_path: Path) -> None:
    refusal = "I'm sorry, but I can't help with that request."
    model = scripted(lambda request: refusal if "slot-1" in request.key else in_protocol(request))
    (error,) = sent(await play(tmp_path, model, audio=False), "slot.error")
    assert (error["slotId"], error["error"]["type"]) == (1, "refused")
