"""A process that dies at any write of a review leaves the book so that the next one comes to the same end."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from dramaturg.kernel.store import Store
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.works.table import WORKS
from tests.workshop.patches.test_review import SCENE, propose, quoted, text_of, write
from tests.workshop.revision_cases import PATH, story
from tests.workshop.workroom import at_work
from tests.workshop.works.mortal import Death, Life, MortalStore

MADE = SCENE.replace("Ruth put", "She put").replace("began again", "fell")


def mortal(life: Life, store: Store) -> Store:
    return MortalStore(store, life)  # type: ignore[return-value]


async def review(foreman: Workshop) -> None:
    """The writer accepts two patches, one at a time, and undoes the first, as far as that is not done yet."""
    states = {one.number: one.state for one in (await foreman.patches.patches(every=True)).patches}
    for number in (1, 2):
        if states[number] == "waiting":
            await foreman.patches.accept([number])
    if states[1] != "undone":
        await foreman.undo("p1")


async def test_a_review_that_dies_at_any_write_ends_the_same(tmp_path: Path) -> None:
    counted = Life()
    whole = tmp_path / "whole"
    write(whole)
    async with at_work(whole) as foreman:
        await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
    async with at_work(whole, opened=partial(mortal, counted)) as foreman:
        await review(foreman)
    wanted = SCENE.replace("began again", "fell")
    assert text_of(whole / PATH) == wanted
    tried = 0
    for at in range(1, counted.writes + 1):
        for before in (True, False):
            folder = tmp_path / f"{at}-{before}"
            place = write(folder)
            async with at_work(folder) as foreman:
                await propose(foreman, quoted("Ruth put", "She put"), quoted("began again", "fell"))
            with suppress(Death):
                async with at_work(folder, opened=partial(mortal, Life(at, before=before))) as foreman:
                    await review(foreman)
            assert text_of(place) in (SCENE, SCENE.replace("Ruth put", "She put"), MADE, wanted)
            async with at_work(folder) as foreman:
                await review(foreman)
                versions = (await foreman.versions.versions("ch01-sc01")).versions
            assert text_of(place) == wanted, (at, before)
            assert [one.number for one in versions] == [1, 2, 3, 4], (at, before)
            tried += 1
    assert tried == 2 * counted.writes >= 16


async def test_what_an_enhancement_proposes_is_taken_in_once_wherever_that_dies(tmp_path: Path) -> None:
    for at in range(1, 9):
        folder = tmp_path / str(at)
        story(folder)
        async with at_work(folder, works=WORKS) as foreman:
            request = foreman.works.read("enhancement", {"scene": "ch01-sc01", "mode": "six_pass"})
            run = await foreman.works.start("enhancement", request)
            await foreman.works.wait(run.id)
        with suppress(Death):
            async with at_work(folder, works=WORKS, opened=partial(mortal, Life(at))) as foreman:
                await foreman.patches.patches()
        async with at_work(folder, works=WORKS) as foreman:
            numbers = [one.number for one in (await foreman.patches.patches()).patches]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) == 2
