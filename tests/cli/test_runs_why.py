"""`runs why`: the account of a line, its prompt, and the test of its causes."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests import warm
from tests.cli.story import document, new_story, rehearsed, typed
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for, project


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def last_line(story: Path) -> dict[str, object]:
    return [line for line in document(story)["lines"] if line["kind"] == "line"][-1]


def test_the_account_tells_prompt_notes_heard_answer_and_fate(story: Path) -> None:
    run = rehearsed(story)
    line = last_line(story)
    shown = typed(story, "runs", "why", run, str(line["number"]))
    assert shown.startswith(f"Line {line['number']}, beat {line['beat']}, by {line['speaker']} (rehearsal)\n")
    for title in ("Prompt: ", "Notes\n", "Had heard: ", "Had not heard\n", "Answered: ", "Assumed while", "Outcome"):
        assert f"\n{title}" in shown
    assert line["content"] in shown
    assert typed(story, "runs", "why", run, line["content"]) == shown


def test_the_account_can_be_had_as_json_with_the_prompt(story: Path) -> None:
    run = rehearsed(story)
    told = json.loads(typed(story, "runs", "why", run, "1", "--prompt", "--json"))
    assert "card" in [layer["name"] for layer in told["account"]["receipt"]["layers"]]
    assert told["account"]["notes"][0]["reason"] == "the opener is told to begin"
    assert told["prompt"]["messages"][-1]["content"].endswith("Beat 0. Iris:")


def test_the_prompt_is_printed_as_it_was_sent(story: Path) -> None:
    shown = typed(story, "runs", "why", rehearsed(story), "1", "--prompt")
    card = (story / ".claude" / "agents" / "iris.md").read_text(encoding="utf-8").split("---\n")[2].strip()
    assert shown.startswith(f"=== system\n{card}\n")
    assert shown.endswith("DIRECTOR NOTE (only you see this): You are Iris. Begin the scene.\n\nBeat 0. Iris:\n")


def test_a_card_that_was_changed_since_does_not_change_what_was_sent(story: Path) -> None:
    run = rehearsed(story)
    before = typed(story, "runs", "why", run, "1", "--prompt")
    (story / ".claude" / "agents" / "iris.md").write_text("# Iris - Nobody\n\n## None\n- No\n", encoding="utf-8")
    assert typed(story, "runs", "why", run, "1", "--prompt") == before


def test_the_test_is_deterministic_with_the_company_and_leaves_the_run_alone(story: Path) -> None:
    run = rehearsed(story)
    number = str(last_line(story)["number"])
    before = typed(story, "runs", "show", run, "--debug")
    first, again = (
        json.loads(typed(story, "runs", "why", run, number, "--test", "--yes", "--json").splitlines()[-1])
        for _ in range(2)
    )
    assert first["ablation"] == again["ablation"]
    assert first["ablation"]["floor"] == 0.0
    moved = [effect["movement"]["moved"] for effect in first["ablation"]["effects"]]
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > 0
    assert {effect["cause"]["kind"] for effect in first["ablation"]["effects"]} >= {"note", "line", "section"}
    assert typed(story, "runs", "show", run, "--debug") == before


def test_it_says_what_it_will_take_and_asks_first(story: Path) -> None:
    run = rehearsed(story)
    assert "asked again" not in typed(story, "runs", "why", run, "1", "--test", keys="n\n")
    assert "Line 1 asked again, with one cause left out at a time" in typed(
        story, "runs", "why", run, "1", "--test", keys="y\n"
    )
    assert "add --yes" in typed(story, "runs", "why", run, "1", "--test", "--json", code=2)


def test_what_was_found_can_be_shown_again_and_is_not_mistaken_for_a_scene(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "why", run, "1", "--test", "--yes")
    why = shown.rstrip(".\n").split()[-1]
    assert typed(story, "runs", "show", why) in shown
    assert "is not a scene" in typed(story, "runs", "replay", why, code=2)
    assert "is not a scene" in typed(story, "runs", "why", why, "1", code=2)
    assert "is not a scene" in typed(story, "runs", "export", why, "-f", "md", code=2)
    assert "line.questioned" in typed(story, "runs", "show", why, "--debug")
    assert json.loads(typed(story, "runs", "cost", why, "--json"))["total"]["calls"] == 9


def test_a_line_that_is_not_there_is_an_authors_mistake(story: Path) -> None:
    assert "No line 'potato'" in typed(story, "runs", "why", rehearsed(story), "potato", code=2)


def test_the_end_and_the_notes_are_explained_and_only_lines_can_be_tested(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "why", run, "end")
    assert shown.startswith("The end, after beat ")
    assert "\nBecause\n  every sub-goal is met\n" in shown
    assert "\nSub-goals\n  1. " in shown
    assert typed(story, "runs", "why", run, "note:1").startswith("Note 1, after beat ")
    told = json.loads(typed(story, "runs", "why", run, "end", "--json"))["explanation"]
    assert (told["cause"], told["topic"]) == ("goal_achieved", "end")
    assert "are for lines" in typed(story, "runs", "why", run, "end", "--test", "--yes", code=2)
    assert "note:1 to note:" in typed(story, "runs", "why", run, "event:7", code=2)


async def dramaturg(*words: str | Path) -> tuple[int | None, str, str]:
    process = await warm.start(
        "-m", "dramaturg", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_with_a_model_the_prompt_is_what_its_server_got_and_every_answer_is_paid_once(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        _, out, err = await dramaturg("scene", "run", "long", "--project", story, "--json")
        run = json.loads(out.splitlines()[-1])["run"]
        played = list(server.requests)
        _, out, err = await dramaturg("runs", "why", run, "5", "--prompt", "--json", "--project", story)
        sent = json.loads(out)["prompt"]
        assert len(server.requests) == len(played)
        bodies = [json.loads(asked.raw)["messages"] for asked in played]
        assert [{"role": "system", "content": sent["system"]}, *sent["messages"]] in bodies
        code, out, err = await dramaturg("runs", "why", run, "5", "--test", "--yes", "--again", "2", "--project", story)
    assert code == 0, err
    asked = len(server.requests) - len(played)
    assert f"asks house/character {asked} times: 2 times unchanged" in err
    assert "unknown" in err
    assert "Unchanged, it moves by 0.00" in out


async def test_of_a_helped_model_the_offer_the_script_and_the_tries_are_shown_and_can_be_tested(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = lambda asked: "The harbour was quiet, and so was I."
        story = project(tmp_path, server.url)
        settings = (story / "dramaturg.toml").read_text(encoding="utf-8")
        helped = settings.replace('"direct"', '"assisted"').replace(
            'director = "house/character"', 'director = "rehearsal"'
        )
        (story / "dramaturg.toml").write_text(helped, encoding="utf-8")
        _, out, err = await dramaturg("scene", "run", "long", "--project", story, "--json")
        run = json.loads(out.splitlines()[-1])["run"]
        played = [json.loads(asked.raw)["messages"] for asked in server.requests]
        _, account, _ = await dramaturg("runs", "why", run, "1", "--project", story)
        _, prompt, _ = await dramaturg("runs", "why", run, "1", "--prompt", "--json", "--project", story)
        assert len(server.requests) == len(played)
        code, tested, err = await dramaturg("runs", "why", run, "1", "--test", "--yes", "--project", story)
    assert code == 0, err
    assert "\nHelped with turns and form\n  offered: " in account
    sent = json.loads(prompt)["prompts"]
    assert sent
    for request in sent:
        assert [{"role": "system", "content": request["system"]}, *request["messages"]] in played
    assert "asks house/character at most" in err
    assert "the sub-goal it was offered: " in tested


def test_what_was_not_to_happen_counts_as_met_where_the_goal_is_reached(story: Path) -> None:
    (story / "scenes" / "quiet.yaml").write_text(
        "name: quiet\nprompt: They meet.\ngoal: [Walter is confessing, nobody shouts]\ncharacters: [iris, walter]\n",
        encoding="utf-8",
    )
    last = typed(story, "scene", "run", "quiet", "--model", "rehearsal", "--json").splitlines()[-1]
    shown = typed(story, "runs", "why", json.loads(last)["run"], "end")
    assert "every sub-goal is met" in shown
    assert "sub-goals met: 2 of 2" in shown
    assert "2. nobody shouts: it did not happen" in shown
