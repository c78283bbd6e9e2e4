"""Whatever moment the process dies at: nothing typed is lost, nothing is paid for twice, and undo still works."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.events import ForemanRun
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.manuscripts.front import ExportWish
from dramaturg.workshop.turn_context import ForemanPerformance
from tests import warm
from tests.log_wait import wait
from tests.workshop.manuscripts.word_editor import WordEditor
from tests.workshop.workroom import acting, at_work, heard, saying

FLAW = acting("save_decision", category="character", key="flaw", value="pride")
THEME = acting("write_template", template="theme", content="<central_theme>Debt</central_theme>")
ANSWER = saying("Written.", FLAW, THEME, acting("update_status", template="theme", status="in_progress"))


class Death(BaseException):
    """What nobody catches."""


def mortal(foreman: Workshop, at: int, *, before: bool) -> None:
    """Lets the Foreman die at its n-th write: just before it reaches the log, or just after."""
    perform, count = foreman.kind.perform, 0

    def performed(run: ForemanRun) -> ForemanPerformance:
        performance = perform(run)
        write = performance.write

        async def dying(*events: Event) -> tuple[Entry[Event], ...]:
            nonlocal count
            count += bool(events)
            if count == at and before:
                raise Death
            entries = await write(*events)
            if count == at:
                raise Death
            return entries

        performance.write = dying  # type: ignore[method-assign]
        return performance

    foreman.kind.perform = performed  # type: ignore[method-assign]


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("at", range(2, 10))
async def test_a_turn_that_was_killed_anywhere_is_finished_by_the_next_process(
    tmp_path: Path, at: int, before: bool
) -> None:
    (tmp_path / "story-bible").mkdir()
    theme = tmp_path / "story-bible" / "theme.md"
    theme.write_text("## Central theme\nMine\n", encoding="utf-8")
    first, second = ScriptedModel([ANSWER]), ScriptedModel([ANSWER, saying("And on.")])
    async with at_work(tmp_path, first) as foreman:
        mortal(foreman, at, before=before)
        talk = asyncio.create_task(heard(foreman, "Debt, and pride."))
        async with asyncio.timeout(240):
            while not (await foreman.conversation()).turns:
                await asyncio.sleep(0)
            await foreman.settled()
        talk.cancel()
        await asyncio.gather(talk, return_exceptions=True)
    async with at_work(tmp_path, second) as foreman:
        events = [event async for event in foreman.finish()]
        state = await foreman.conversation()
        assert state.open_turns == ()
        assert state.turns[1].spoke.text == "Debt, and pride."
        assert len(first.requests) + len(second.requests) == 1
        assert [one.value for one in await foreman.history("flaw")] == ["pride"]
        assert "Debt" in theme.read_text(encoding="utf-8")
        assert sorted(path.name for path in theme.parent.iterdir()) == ["theme.md"]
        assert len(state.turns[1].done) == 3
        assert not events or events[-1].event == "done"
        for _ in range(3):
            await foreman.undo()
        assert theme.read_text(encoding="utf-8") == "## Central theme\nMine\n"
        assert await foreman.decisions() == ()


PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.workshop.workroom import at_work, heard
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.models.profiles import profile_of

class Slow:
    profile = profile_of("rehearsal")
    name = "slow"
    async def stream(self, request):
        yield "<message>" + "Half an answer, and then some more of it. " * 8
        print("speaking", flush=True)
        await asyncio.sleep(60)

async def main():
    async with at_work(Path(sys.argv[1]), Slow()) as foreman:
        await heard(foreman, "What I typed.")

asyncio.run(main())
"""


async def test_after_kill_9_the_message_is_there_and_what_was_heard_of_the_answer_too(tmp_path: Path) -> None:
    process = await warm.start(
        "-c", PROGRAM, str(tmp_path), stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2]
    )  # fmt: skip
    assert process.stdout is not None
    store = await open_store(Settings(project=tmp_path))
    run = id_for("foreman", "main")
    async with asyncio.timeout(240):
        assert await process.stdout.readline() == b"speaking\n"
        while not any(row.type == "answer.pieces" for row in await store.journal.read(run)):
            await wait(store.journal, run, len(await store.journal.read(run)), 1.0)
    await store.close()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    async with at_work(tmp_path, [saying("Whole.")]) as foreman:
        assert (await foreman.view()).unanswered == (1,)
        events = [event async for event in foreman.finish()]
        assert events[-1].event == "done"
        state = await foreman.conversation()
        assert state.turns[1].spoke.text == "What I typed."
        assert state.turns[1].message == "Whole."
    store = await open_store(Settings(project=tmp_path))
    assert any(b"Half an answer" in row.body for row in await store.journal.read(run))
    await store.close()


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, 5))
async def test_changes_from_word_are_made_whole_or_taken_back_and_each_text_is_a_version(
    tmp_path: Path, at: int, before: bool
) -> None:
    scenes = {"ch01-sc01": b"Ruth came.\r\n", "ch01-sc02": b"Ruth went.\r\n"}
    (tmp_path / "manuscript").mkdir()
    for name, data in scenes.items():
        (tmp_path / f"manuscript/{name}.md").write_bytes(data)

    def held() -> dict[str, bytes]:
        return {name: (tmp_path / f"manuscript/{name}.md").read_bytes() for name in scenes}

    async with at_work(tmp_path, []) as foreman:
        editor = WordEditor((await foreman.manuscripts.export(ExportWish("docx"))).data)
    editor.replace("came", "fell")
    editor.replace("went", "stayed")
    async with at_work(tmp_path, []) as foreman:
        mortal(foreman, at, before=before)
        with pytest.raises(Death):
            await foreman.accept_review("edited.docx", editor.saved(), None)
    async with at_work(tmp_path, []) as foreman:
        await foreman.decide(NewDecision(category="world", key="tide", value="twice a day"))
        undone = [name for name, data in held().items() if data == scenes[name]]
        rows = [row for row in await foreman.undoable() if "edited.docx" in row.said]
        assert len(rows) == 2 - len(undone)
        for name in set(scenes) - set(undone):
            first = (await foreman.versions.versions(name)).versions[0]
            assert (await foreman.versions.text(name, first.number)).text.encode() == scenes[name]
        for row in rows:
            await foreman.undo(row.act)
        assert held() == scenes
