"""Every text that the log has of a scene is a version: listed, compared, restored, and never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.patches.review import EDITED, FOUND
from tests.workshop.patches.test_review import SCENE, propose, quoted, text_of, write
from tests.workshop.workroom import acting, at_work, heard, saying


async def test_accepted_patches_leave_versions_that_are_compared_and_restored(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        await foreman.patches.accept([1])
        await foreman.patches.accept([2])
        listed = await foreman.versions.versions("ch01-sc01")
        assert [(one.number, one.said, one.patches, one.is_current) for one in listed.versions] == [
            (1, FOUND, (), False),
            (2, "Accepted: 1.", (1,), False),
            (3, "Accepted: 2.", (1, 2), True),
        ]
        found = await foreman.versions.compare("ch01-sc01", 1, 3)
        assert (found.added, found.removed) == (2, 3)
        back = await foreman.versions.restore("Chapter 1, Scene 1", 1)
        assert (back.version, back.restored) == (4, 1)
        assert text_of(place) == SCENE
        assert (await foreman.versions.text("ch01-sc01", 3)).text == SCENE.replace("Ruth put", "She put").replace(
            "began again", "fell"
        )


async def test_restoring_a_version_brings_its_patches_back_and_takes_the_others_out(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        await foreman.patches.accept([1, 2])
        await foreman.versions.restore("ch01-sc01", 1)
        states = {one.number: one.state for one in (await foreman.patches.patches(every=True)).patches}
        assert states == {1: "undone", 2: "undone"}
        assert await foreman.undoable() == ()
        await foreman.versions.restore("ch01-sc01", 2)
        assert [row.act for row in await foreman.undoable()] == ["p2", "p1"]
        await foreman.undo("p1")
    assert text_of(place) == SCENE.replace("began again", "fell")


async def test_an_edit_of_the_writers_is_a_version_before_it_is_replaced(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"))
        await foreman.patches.accept([1])
        place.write_text("Something else entirely.\n", encoding="utf-8")
        assert (await foreman.versions.versions("ch01-sc01")).edited
        await foreman.versions.restore("ch01-sc01", 2)
        listed = (await foreman.versions.versions("ch01-sc01")).versions
        assert [one.said for one in listed] == [FOUND, "Accepted: 1.", EDITED, "Restored version 2."]
        assert (await foreman.versions.text("ch01-sc01", 3)).text == "Something else entirely.\n"
        with pytest.raises(InvalidConfig, match="has the text of version 2 already"):
            await foreman.versions.restore("ch01-sc01", 2)
        with pytest.raises(NotFound, match=r"has no version 7 \(there is: 1 to 4\)"):
            await foreman.versions.restore("ch01-sc01", 7)
        with pytest.raises(NotFound, match=r"There is no manuscript/ch99-sc01\.md"):
            await foreman.versions.versions("ch99-sc01")


async def test_a_text_that_the_foreman_replaces_is_a_version_too(tmp_path: Path) -> None:
    write(tmp_path)
    edit = acting("apply_edit", target="ch01-sc01", find="began again", replace="fell")
    async with at_work(tmp_path, [saying("Here.", edit)]) as foreman:
        for _ in range(3):
            await foreman.change_mode(force=True)
        await heard(foreman, "Shorter.")
        assert text_of(tmp_path / "manuscript" / "ch01-sc01.md") == SCENE.replace("began again", "fell")
        assert (await foreman.versions.text("ch01-sc01", 1)).text == SCENE
        assert (await foreman.versions.versions("ch01-sc01")).edited


class FullDisk(PatchedFiles):
    """Files that can be read and not written."""

    def put(self, path: str, before: str, text: str) -> None:
        raise StoreUnavailable("The disk is full.")


async def test_a_change_that_is_logged_and_not_written_is_made_by_the_next_process(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        foreman.patches.files = FullDisk(tmp_path)
        with pytest.raises(StoreUnavailable):
            await foreman.patches.accept([1])
        assert text_of(place) == SCENE
    async with at_work(tmp_path) as foreman:
        await foreman.patches.reject([2])
        assert text_of(place) == SCENE.replace("Ruth put", "She put")
        assert [row.act for row in await foreman.undoable()] == ["p1"]
        await foreman.undo()
    assert text_of(place) == SCENE


async def test_a_change_that_was_not_written_is_not_made_over_an_edit_of_the_writers(tmp_path: Path) -> None:
    place = write(tmp_path)
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
        foreman.patches.files = FullDisk(tmp_path)
        with pytest.raises(StoreUnavailable):
            await foreman.patches.accept([1])
    edited = SCENE.replace("said Tom", "Tom said")
    place.write_bytes(edited.encode())
    async with at_work(tmp_path) as foreman:
        await foreman.patches.reject([2])
        assert text_of(place) == edited
        assert (await foreman.versions.text("ch01-sc01", 2)).text == SCENE.replace("Ruth put", "She put")


async def test_accepted_words_are_in_the_graph(tmp_path: Path) -> None:
    text = "---\ncast: [Ruth, Tom]\n---\n\nRuth saw nobody.\n"
    write(tmp_path, text)
    write(tmp_path, "---\nname: Ruth\n---\n", "story-bible/protagonist.md")
    async with at_work(tmp_path) as foreman:
        await propose(foreman, quoted("cast: [Ruth, Tom]", "cast: [Ruth, Tom, Ada]", text))
        await foreman.patches.accept([1])
        assert "Ada" in {one.name for one in (await foreman.graph._store.load()).entities}
