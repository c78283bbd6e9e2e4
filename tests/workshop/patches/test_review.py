"""The writer reviews patches one by one, and the file changes in nothing else, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.patches.patch import Patch, PatchSource, quoted_patch
from tests.workshop.workroom import at_work, heard, saying

SCENE = (
    "\ufeff---\r\nbeat: Midpoint\r\n---\r\n\r\nRuth put the letter down.   \r\nThe harbour was quiet.\r\n\r\n"
    "“You never asked,” said Tom.\tHe did not look at her.\n\nThe rain began again. The harbour was quiet.  "
)
PATH = "manuscript/ch01-sc01.md"


def write(project: Path, text: str = SCENE, path: str = PATH) -> Path:
    place = project / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    return place


def quoted(old: str, new: str, text: str = SCENE, path: str = PATH) -> Patch:
    return quoted_patch(path, text, old, new, reason="shorter", issue="flat")


async def propose(foreman: Workshop, *patches: Patch, act: str = "t1") -> None:
    await foreman.patches.propose(act, "A test", PatchSource(name="m", purpose="test"), patches)


def text_of(place: Path) -> str:
    return place.read_bytes().decode()


async def test_accepted_patches_change_their_words_and_nothing_else_to_the_byte(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("put the letter", "laid the letter"), quoted("look at her", "look"))
        assert text_of(place) == SCENE
        done = await foreman.patches.accept([1, 2])
        assert (done.accepted, done.waiting, done.files) == ((1, 2), (), (PATH,))
    assert text_of(place) == SCENE.replace("put the", "laid the").replace("look at her", "look")


async def test_new_lines_of_a_patch_are_those_of_the_file(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("down.   \nThe harbour", "down.\n\nThe harbour"))
        await foreman.patches.accept([1])
        assert "down.\r\n\r\nThe harbour was quiet.\r\n\r\n“You" in text_of(place)
        await foreman.undo("p1")
    assert text_of(place) == SCENE


async def test_accepted_patches_are_undone_alone_and_out_of_order(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("asked", "told me"), quoted("began again", "fell"))
        await foreman.patches.accept([3, 1, 2])
        await foreman.undo("p1")
        assert text_of(place) == SCENE.replace("asked", "told me").replace("began again", "fell")
        await foreman.undo("p3")
        await foreman.undo()
        assert text_of(place) == SCENE
        again = await foreman.patches.accept([1])
        assert again.accepted == (1,)
        assert [row.act for row in await foreman.undoable()] == ["p1-2"]


async def test_a_patch_is_undone_after_the_writer_edited_another_passage(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        await foreman.patches.accept([1, 2])
        edited = text_of(place).replace("said Tom", "Tom said, after a while").replace("The rain fell", "Rain came")
        place.write_bytes(edited.encode())
        listed = {one.number: one.problem for one in (await foreman.patches.patches(every=True)).patches}
        assert listed[1] == ""
        assert "have been rewritten since" in listed[2]
        await foreman.undo("p1")
        assert text_of(place) == edited.replace("She put", "Ruth put")
        with pytest.raises(InvalidConfig, match="rewritten since"):
            await foreman.undo("p2")


async def test_a_patch_over_another_is_undone_before_it(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put the letter down", "She laid the old letter down"))
        await foreman.patches.accept([1])
        await propose(foreman, quoted("old letter", "page", text_of(place)), act="t2")
        await foreman.patches.accept([2])
        with pytest.raises(InvalidConfig, match=r"Patch 2 changes its words; undo that one first: .* undo p2"):
            await foreman.undo("p1")
        await foreman.undo("p2")
        await foreman.undo("p1")
    assert text_of(place) == SCENE


async def test_words_that_are_gone_or_stand_twice_wait_and_say_so(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("harbour was quiet", "harbour slept"), quoted("Nobody said this", "x"))
        problems = [one.problem for one in (await foreman.patches.patches()).patches]
        assert problems[0].startswith("Its words stand there 2 times")
        assert problems[1] == "Its words no longer stand there."
        done = await foreman.patches.accept([1, 2])
        assert (done.accepted, [one.number for one in done.waiting]) == ((), [1, 2])
        assert text_of(place) == SCENE
        chosen = await foreman.patches.accept([1], nth=2)
        assert chosen.accepted == (1,)
        assert text_of(place) == SCENE[:-25] + SCENE[-25:].replace("was quiet", "slept")
        with pytest.raises(InvalidConfig, match="one patch at a time"):
            await foreman.patches.accept([1, 2], nth=1)


async def test_patches_that_overlap_are_not_both_made(tmp_path: Path) -> None:
    write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("did not look", "looked away"), quoted("not look at her", "not move"))
        done = await foreman.patches.accept([1, 2])
        assert (done.accepted, [one.number for one in done.waiting]) == ((1,), [2])


async def test_a_rejected_patch_is_out_of_the_list_and_can_be_taken_later(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"))
        await foreman.patches.reject([1], "her name stays")
        assert (await foreman.patches.patches()).patches == ()
        assert [one.state for one in (await foreman.patches.patches(every=True)).patches] == ["rejected"]
        await foreman.patches.accept([1])
        with pytest.raises(InvalidConfig, match=r"accepted\. Undo it first"):
            await foreman.patches.reject([1])
        with pytest.raises(InvalidConfig, match="accepted already"):
            await foreman.patches.accept([1])
        with pytest.raises(NotFound, match=r"no patch 9 \(waiting: none\)"):
            await foreman.patches.accept([9])
    assert "She put" in text_of(place)


async def test_a_patch_follows_its_file_to_another_name_and_is_undone_there(tmp_path: Path) -> None:
    place = write(tmp_path)
    write(tmp_path, "Another scene. Nothing of it is the same.\n", "manuscript/ch09-sc09.md")
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        moved = place.rename(tmp_path / "manuscript" / "ch02-sc07.md")
        assert {one.file for one in (await foreman.patches.patches()).patches} == {"manuscript/ch02-sc07.md"}
        done = await foreman.patches.accept([1, 2])
        assert done.files == ("manuscript/ch02-sc07.md",)
        again = moved.rename(tmp_path / "manuscript" / "ch03-sc01.md")
        await foreman.undo("p1")
        assert text_of(again) == SCENE.replace("began again", "fell")
        assert [one.number for one in (await foreman.versions.versions("ch03-sc01")).versions] == [1, 2, 3]
        again.unlink()
        with pytest.raises(InvalidConfig, match=r"There is no manuscript/ch03-sc01\.md"):
            await foreman.undo("p2")
        gone = await foreman.patches.accept([1])
        assert "There is no manuscript/ch01-sc01.md" in gone.waiting[0].why


async def test_a_new_text_for_a_scene_that_exists_waits_as_patches(tmp_path: Path) -> None:
    old = "One grey morning Ruth came home. She saw nobody.\n\nThe door was open.\n\n“Hello?” she said.\n"
    place = write(tmp_path, old)
    new = 'One grey morning Ruth came back. She saw nobody.\n\nThe door stood open.\n\n"Hello?" she said.\n\nNobody.'
    update = f'<content_update target="ch01-sc01">\n{new}\n</content_update>'
    fresh = '<content_update target="ch01-sc02">\nA first draft.\n</content_update>'
    async with at_work(tmp_path, [saying("Here.", update, fresh), saying("Again.", update)]) as foreman:
        for _ in range(2):
            await foreman.change_mode(force=True)
        events = await heard(foreman, "Rewrite it.")
        assert text_of(place) == old
        assert (tmp_path / "manuscript" / "ch01-sc02.md").read_text(encoding="utf-8") == "A first draft.\n"
        assert "patches 1 to 3 wait for the writer" in str(events)
        listed = (await foreman.patches.patches()).patches
        assert [(one.old, one.new) for one in listed] == [("home", "back"), ("was", "stood"), ("", "\n\nNobody.")]
        assert {one.source.purpose for one in listed} == {"content_update"}
        await foreman.patches.accept([1, 3])
        assert text_of(place) == old.replace("home", "back").replace("said.\n", "said.\n\nNobody.\n")
        await heard(foreman, "Once more.")
        assert [(one.old, one.new) for one in (await foreman.patches.patches()).patches][-1:] == [("was", "stood")]


async def test_a_patch_does_not_go_into_words_that_its_own_set_brought(tmp_path: Path) -> None:
    first = "The lamp was lit at dusk by the old keeper, and nobody saw it from the sea that night."
    old = f"{first}\n\nRuth came home late and alone.\n\nNobody had waited for her in the kitchen.\n"
    place = write(tmp_path, old)
    new = (
        f"Ruth came home late and alone.\n\nNobody had waited for her in the kitchen.\n\n{first.replace('lit', 'out')}"
    )
    update = f'<content_update target="ch01-sc01">\n{new}\n</content_update>'
    async with at_work(tmp_path, [saying("Here.", update)]) as foreman:
        for _ in range(2):
            await foreman.change_mode(force=True)
        await heard(foreman, "Move it to the end.")
        numbers = [one.number for one in (await foreman.patches.patches()).patches]
        await foreman.patches.accept(numbers[::-1])
        assert text_of(place).strip() == new
        for number in numbers:
            await foreman.undo(f"p{number}")
        assert text_of(place) == old
