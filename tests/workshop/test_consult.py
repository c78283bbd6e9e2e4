"""A consultation: what is said is kept, what is asked for happens or is refused, and all of it can be taken back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args

import pytest

from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable, NotFound, RunFenced
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import Settings, WorkshopSettings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.holding import BookHold
from dramaturg.workshop.wire import ConsultEvent, ConsultStreamEvent
from tests.workshop.workroom import acting, at_work, fill_the_bible, heard, message_of, names, saying, streamed

FLAW = acting("save_decision", category="character", key="ruth_fatal_flaw", value="Never asks for help")
THEME = acting("write_template", template="theme", content="<central_theme>Debt</central_theme>")


def page(project: Path, name: str = "theme.md") -> str:
    return (project / "story-bible" / name).read_text(encoding="utf-8")


async def test_what_the_foreman_asks_for_happens_and_is_shown(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("Good.", FLAW, THEME, thinking="Hm.")]) as foreman:
        events = await heard(foreman, "She never asks for help.")
        assert names(events) == ["message.done", "action.done", "action.done", "done"]
        assert streamed(events) == message_of(events) == "Good."
        assert "Debt" in page(tmp_path)
        assert [one.value for one in await foreman.decisions()] == ["Never asks for help"]


async def test_the_next_prompt_tells_the_state_the_talk_and_what_was_refused(tmp_path: Path) -> None:
    wrong = acting("apply_edit", target="ch01-sc01", find="a", replace="b")
    model = ScriptedModel([saying("One.", FLAW, wrong), saying("Two.")])
    async with at_work(tmp_path, model) as foreman:
        first = await heard(foreman, "Hello.")
        assert "'apply_edit' is for EDITOR; the book is in ARCHITECT." in str(first)
        await heard(foreman, "And now?")
    sent = model.requests[1]
    told = sent.system + "".join(message.text for message in sent.messages)
    assert '<entry category="character" key="ruth_fatal_flaw">Never asks for help</entry>' in told
    assert "is for EDITOR" in told.split("<session_state>")[1].split("</session_state>")[0]
    assert sent.messages[0].text == "Hello."
    assert "<message>\nOne.\n</message>" in sent.messages[1].text
    assert sent.messages[-1].text.endswith("And now?")


@pytest.mark.parametrize(
    ("answer", "shown", "odd"),
    [
        ("Just some prose, no tags.", "Just some prose, no tags.", 0),
        ("<think>I only think.</think>", "(The model gave no message.)", 1),
        ("<thinking>Never closed " + FLAW, "(The model gave no message.)", 1),
        ('{"message": "In JSON."}', "In JSON.", 1),
        ("", "(The model gave no message.)", 1),
    ],
)
async def test_models_that_do_not_keep_to_the_protocol_are_borne(
    tmp_path: Path, answer: str, shown: str, odd: int
) -> None:
    model = ScriptedModel([answer, saying("Fine.")])
    async with at_work(tmp_path, model) as foreman:
        events = await heard(foreman, "Hello.")
        done = next(event for event in events if event.event == "message.done")
        assert done.text == shown
        assert len(done.odd) >= odd
        assert await foreman.decisions() == ()
        await heard(foreman, "Again.")
    assert ("<last_answer>" in model.requests[1].system + model.requests[1].messages[-1].text) == bool(odd)


@pytest.mark.parametrize(("answer", "odd"), [("", "The answer was empty."), ("<think>Hm.</think>", "only reasoning")])
async def test_an_empty_answer_is_not_told_as_reasoning(tmp_path: Path, answer: str, odd: str) -> None:
    async with at_work(tmp_path, [answer]) as foreman:
        done = next(event for event in await heard(foreman, "Hello.") if event.event == "message.done")
    assert odd in done.odd[0]


async def test_a_flood_of_actions_is_capped_and_said(tmp_path: Path) -> None:
    flood = [acting("save_decision", category="world", key=f"k{n}", value=f"v{n}") for n in range(500)]
    async with at_work(tmp_path, [saying("Many.", *flood)]) as foreman:
        events = await heard(foreman, "Go.")
        assert len(await foreman.decisions()) == 12
        refused = [event for event in events if event.event == "action.refused"]
        assert [event.reason for event in refused] == ["488 more were not done: at most 12 are, of one answer."]


async def test_a_wrong_parameter_is_refused_and_stops_nothing_that_follows(tmp_path: Path) -> None:
    bad = acting("save_decision", category="mood", key="x", value="y")
    async with at_work(tmp_path, [saying("Hm.", bad, acting("fly"), FLAW)]) as foreman:
        events = await heard(foreman, "Go.")
        assert names(events) == ["message.done", "action.refused", "action.refused", "action.done", "done"]


async def test_undo_takes_back_the_last_and_then_the_one_before(tmp_path: Path) -> None:
    second = THEME.replace("Debt", "Trust")
    async with at_work(tmp_path, [saying("One.", THEME), saying("Two.", second, FLAW)]) as foreman:
        await heard(foreman, "Debt.")
        await heard(foreman, "No, trust.")
        assert (await foreman.undo()).said.startswith("Taken back: Decided")
        assert await foreman.decisions() == ()
        await foreman.undo()
        assert "Debt" in page(tmp_path)
        await foreman.undo()
        assert not (tmp_path / "story-bible" / "theme.md").exists()
        with pytest.raises(NotFound, match="nothing left"):
            await foreman.undo()


async def test_undo_does_not_go_over_what_the_writer_changed_since(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", THEME)]) as foreman:
        await heard(foreman, "Debt.")
        (tmp_path / "story-bible" / "theme.md").write_text("mine", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="changed since"):
            await foreman.undo()
        assert page(tmp_path) == "mine"


async def test_a_template_edited_while_the_foreman_writes_it_is_left_and_neither_is_lost(tmp_path: Path) -> None:
    (tmp_path / "story-bible").mkdir()
    (tmp_path / "story-bible" / "theme.md").write_text("## Central theme\nTrust\n", encoding="utf-8")

    def meanwhile(request: ModelRequest) -> str:
        (tmp_path / "story-bible" / "theme.md").write_text("## Central theme\nMy own\n", encoding="utf-8")
        return saying("Debt, then.", THEME)

    async with at_work(tmp_path, meanwhile) as foreman:
        events = await heard(foreman, "Debt.")
        assert "My own" in page(tmp_path)
        assert "Debt" in page(tmp_path, "theme.from-foreman-1.md")
        assert "theme.from-foreman-1.md" in str(events)
        assert any(alert.check == "text_beside" for alert in (await foreman.view()).alerts)
        await foreman.undo()
        assert not (tmp_path / "story-bible" / "theme.from-foreman-1.md").exists()


async def test_prose_is_saved_in_director_only_and_below_the_manuscript_only(tmp_path: Path) -> None:
    fill_the_bible(tmp_path)
    scene = '<content_update target="Chapter 4, Scene 2">She ran.\n\n<b>She</b> fell.</content_update>'
    scene = scene.replace("Chapter 4, Scene 2", "ch4-sc2")
    outside = '<content_update target="../../etc/passwd">x</content_update>'
    bible = '<content_update target="story-bible/theme.md">x</content_update>'
    answers = [saying("Too soon.", scene), saying("Now.", scene, outside, bible), saying("More.", scene)]
    async with at_work(tmp_path, answers) as foreman:
        early = await heard(foreman, "Write.")
        assert "Prose is saved in DIRECTOR and EDITOR" in str(early)
        assert (tmp_path / "data" / "foreman" / "1.1.1.md").read_text(encoding="utf-8").startswith("She ran.")
        await foreman.change_mode()
        await foreman.change_mode(force=True)
        events = await heard(foreman, "Write.")
        assert names(events) == ["message.done", "action.done", "action.refused", "action.refused", "done"]
        written = tmp_path / "manuscript" / "ch04-sc02.md"
        assert written.read_text(encoding="utf-8") == "She ran.\n\n<b>She</b> fell.\n"
        assert sorted(path.name for path in (tmp_path / "manuscript").iterdir()) == ["ch04-sc02.md"]


async def test_prose_is_refused_where_the_file_changed_meanwhile_and_keeps_its_front_matter(tmp_path: Path) -> None:
    written = tmp_path / "manuscript" / "ch04-sc02.md"
    written.parent.mkdir()
    written.write_text("---\nbeat: Midpoint\n---\n\nOld.\n", encoding="utf-8")
    update = '<content_update target="manuscript/ch04-sc02.md">New.</content_update>'
    busy = True

    def meanwhile(request: ModelRequest) -> str:
        if busy:
            written.write_text("---\nbeat: Midpoint\n---\n\nMine.\n", encoding="utf-8")
        return saying("Here.", update)

    async with at_work(tmp_path, meanwhile) as foreman:
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        assert "was changed meanwhile" in str(await heard(foreman, "Write."))
        assert "Mine." in written.read_text(encoding="utf-8")
        assert (tmp_path / "data" / "foreman" / "1.1.1.md").read_text(encoding="utf-8") == "New.\n"
        busy = False
        await heard(foreman, "Again.")
        assert "Mine." in written.read_text(encoding="utf-8")
        await foreman.patches.accept([1])
        assert written.read_text(encoding="utf-8") == "---\nbeat: Midpoint\n---\n\nNew.\n"
        await foreman.undo()
        assert "Mine." in written.read_text(encoding="utf-8")


async def test_a_passage_is_edited_in_editor_if_it_stands_there_once(tmp_path: Path) -> None:
    (tmp_path / "manuscript").mkdir()
    (tmp_path / "manuscript" / "ch01-sc01.md").write_text("A door. A door. She ran.\n", encoding="utf-8")
    once = acting("apply_edit", target="ch01-sc01", find="She ran.", replace="She walked.")
    twice = acting("apply_edit", target="ch01-sc01", find="A door.", replace="x")
    async with at_work(tmp_path, [saying("So.", once, twice)]) as foreman:
        for _ in range(3):
            await foreman.change_mode(force=True)
        events = await heard(foreman, "Edit.")
        assert "stand 2 times" in str(events)
        text = (tmp_path / "manuscript" / "ch01-sc01.md").read_text(encoding="utf-8")
        assert text == "A door. A door. She walked.\n"


async def test_a_closed_gate_refuses_force_records_the_risk_and_it_keeps_alerting(tmp_path: Path) -> None:
    fill_the_bible(tmp_path, without="theme")
    answers = [
        saying("Closed.", acting("advance_mode")),
        saying("Forced.", acting("advance_mode", force="true")),
        saying("Back.", acting("advance_mode", to="ARCHITECT")),
    ]
    async with at_work(tmp_path, answers) as foreman:
        assert "central_theme" in str(await heard(foreman, "Go on."))
        assert (await foreman.view()).mode == Mode.ARCHITECT
        assert "mode.changed" not in names(await heard(foreman, "Anyway."))
        await foreman.confirm()
        view = await foreman.view()
        assert view.mode == Mode.VOICE_CALIBRATION
        assert [alert.check for alert in view.alerts] == ["forced_architect"]
        assert "central_theme" in view.alerts[0].text
        assert "<alert" in view.session_state
        fill_the_bible(tmp_path)
        assert (await foreman.view()).alerts == ()
        await heard(foreman, "Back.")
        assert (await foreman.view()).mode == Mode.ARCHITECT
        await foreman.undo()
        assert (await foreman.view()).mode == Mode.VOICE_CALIBRATION


async def test_a_broken_page_is_an_alert_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "story-bible").mkdir()
    (tmp_path / "story-bible" / "theme.md").write_text("---\nstatus: [\n---\n", encoding="utf-8")
    async with at_work(tmp_path, [saying("I see.", THEME)]) as foreman:
        events = await heard(foreman, "Hello.")
        assert "action.refused" in names(events)
        assert [alert.severity for alert in (await foreman.view()).alerts] == ["critical"]
        assert page(tmp_path) == "---\nstatus: [\n---\n"


async def test_the_conversation_goes_on_in_another_process_and_with_another_model(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", FLAW)]) as foreman:
        await heard(foreman, "First.")
    other = ScriptedModel([saying("Two.")], name="other")
    async with at_work(tmp_path, other) as foreman:
        await heard(foreman, "Second.")
        assert len((await foreman.conversation()).turns) == 2
    assert other.requests[0].messages[0].text == "First."


async def test_a_model_that_fails_costs_nothing_that_was_typed(tmp_path: Path) -> None:
    async with at_work(tmp_path, [ModelUnavailable("The model is down."), saying("Back.")]) as foreman:
        events = await heard(foreman, "A long thought.")
        assert names(events) == ["failed", "done"]
        await heard(foreman, "Again.")
        talk = (await foreman.conversation()).conversation(3)
    assert [turn.writer for turn in talk] == ["A long thought.", "Again."]


@pytest.mark.parametrize("message", ["", "  \n ", "\0"])
async def test_an_empty_message_is_refused(tmp_path: Path, message: str) -> None:
    async with at_work(tmp_path, []) as foreman:
        with pytest.raises(InvalidConfig, match="empty"):
            await heard(foreman, message)


async def test_half_a_character_in_a_message_is_shown_as_one_that_is_missing(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("Noted.")]) as foreman:
        await heard(foreman, "A caf\udce9 by the sea, \ud83d and rain.")
        (talk,) = (await foreman.conversation()).conversation(2)
    assert talk.writer == "A caf\ufffd by the sea, \ufffd and rain."


def test_a_consultation_streams_a_closed_union_so_that_its_event_tells_its_type() -> None:
    assert set(get_args(ConsultStreamEvent)) == set(ConsultEvent.__subclasses__())
    assert len({kind.model_fields["event"].default for kind in get_args(ConsultStreamEvent)}) == 11


async def test_two_messages_at_once_are_answered_one_after_the_other(tmp_path: Path) -> None:
    def by_message(request: ModelRequest) -> str:
        return saying(f"To {request.messages[-1].text[-1]}.")

    async with at_work(tmp_path, by_message) as foreman:
        first, second = await asyncio.gather(heard(foreman, "A"), heard(foreman, "B"))
        turns = (await foreman.conversation()).turns
        assert [turns[n].message for n in (1, 2)] == ["To A.", "To B."]
        assert [{event.turn for event in events} for events in (first, second)] == [{1}, {2}]
        assert first[-1].event == second[-1].event == "done"


async def test_another_process_at_the_book_is_fenced_with_a_clear_word(tmp_path: Path) -> None:
    """The other process is the one that started this one: alive, and not us."""
    import os

    from dramaturg.kernel.runs import Holder
    from dramaturg.kernel.runs.ids import id_for

    async with at_work(tmp_path, [saying("One."), saying("Two.")]) as foreman:
        await heard(foreman, "First.")
        store = await open_store(Settings(project=tmp_path))
        await store.runs.adopt(id_for("foreman", "main"), str(Holder.of(os.getppid())), 1.0)
        with pytest.raises(RunFenced, match=f"another process .*{os.getppid()}.* Your message was not sent"):
            await heard(foreman, "Second.")
        assert (await foreman.view()).turns == 1
        await store.runs.mark(id_for("foreman", "main"), "stopped", 2.0)
        await store.close()
        assert message_of(await heard(foreman, "Third.")) == "Two."


async def test_a_book_that_cannot_be_put_right_is_let_go_for_others(tmp_path: Path) -> None:
    """Whoever cannot take back what a dead process left behind does not keep the book from other processes."""
    from dramaturg.kernel.errors import InvalidConfig
    from dramaturg.kernel.runs.ids import id_for

    async def fails(_: object) -> None:
        raise InvalidConfig("The scene has changed meanwhile.")

    async with at_work(tmp_path, [saying("One.")]) as foreman:
        await heard(foreman, "First.")
        hold = BookHold(foreman._resources, foreman.kind, fails)
        with pytest.raises(InvalidConfig, match="changed meanwhile"):
            async with hold.alone():
                raise AssertionError("nothing is done with it")
        store = await open_store(Settings(project=tmp_path))
        record = await store.runs.get(id_for("foreman", "main"))
        await store.close()
        assert record is not None
        assert record.status == "stopped"


async def test_who_leaves_does_not_stop_the_turn(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", FLAW)]) as foreman:
        talk = foreman.consult("First.")
        await anext(talk)
        await talk.aclose()
        await foreman.settled()
        assert len(await foreman.decisions()) == 1


async def test_the_writers_own_decisions_can_be_undone_too_and_the_same_twice_is_one(tmp_path: Path) -> None:
    mine = NewDecision(category="preference", key="spelling", value="British", kind="preference", source="writer")
    repeat = acting(
        "save_decision", category="preference", key="spelling", value="British", kind="preference", source="writer"
    )
    async with at_work(tmp_path, [saying("Known.", repeat)]) as foreman:
        await foreman.decide(mine)
        await heard(foreman, "British spelling, please.")
        assert len(await foreman.history("spelling")) == 1
        await foreman.undo()
        assert await foreman.decisions() == ()


async def test_an_answer_cut_at_its_longest_says_so(tmp_path: Path) -> None:
    cut = ModelAnswer(text="<message>And so we", model="x", finish="length")
    async with at_work(tmp_path, [cut]) as foreman:
        events = await heard(foreman, "Go.")
        assert message_of(events) == "And so we"
        assert "cut at its longest" in str(events)


async def test_the_model_of_a_mode_is_the_one_that_is_set(tmp_path: Path) -> None:
    own = WorkshopSettings(model="openai/gpt-4o", models={"director": "anthropic/claude-sonnet-4"})
    async with at_work(tmp_path, [], settings=own) as foreman:
        assert (await foreman.prompt("Hello")).model == "openai/gpt-4o"
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        assert (await foreman.prompt("Hello")).model == "anthropic/claude-sonnet-4"
        assert (await foreman.prompt("Hello", model="ollama/llama3.2:3b")).tier == "minimal"


async def test_a_bible_of_ten_megabytes_is_an_alert_with_the_way_out_and_the_talk_goes_on(tmp_path: Path) -> None:
    (tmp_path / "story-bible").mkdir()
    (tmp_path / "story-bible" / "theme.md").write_text("x" * 10_000_000, encoding="utf-8")
    model = ScriptedModel([saying("I see.", THEME)])
    async with at_work(tmp_path, model) as foreman:
        events = await heard(foreman, "Hello.")
        assert "move long texts to notebooks/" in str(events)
        assert "notebooks/" in (await foreman.view()).alerts[0].text
    assert len(model.requests[0].system) < 40_000


async def test_undo_leaves_a_page_that_became_something_else_entirely(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", THEME)]) as foreman:
        await heard(foreman, "Debt.")
        (tmp_path / "story-bible" / "theme.md").write_bytes(b"\xff\xfe no text")
        with pytest.raises(InvalidConfig, match="changed since"):
            await foreman.undo()


async def test_nothing_can_be_written_through_a_link_out_of_the_project(tmp_path: Path) -> None:
    project, outside = tmp_path / "book", tmp_path / "outside"
    outside.mkdir()
    project.mkdir()
    (project / "story-bible").symlink_to(outside)
    (project / "manuscript").symlink_to(outside)
    update = '<content_update target="ch01-sc01">Prose.</content_update>'
    async with at_work(project, [saying("So.", THEME), saying("Now.", update)]) as foreman:
        assert "action.refused" in names(await heard(foreman, "Go."))
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        assert "action.refused" in names(await heard(foreman, "Go."))
    assert list(outside.iterdir()) == []
