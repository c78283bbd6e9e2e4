"""Undo that a writer can rely on: listed, by name, past a page changed by hand, to the byte, and told to the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.modes import Mode
from tests.workshop.workroom import acting, at_work, fill_the_bible, heard, saying

THEME = acting("write_template", template="theme", content="<central_theme>Debt</central_theme>")
TIDE = acting("save_decision", category="world", key="tide", value="twice a day")
ROAD = acting("save_decision", category="world", key="road", value="closed")


def theme(project: Path) -> Path:
    return project / "story-bible" / "theme.md"


async def test_the_model_is_told_what_was_taken_back_in_the_state_and_in_its_history(tmp_path: Path) -> None:
    model = ScriptedModel([saying("One.", TIDE, ROAD), saying("Two."), saying("Three.")])
    async with at_work(tmp_path, model) as foreman:
        await heard(foreman, "Tides and roads.")
        await foreman.undo()
        await heard(foreman, "And now?")
        await heard(foreman, "And then?")
    now, later = model.requests[1], model.requests[2]
    told = now.system + now.messages[-1].text
    assert "<undone>Taken back: Decided: road (world): closed</undone>" in told
    history = "".join(message.text for message in now.messages if message.role == "assistant")
    assert "<value>twice a day</value>" in history
    assert "<value>closed</value>" not in history
    assert '<undone_by_writer type="save_decision">Decided: road (world): closed</undone_by_writer>' in history
    assert "<undone>" not in later.system + later.messages[-1].text
    assert "undone_by_writer" in "".join(message.text for message in later.messages)


async def test_what_can_be_undone_is_listed_and_one_is_undone_by_name(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", TIDE, ROAD, THEME)]) as foreman:
        await heard(foreman, "Go.")
        rows = await foreman.undoable()
        assert [(row.act, row.action) for row in rows] == [
            ("1.1.3", "write_template"),
            ("1.1.2", "save_decision"),
            ("1.1.1", "save_decision"),
        ]
        assert not any(row.blocked for row in rows)
        await foreman.undo("1.1.1")
        assert [one.key for one in await foreman.decisions()] == ["road"]
        assert theme(tmp_path).exists()
        with pytest.raises(NotFound, match=r"no action '1\.1\.1' to undo \(there is: 1\.1\.3, 1\.1\.2\)"):
            await foreman.undo("1.1.1")


async def test_a_page_changed_by_hand_blocks_nothing_that_came_before(tmp_path: Path) -> None:
    async with at_work(tmp_path, [saying("One.", TIDE, THEME)]) as foreman:
        await heard(foreman, "Go.")
        theme(tmp_path).write_text("mine", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="undo --keep-file"):
            await foreman.undo()
        blocked = (await foreman.undoable())[0].blocked
        assert "theme.md has changed since" in blocked
        undone = await foreman.undo(keep_file=True)
        assert undone.kept_file
        assert theme(tmp_path).read_text(encoding="utf-8") == "mine"
        await foreman.undo()
        assert await foreman.decisions() == ()
        assert await foreman.undoable() == ()


async def test_an_earlier_value_that_was_undone_by_name_does_not_come_back(tmp_path: Path) -> None:
    second, third = TIDE.replace("twice", "three times"), TIDE.replace("twice", "never")
    async with at_work(tmp_path, [saying("One.", TIDE, second, third)]) as foreman:
        await heard(foreman, "Go.")
        await foreman.undo("1.1.2")
        assert [one.value for one in await foreman.decisions()] == ["never a day"]
        await foreman.undo("1.1.3")
        assert [one.value for one in await foreman.decisions()] == ["twice a day"]


async def test_a_mode_is_undone_only_as_the_last_change_of_mode(tmp_path: Path) -> None:
    async with at_work(tmp_path, []) as foreman:
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        second, first = await foreman.undoable()
        with pytest.raises(InvalidConfig, match=f"undo {second.act} first"):
            await foreman.undo(first.act)
        assert (await foreman.view()).mode == Mode.DIRECTOR


@pytest.mark.parametrize(
    "text", ["\ufeff# Theme\r\n\r\n## Central theme\r\nTrust\r\n", "## Central theme\rTrust\r", "x\n"]
)
async def test_bytes_come_back_as_they_were(tmp_path: Path, text: str) -> None:
    theme(tmp_path).parent.mkdir()
    theme(tmp_path).write_bytes(text.encode())
    status = acting("update_status", template="theme", status="in_progress")
    async with at_work(tmp_path, [saying("One.", THEME, status)]) as foreman:
        await heard(foreman, "Debt.")
        assert b"Debt" in theme(tmp_path).read_bytes()
        while (await foreman.conversation()).undoable:
            await foreman.undo()
    assert theme(tmp_path).read_bytes() == text.encode()


async def test_a_scene_comes_back_to_the_byte(tmp_path: Path) -> None:
    fill_the_bible(tmp_path)
    scene = tmp_path / "manuscript" / "ch01-sc01.md"
    scene.parent.mkdir()
    scene.write_bytes(b"\xef\xbb\xbfShe ran.\r\n\r\nShe fell.\r\n")
    edit = acting("apply_edit", target="ch01-sc01", find="She ran.", replace="She walked.")
    async with at_work(tmp_path, [saying("So.", edit)]) as foreman:
        for _ in range(3):
            await foreman.change_mode(force=True)
        await heard(foreman, "Slower.")
        assert b"She walked." in scene.read_bytes()
        await foreman.undo()
    assert scene.read_bytes() == b"\xef\xbb\xbfShe ran.\r\n\r\nShe fell.\r\n"


PARTS = st.sampled_from(["a", "\r", "\n", "\r\n", "## Central theme", "\ufeff", "b c"])


@given(st.lists(PARTS, max_size=12).map("".join))
def test_any_page_comes_back_to_the_byte(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = theme(Path(folder))
        path.parent.mkdir()
        path.write_bytes(text.encode())
        bible = StoryBible(Path(folder))
        first = bible.write("theme", {"central_theme": "Debt"})
        second = bible.set_status("theme", "in_progress")
        bible.restore(second)
        bible.restore(first)
        assert path.read_bytes() == text.encode()


async def test_a_status_respects_a_page_that_changed_meanwhile(tmp_path: Path) -> None:
    fill_the_bible(tmp_path)

    def meanwhile(request: ModelRequest) -> str:
        theme(tmp_path).write_text("## Central theme\nMy own\n", encoding="utf-8")
        return saying("Noted.", acting("update_status", template="theme", status="in_progress"))

    async with at_work(tmp_path, meanwhile) as foreman:
        events = await heard(foreman, "How does the theme stand?")
        assert theme(tmp_path).read_text(encoding="utf-8") == "## Central theme\nMy own\n"
        assert "was changed meanwhile and stays as it is" in str(events)


async def test_a_text_saved_beside_that_the_writer_edited_is_not_thrown_away(tmp_path: Path) -> None:
    theme(tmp_path).parent.mkdir()
    theme(tmp_path).write_text("## Central theme\nTrust\n", encoding="utf-8")

    def meanwhile(request: ModelRequest) -> str:
        theme(tmp_path).write_text("## Central theme\nMy own\n", encoding="utf-8")
        return saying("Debt, then.", THEME)

    async with at_work(tmp_path, meanwhile) as foreman:
        await heard(foreman, "Debt.")
        beside = tmp_path / "story-bible" / "theme.from-foreman-1.md"
        beside.write_text("edited", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="from-foreman-1"):
            await foreman.undo()
        assert beside.read_text(encoding="utf-8") == "edited"
