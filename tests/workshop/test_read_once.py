"""A turn reads a file once, however many answers and actions it has, and the event loop is not held up by it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.book import manuscript
from dramaturg.workshop.book.files_seen import FilesSeen
from dramaturg.workshop.book.modes import Mode
from tests.workshop.workroom import acting, at_work, fill_the_bible, heard, saying

SCENES = 60
LATER = 4e9


def write_book(project: Path) -> None:
    fill_the_bible(project)
    folder = project / "manuscript"
    folder.mkdir()
    for number in range(1, SCENES + 1):
        text = f"---\nbeat: {number % 15 + 1}\n---\nElena walks, {number}.\n"
        (folder / f"ch{number:02}-sc01.md").write_text(text, encoding="utf-8")


def deciding(number: int) -> str:
    return acting("save_decision", category="world", key=f"rule_{number}", value=f"Rule {number}")


async def test_a_turn_of_twelve_actions_reads_every_file_once_and_what_it_writes_again(tmp_path: Path) -> None:
    write_book(tmp_path)
    answer = saying("Done.", *(deciding(number) for number in range(12)))
    model = ScriptedModel([answer, answer.replace("Rule", "Law"), saying("Yes.")])
    async with at_work(tmp_path, model, clock=StillClock(LATER)) as foreman:
        for mode in (Mode.VOICE_CALIBRATION, Mode.DIRECTOR):
            await foreman.change_mode(mode, force=True)
        await heard(foreman, "Decide.")
        cache = foreman._sources.cache
        first = cache.reads
        assert first <= SCENES + 12  # each file once, a page of the bible and the scene at hand twice
        await heard(foreman, "Decide again.")
        assert cache.reads == first
        scene = tmp_path / "manuscript" / "ch07-sc01.md"
        scene.write_text("Elena runs.\n", encoding="utf-8")
        await heard(foreman, "And now?")
        assert cache.reads - first <= 3


async def test_an_edit_between_two_prompts_is_seen_even_if_its_time_and_length_are_the_same(tmp_path: Path) -> None:
    write_book(tmp_path)
    model = ScriptedModel([saying("One."), saying("Two.")])
    async with at_work(tmp_path, model, clock=StillClock(LATER)) as foreman:
        scene = tmp_path / "manuscript" / "ch07-sc01.md"
        before = scene.stat()
        await heard(foreman, "Look.")
        seen = (await foreman.conversation()).seen["manuscript/ch07-sc01.md"]
        scene.write_text(scene.read_text(encoding="utf-8").replace("walks", "waits"), encoding="utf-8")
        os.utime(scene, ns=(before.st_atime_ns, before.st_mtime_ns))
        await heard(foreman, "Look again.")
        assert (await foreman.conversation()).seen["manuscript/ch07-sc01.md"] != seen


async def test_a_prompt_tells_the_log_of_the_files_that_changed_and_of_no_others(tmp_path: Path) -> None:
    write_book(tmp_path)
    model = ScriptedModel([saying("One."), saying("Two."), saying("Three.")])
    async with at_work(tmp_path, model, clock=StillClock(LATER)) as foreman:
        await heard(foreman, "Look.")
        await heard(foreman, "Look again.")
        (tmp_path / "manuscript" / "ch07-sc01.md").write_text("Elena runs.\n", encoding="utf-8")
        await heard(foreman, "And now?")
        state = await foreman.conversation()
    first, second, third = (prompt.files for prompt in state.prompts)
    assert first is not None
    assert len(first.changed) > SCENES
    assert second == FilesSeen()
    assert third is not None
    assert set(third.changed) == {"manuscript/ch07-sc01.md"}
    assert set(state.seen) == set(first.changed)


async def test_scenes_are_read_outside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(tmp_path)
    threads = set()
    read_page = manuscript.read_page

    def seen(path: str, text: str) -> object:
        threads.add(threading.current_thread())
        return read_page(path, text)

    monkeypatch.setattr(manuscript, "read_page", seen)
    missing = acting("read_scene", target="ch99-sc99")
    async with at_work(tmp_path, [saying("One.", deciding(1), missing)]) as foreman:
        shown = await heard(foreman, "Look.")
        assert "ch99-sc99.md (there is: manuscript/ch01-sc01.md" in str(shown)
        await foreman.view()
    assert threads
    assert threading.main_thread() not in threads
