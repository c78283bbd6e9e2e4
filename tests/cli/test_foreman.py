"""The Foreman at the command line: one word, a conversation, and everything around it, with `--json` too."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.cli.story import typed
from tests.cli.terminal import CTRL_C, ENTER, at_terminal


@pytest.fixture
def story(tmp_path: Path) -> Path:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return tmp_path


def test_a_message_is_answered_and_what_is_decided_is_written_down(story: Path) -> None:
    out = typed(story, "foreman", "chat", "A pilot learns that the last starship leaves without its builders.")
    assert "✓ Decided: premise" in out
    out = typed(story, "foreman", "chat", "Elena Vance", "--thinking")
    assert "GAP: the fatal flaw" in out
    assert "[asked: protagonist.fatal_flaw]" in out
    assert "Elena Vance" in (story / "story-bible" / "protagonist.md").read_text(encoding="utf-8")


def test_a_conversation_is_typed_line_by_line_with_commands_between(story: Path) -> None:
    said = ("Two sisters inherit a lighthouse that nobody lights.", "Ruth", "She is poor")
    lines = "\n".join([*said, "/why", "/undo", "/state", "/fly", "/quit", "never said", ""])
    out = typed(story, "foreman", "chat", keys=lines)
    assert "is a circumstance" in out
    assert "weak: circumstance" in out
    assert "ARCHITECT, 0% of the story bible, 3 turns" in out
    assert "never said" not in out


def test_every_event_of_a_consultation_is_a_line_of_json(story: Path) -> None:
    rows = [json.loads(row) for row in typed(story, "foreman", "chat", "Hello", "--json").splitlines()]
    assert {row["event"] for row in rows} == {"prompt.sent", "message.delta", "message.done", "done"}
    text = "".join(row["text"] for row in rows if row["event"] == "message.delta")
    assert text == next(row["text"] for row in rows if row["event"] == "message.done")


def test_the_state_says_where_the_book_stands(story: Path) -> None:
    assert "<current_mode>ARCHITECT</current_mode>" in typed(story, "foreman", "state")
    state = json.loads(typed(story, "foreman", "state", "--json"))
    assert state["workOrder"]["templates"][0]["missing"][0] == "fatal_flaw"
    assert "missing: beat_1 to beat_15" in typed(story, "foreman", "work-order")
    assert json.loads(typed(story, "foreman", "work-order", "--json"))["gateOpen"] is False


@pytest.mark.parametrize(
    ("model", "tier"), [("gpt-4o", "full"), ("gemini-2.0-flash", "full"), ("llama3.2:3b", "minimal")]
)
def test_the_prompt_is_shown_as_it_would_be_sent_with_no_key_and_nothing_kept(
    story: Path, model: str, tier: str
) -> None:
    typed(story, "foreman", "decide", "ruth_fatal_flaw", "Never asks for help", "--category", "character")
    shown = json.loads(typed(story, "foreman", "prompt", "--model", model, "-m", "And now?", "--json"))
    assert shown["tier"] == tier
    last = shown["messages"][-1]["text"]
    assert last.endswith("And now?") if tier == "full" else "The writer said:\n> And now?\n" in last  # assisted
    assert shown["tokens"] == sum(layer["tokens"] for layer in shown["layers"])
    assert (shown["usd"] or 0.0) == pytest.approx(sum(layer["usd"] or 0.0 for layer in shown["layers"]))
    assert "Never asks for help" in shown["system"] + shown["messages"][-1]["text"]
    text = typed(story, "foreman", "prompt", "--model", model, "-m", "And now?")
    assert (shown["system"] or last).strip().splitlines()[-1] in text
    assert json.loads(typed(story, "foreman", "state", "--json"))["turns"] == 0


def test_decisions_keep_their_past(story: Path) -> None:
    typed(story, "foreman", "decide", "spelling", "British", "--category", "preference", "--kind", "preference")
    typed(story, "foreman", "decide", "spelling", "American", "--category", "preference", "--kind", "preference")
    rows = [json.loads(row) for row in typed(story, "foreman", "decisions", "--json").splitlines()]
    assert [row["value"] for row in rows] == ["American"]
    assert "changed since" in typed(story, "foreman", "decisions", "--history", "spelling")
    assert "Taken back" in typed(story, "foreman", "undo")
    assert "British" in typed(story, "foreman", "decisions")


def test_the_mode_is_changed_by_hand_and_the_gate_says_what_is_missing(story: Path) -> None:
    assert "fatal_flaw" in typed(story, "foreman", "mode", code=2)
    assert "Open risks" in typed(story, "foreman", "mode", "--force")
    assert "forced" in typed(story, "foreman", "state")
    assert "goes back" in typed(story, "foreman", "mode", "architect")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chat", " "), None),
        (("decide", "x", "y", "--category", "mood"), "category"),
        (("decide", "??", "y"), "not a valid name for a decision"),
        (("decisions", "--history", "nobody"), "Nothing was decided"),
        (("mode", "nowhere"), "There is no mode"),
        (("undo",), "nothing left"),
        (("notebooks", "--ask", "Why?"), "Ways on"),
    ],
)
def test_bad_input_gets_a_sentence(story: Path, words: tuple[str, ...], said: str | None) -> None:
    out = typed(story, "foreman", *words, code=2 if said else 0)
    assert (said or "") in out
    assert "Traceback" not in out


def test_what_can_be_undone_is_listed_and_undone_by_name_past_a_page_changed_by_hand(story: Path) -> None:
    typed(story, "foreman", "decide", "tide", "twice a day", "--category", "world")
    typed(story, "foreman", "decide", "road", "closed", "--category", "world")
    last, first = (json.loads(row) for row in typed(story, "foreman", "undo", "--list", "--json").splitlines())
    assert (last["blocked"], first["said"]) == ("", "Decided: tide (world): twice a day")
    assert "road (world): closed" in typed(story, "foreman", "undo", "--list")
    assert "tide" in typed(story, "foreman", "undo", first["act"])
    assert "There is no action 'w9'" in typed(story, "foreman", "undo", "w9", code=2)
    assert "Taken back" in typed(story, "foreman", "undo", "--keep-file")
    assert typed(story, "foreman", "undo", "--list") == ""


def test_a_gate_is_forced_from_the_chat_only_after_a_yes(story: Path) -> None:
    said = ["Two sisters inherit a lighthouse.", "Ruth", "Open the gate anyway"]
    said += ["/yes", "/yes", "/undo list", "/help", "/undo"]
    out = typed(story, "foreman", "chat", keys="\n".join([*said, ""]))
    assert "? advance_mode: To go on to VOICE_CALIBRATION with open risks" in out
    assert json.loads(typed(story, "foreman", "state", "--json"))["mode"] == "ARCHITECT"
    typed(story, "foreman", "chat", "Open the gate anyway")
    assert "with its gate forced" in typed(story, "foreman", "confirm")
    assert json.loads(typed(story, "foreman", "state", "--json"))["mode"] == "VOICE_CALIBRATION"
    assert "nothing to confirm" in typed(story, "foreman", "confirm", code=2)


def test_nothing_to_list_is_said(story: Path) -> None:
    assert typed(story, "foreman", "decisions") == ""
    assert typed(story, "foreman", "notebooks") == ""


def test_the_conversation_is_a_run_among_the_others(story: Path) -> None:
    typed(story, "foreman", "chat", "Two sisters inherit a lighthouse that nobody lights.")
    run = json.loads(typed(story, "runs", "list", "--json"))["id"]
    shown = typed(story, "runs", "show", run)
    assert "> Two sisters inherit a lighthouse" in shown
    assert "✓ Decided: premise" in shown
    assert json.loads(typed(story, "runs", "show", run, "--json"))["said"].startswith("Two sisters")
    assert "writer.spoke" in typed(story, "runs", "show", run, "--debug")
    assert "writing" in typed(story, "runs", "cost", run)
    assert "foreman chat" in typed(story, "runs", "resume", run, code=2)


async def test_at_a_terminal_ctrl_c_leaves_at_once_and_what_was_said_is_kept(story: Path) -> None:
    async with at_terminal("foreman", "chat", project=story) as at:
        await at.see(">")
        at.press("Two sisters inherit a lighthouse." + ENTER)
        await at.see("✓ Decided: premise")
        at.press(CTRL_C)
        assert await at.exit_code() == 130
    assert json.loads(await asyncio.to_thread(typed, story, "foreman", "state", "--json"))["turns"] == 1


def test_a_command_that_cannot_be_carried_out_does_not_end_the_conversation(story: Path) -> None:
    typed(story, "foreman", "chat", keys="/undo\nTwo sisters inherit a lighthouse.\n")
    assert "Two sisters inherit a lighthouse." in typed(story, "foreman", "decisions", "--json")
