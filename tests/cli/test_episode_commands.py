"""What HTTP offers to a player, the terminal offers too: messages, branches, shares, the cut, memories."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dramaturg.cli.episode_chat import COMMANDS, EpisodeChat
from tests.cli.story import typed

EXAMPLES = Path(__file__).parents[2] / "examples"
SEVEN = "Hello\nTell me about the record\nWhy?\nI like your shop\nhm\nGo on\n1\n"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "the-flirt-test", tmp_path / "story"))


def told(story: Path, keys: str, *words: str) -> list[dict[str, Any]]:
    lines = typed(story, "episode", "play", *(words or ("the-flirt-test",)), "--json", keys=keys).splitlines()
    return [json.loads(line) for line in lines]


def only(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(one for one in events if one.get("type") == kind)


def refused(events: list[dict[str, Any]]) -> list[str]:
    return [one["message"] for one in events if one.get("type") == "refused"]


def test_the_help_lists_every_command(story: Path) -> None:
    shown = typed(story, "episode", "play", "the-flirt-test", keys="/help\n")
    assert all(name in shown for name in COMMANDS)
    for word in ("/share", "/branch", "/delete", "/cut", "/memories", "/greeting", "/messages", "/unshare", "/forget"):
        assert word in shown


def test_every_command_of_the_help_is_known(story: Path) -> None:
    keys = "".join(f"{name.split()[0]}\n" for name in COMMANDS if name != "/quit")
    assert not [one for one in refused(told(story, keys)) if "There is no command" in one]
    assert EpisodeChat is not None


def test_messages_are_listed_branched_from_and_deleted(story: Path) -> None:
    events = told(story, "Hello\nWhy?\n/messages\n/branch m3\nBecause.\n/choose m5\n/delete\n/delete m3 following\n")
    assert [one["id"] for one in only(events, "messages")["messages"]] == ["m1", "m2", "m3", "m4", "m5"]
    changes = [[one["id"] for one in event["messages"]] for event in events if event.get("type") == "changed"]
    assert changes == [["m1", "m2", "m3"], ["m1", "m2", "m3", "m4", "m5"], ["m1", "m2", "m3", "m4"], ["m1", "m2"]]


def test_a_session_is_shown_to_a_program_as_its_player_sees_it(story: Path) -> None:
    state = told(story, "Hello\nWhy?\n")[-1]
    (shown,) = typed(story, "runs", "show", state["id"], "--json").splitlines()
    assert json.loads(shown) == state


def test_a_branch_into_a_new_session_leaves_this_one_as_it_is(story: Path) -> None:
    events = told(story, "Hello\nWhy?\n/branch m3 new\n")
    other = only(events, "branched")["session"]
    assert other != events[-1]["id"]
    assert len(events[-1]["messages"]) == 5
    assert [one["id"] for one in told(story, "", "--session", other)[-1]["messages"]] == ["m1", "m2", "m3"]


def test_a_result_is_shared_only_as_it_was_previewed(story: Path) -> None:
    events = told(story, SEVEN + "/share yes\n/share quotes player_name\n/share yes\n/shares\n/share everything\n")
    preview = only(events, "share_preview")
    assert preview["parts"] == ["result", "quotes", "player_name"]
    assert preview["snapshot"]["transcript"] == []
    share = only(events, "shared")["share_id"]
    assert only(events, "shares")["shares"] == [{"share_id": share, "revoked": False, "views": 0}]
    assert [one.split(".")[0] for one in refused(events)] == [
        "Preview what others would see first: /share, or /share quotes", "'everything' is no part of a share",
    ]  # fmt: skip
    after = told(story, f"/unshare {share}\n/unshare {share[:-1]}\n/shares\n", "--session", events[-1]["id"])
    assert only(after, "shares")["shares"][0]["revoked"] is True
    assert refused(after) == ["There is no such share of this session; /shares lists them."]


def test_a_share_for_people_shows_what_others_would_see(story: Path) -> None:
    shown = typed(story, "episode", "play", "the-flirt-test", keys=SEVEN + "/share transcript\n/share yes\n")
    assert "Others would see:" in shown
    assert "Player: Tell me about the record" in shown
    assert "'dramaturg serve' shows it at /r/" in shown


def test_the_directors_cut_opens_when_the_episode_is_complete(story: Path) -> None:
    events = told(story, "/cut\n" + SEVEN + "/cut\n/evaluate\n")
    assert len(refused(events)) == 1
    cut = only(events, "directors_cut")
    assert len(cut["tension_curve"]) == 7
    assert only(events, "evaluation")["status"] == "ready"
    shown = typed(story, "episode", "play", "--session", events[-1]["id"], keys="/cut\n")
    assert "The turning point is" in shown


def test_memories_are_listed_and_forgotten(story: Path) -> None:
    session = told(story, "My name is Ines and I grew up in Porto.\nI was afraid of the sea as a child.\n")[-1]["id"]
    kept = only(told(story, "/memories\n/relationship\n", "--session", session), "memories")["memories"]
    assert kept
    after = told(story, f"/forget {kept[0]['id']}\n/forget nothing\n/memories\n", "--session", session)
    assert kept[0]["id"] not in [one["id"] for one in only(after, "memories")["memories"]]
    assert len(refused(after)) == 1


def test_a_session_with_a_damaged_entry_is_branched_from_before_it(story: Path) -> None:
    session = told(story, "Hello\nWhy?\n")[-1]["id"]
    with sqlite3.connect(story / "data" / "dramaturg.db") as db:
        (at,) = db.execute("SELECT MAX(seq) FROM events WHERE type = 'player.spoke'").fetchone()
        db.execute("UPDATE events SET body = '{' WHERE seq = ? AND run_id = ?", (at, session))
    events = told(story, "Go on\n/branch m3 new\n", "--session", session)
    assert "Branch from a message before it into a new session" in refused(events)[0]
    other = only(events, "branched")["session"]
    assert [one["id"] for one in told(story, "", "--session", other)[-1]["messages"]] == ["m1", "m2", "m3"]


@pytest.mark.parametrize("line", ["/branch", "/branch m99", "/branch m1 twice", "/delete m99", "/choose", "/forget"])
def test_what_cannot_be_done_is_explained_and_the_talk_goes_on(line: str, story: Path) -> None:
    events = told(story, f"Hello\n{line}\nWhy?\n")
    assert len(refused(events)) == 1
    assert len(events[-1]["messages"]) == 5
