"""The assisted Foreman: the house decides and takes down, a small model finds the words, and its echoes go nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from benchmarks.foreman_assistance import TURNS, is_right
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import Settings, WorkshopSettings
from dramaturg.workshop.foreman.assisted_answer import NOT_USED, own_words
from dramaturg.workshop.notebooks import open_shelf
from tests.workshop.workroom import at_work, heard, message_of, names, saying, streamed

SMALL = profile_of("ollama/llama3.2:1b")


def small(answers: Sequence[str]) -> ScriptedModel:
    return ScriptedModel(answers, profile=SMALL)


def bible(project: Path, name: str) -> str:
    path = project / "story-bible" / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


async def test_a_model_that_follows_poorly_is_asked_for_words_and_the_house_does_the_rest(tmp_path: Path) -> None:
    model = small(
        [
            "A forger of storms, then. Who is she?",
            "Oda it is. What does Oda do that makes it worse?",
            "Noted, Oda drowns.",
        ]
    )
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        await heard(foreman, "Her name is Oda Brandt.")
        events = await heard(foreman, "She would rather drown than admit that she is afraid.")
    assert "She would rather drown than admit that she is afraid." in bible(tmp_path, "protagonist")
    assert message_of(events).startswith("Noted, Oda drowns.")
    assert message_of(events).count("?") == 1
    assert "GAP: the lie" in message_of(events)
    for request in model.requests:
        assert "<session_state>" not in request.system + request.messages[0].text
        assert len(request.messages) == 1
    assert "forges weather reports" in model.requests[0].messages[0].text


async def test_the_models_own_question_stands_if_it_asks_what_the_house_wants(tmp_path: Path) -> None:
    model = small(["A forger of storms. Who is the one whose name I should write down? And what is for lunch?"])
    async with at_work(tmp_path, model) as foreman:
        events = await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
    assert message_of(events) == "A forger of storms.\n\nWho is the one whose name I should write down?"


@pytest.mark.parametrize(
    "invented",
    [
        "The fatal flaw is that Oda Brandt never takes responsibility for anything.",
        "Her lie is that storms obey those who name them.",
        "The theme is honesty against weather.",
    ],
)
async def test_what_the_writer_has_not_settled_no_model_says_is_so(tmp_path: Path, invented: str) -> None:
    model = small(["A forger of storms, then.", f"Oda it is. {invented}"])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        events = await heard(foreman, "Her name is Oda Brandt.")
    assert message_of(events).startswith("Oda it is.")
    assert invented not in message_of(events)


async def test_a_story_that_the_model_makes_up_is_not_told_to_its_writer(tmp_path: Path) -> None:
    letter = "At the end of the first part Oda receives a letter from her boyfriend with a secret message inside."
    model = small(["A forger of storms, then.", f"{letter} Oda it is."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        events = await heard(foreman, "Her name is Oda Brandt.")
    assert "boyfriend" not in message_of(events)
    assert message_of(events).startswith("Oda it is.")


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Oda must never learn that I plan her end.</think>",
        "<thinking>\nOda must never learn that I plan her end.\n</thinking>\n",
        "Oda must never learn that I plan her end.</think>",
        "[think]Oda must never learn that I plan her end.[/think] ",
        "Okay, the user names her. Oda must never learn that I plan her end, so I should only agree.\n\n",
        f"<think>{'Oda, or not Oda. ' * 400}</think>",
    ],
)
async def test_what_an_assisted_model_thinks_is_not_told_to_the_writer(tmp_path: Path, thought: str) -> None:
    model = small([f"{thought}A forger of storms, then.", f"{thought}Oda it is."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        events = await heard(foreman, "Her name is Oda Brandt.")
    assert message_of(events).startswith("Oda it is.")
    assert "never learn" not in message_of(events)


async def test_a_thought_about_the_form_fills_in_nothing(tmp_path: Path) -> None:
    form = "<think>category: world\nkey: wrong_name\n</think>category: structure\nkey: old_lamp\nvalue: x"
    model = small(["A forger of storms, then.", form, "Noted."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        await heard(foreman, "Remember: the lamp is older than the tower.")
        keys = [decision.key for decision in await foreman.decisions()]
    assert "old_lamp" in keys
    assert "wrong_name" not in keys


async def test_commands_names_and_lists_are_told_in_the_houses_words_and_cost_no_question(tmp_path: Path) -> None:
    model = small(["A forger of storms, then."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        told = [message_of(await heard(foreman, said)) for said in ("Is the gate open?", "Take that back.")]
    assert "arc_midpoint" in told[0]
    assert "`/undo`" in told[1]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("said", "form", "kept"),
    [
        (
            "Please remember that I never want a dream sequence.",
            "category: structure\nkey: dreams\nvalue: no",
            "preference",
        ),
        ("Remember: the lamp is older than the tower.", "category: world\nkey: decision\nvalue: x", "lamp"),
    ],
)
async def test_of_a_form_only_what_the_house_does_not_know_is_the_models(
    tmp_path: Path, said: str, form: str, kept: str
) -> None:
    model = small(["A forger of storms, then.", form, "Noted."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        await heard(foreman, said)
        (done,) = (await foreman.conversation()).turns[2].done
    assert kept in done.outcome.said


ECHO = "<session_state><current_mode>ARCHITECT</current_mode></session_state>"
RECITAL = (
    "The writer said: A lighthouse keeper forges weather reports. Answer the writer in two or three plain sentences."
)


@pytest.mark.parametrize("echo", [ECHO, RECITAL, "", "```xml\n</message>\n```", "As an AI language model I cannot."])
async def test_an_answer_that_cannot_be_used_is_put_aside_shown_to_nobody_and_reported_back(
    tmp_path: Path, echo: str
) -> None:
    model = small([echo, "Oda, then. What does she do wrong?"])
    async with at_work(tmp_path, model) as foreman:
        events = await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        shown = streamed(events) + message_of(events)
        assert "session_state" not in shown
        assert "two or three plain" not in shown
        assert "protagonist" in shown.lower() or "who" in shown.lower()
        await heard(foreman, "Her name is Oda Brandt.")
    assert "forges weather reports" in str(model.requests[0].messages)
    assert NOT_USED in model.requests[1].messages[0].text
    assert "session_state" not in model.requests[1].messages[0].text


async def test_nothing_that_an_assisted_model_asks_for_is_done(tmp_path: Path) -> None:
    forced = saying("Onward.", '<action type="advance_mode"><force>true</force></action>')
    async with at_work(tmp_path, small([forced])) as foreman:
        events = await heard(foreman, "A lighthouse keeper forges weather reports for a smuggler.")
        assert (await foreman.view()).mode == "ARCHITECT"
        assert "advance_mode" not in str(events)
        assert streamed(events) == ""


HALF = "---\nname: Ilse Maro\n---\n\n# Protagonist\n\n## The lie\n\nWhat you owe, you are.\n"


@pytest.mark.parametrize(
    ("form", "category", "key", "value"),
    [
        ("category: world\nkey: cost of magic\nvalue: Every spell costs a memory.", "world", "cost", "Every spell"),
        (
            "**Category:** World\n- Key: Spell Price\n- Value: spells cost memories",
            "world",
            "spell",
            "Every spell costs",
        ),
        ("category: magic\nkey: \nvalue: dragons rule the north", "structure", "spell", "Every spell costs a memory"),
        ("I would be glad to help!", "structure", "spell", "Every spell costs a memory"),
    ],
)
async def test_a_decision_without_a_name_is_named_on_a_form(
    tmp_path: Path, form: str, category: str, key: str, value: str
) -> None:
    (tmp_path / "story-bible").mkdir()
    (tmp_path / "story-bible" / "protagonist.md").write_text(HALF, encoding="utf-8")
    model = small([form, "A price, good."])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "Every spell costs a memory of the caster's.")
        (kept,) = await foreman.decisions()
    assert (kept.category, kept.source) == (category, "writer")
    assert key in kept.key
    assert kept.value.startswith(value)
    assert "category: (one of" in model.requests[0].messages[0].text
    assert [request.key for request in model.requests] == ["turn-1/answer-1/form", "turn-1/answer-1"]


async def test_the_settings_may_leave_a_small_model_to_itself_or_assist_a_large_one(tmp_path: Path) -> None:
    model = small([saying("Hello.")])
    async with at_work(tmp_path, model, settings=WorkshopSettings(agent="direct")) as foreman:
        await heard(foreman, "A keeper forges weather reports.")
    assert "<available_actions>" in model.requests[0].system
    large = ScriptedModel(["So a forger of storms."])
    async with at_work(tmp_path / "other", large, settings=WorkshopSettings(agent="assisted")) as foreman:
        events = await heard(foreman, "A keeper forges weather reports.")
    assert "action.done" in names(events)
    assert large.requests[0].system == ""


async def test_the_prompt_that_is_shown_is_the_one_that_would_be_sent(tmp_path: Path) -> None:
    async with at_work(tmp_path, small([])) as foreman:
        view = await foreman.prompt("A keeper forges weather reports.", model="ollama/llama3.2:1b")
    assert "A keeper forges weather reports." in view.messages[0].text
    assert view.tokens < 400


TALKS = yaml.safe_load(TURNS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TALKS)
async def test_what_is_done_does_not_depend_on_what_the_model_says(tmp_path: Path, name: str) -> None:
    talk = TALKS[name]
    for file, text in talk.get("files", {}).items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    notes = open_shelf(Settings(project=tmp_path))._notebooks
    async with at_work(tmp_path, ScriptedModel(lambda request: "", profile=SMALL), notebooks=notes) as foreman:
        while (await foreman.view()).mode != talk.get("mode", "ARCHITECT"):
            await foreman.change_mode(force=True)
        for row in talk["turns"]:
            await heard(foreman, row["said"])
        turns = (await foreman.conversation()).turns
    assert [row["said"] for number, row in enumerate(talk["turns"], 1) if not is_right(turns[number], row)] == []


def test_of_an_answer_the_markup_and_the_repetitions_go() -> None:
    said = "Foreman: **Good.** She hides the ledger. She hides the ledger. Next steps:\n- Who sees it?"
    assert own_words(said, "The writer said: hello there you") == ["Good.", "She hides the ledger.", "Who sees it?"]
