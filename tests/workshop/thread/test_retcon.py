"""A retcon is one set of patches: previewed, accepted one by one, undone as one, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.thread.literal import ELSE
from dramaturg.workshop.thread.retcon import Retcon
from tests.workshop.revision_cases import patch
from tests.workshop.thread.books import held, write_book
from tests.workshop.workroom import at_work

EYES = "Ruth eye colour green"
SEA = "Her eyes were the colour of the sea in March."


async def retconned(foreman: Workshop, **request: Any) -> Retcon:
    run = await foreman.works.start("retcon", foreman.works.read("retcon", {"fact": EYES, "value": "grey", **request}))
    await foreman.works.wait(run.id)
    found = foreman.works.kind("retcon").result(await foreman._resources.runs.open(run.id))
    assert isinstance(found, Retcon)
    return found


async def test_where_the_old_value_stands_word_for_word_it_is_one_set_of_patches(tmp_path: Path) -> None:
    before = held(write_book(tmp_path))
    async with at_work(tmp_path) as foreman:
        found = await retconned(foreman, rewords=False)
        assert held(tmp_path) == before
        shown = (await foreman.patches.patches()).patches
    assert {(one.path, one.old, one.new) for one in found.patches} == {
        ("manuscript/ch01-sc01.md", "green", "grey"),
        ("manuscript/ch01-sc02.md", "green", "grey"),
        ("manuscript/ch01-sc02.md", "Green", "Grey"),
        ("scaffolds/ch01-sc01.md", "green", "grey"),
        ("story-bible/ruth.md", "green", "grey"),
    }
    assert {one.set for one in shown} == {1}
    assert len(shown) == len(found.patches)
    assert not any(one.problem for one in shown)
    assert [one.quote for one in found.to_look_at] == [SEA]


@pytest.mark.parametrize(
    ("prose", "patched", "left"),
    [
        ("Amparo miró el mar. «Gris», pensó, «todo es gris menos el reloj».", 0, 1),
        ("Amparo calló, y sus ojos grises no se movieron.\n\nAmparo tenía un ojo gris.", 1, 0),
        ("Amparo watched the sky. It was gris, she said.", 0, 1),
        ("Amparo regardait la mer. Ses yeux, d’un gris pâle, ne bougeaient pas.", 1, 0),
        ("Amparo schwieg. Der Morgen war gris.\n\nAmparo hatte Augen, gris und weit.", 1, 1),
        ("Amparo, глаза gris, молчала.", 1, 0),
    ],
)
async def test_a_sentence_about_something_else_of_that_colour_is_left(
    tmp_path: Path, prose: str, patched: int, left: int
) -> None:
    page = "---\nname: Amparo\nfacts:\n  - {subject: Amparo, predicate: eye_colour, object: gris}\n---\n"
    scene = f"---\ncast: [Amparo]\n---\n{prose}\n"
    write_book(tmp_path, {"story-bible/amparo.md": page, "manuscript/ch01-sc01.md": scene})
    async with at_work(tmp_path) as foreman:
        found = await retconned(foreman, fact="Amparo eye colour", value="azul", rewords=False)
    assert sum(one.path.startswith("manuscript/") for one in found.patches) == patched
    assert sum(one.why == ELSE for one in found.to_look_at) == left


async def test_the_set_is_accepted_one_by_one_and_undone_as_one(tmp_path: Path) -> None:
    before = held(write_book(tmp_path))
    async with at_work(tmp_path) as foreman:
        await retconned(foreman, rewords=False)
        numbers = [one.number for one in (await foreman.patches.patches()).patches]
        for number in numbers[:3]:
            await foreman.patches.accept([number])
        await foreman.patches.accept(numbers[3:])
        assert "green" not in (tmp_path / "story-bible/ruth.md").read_text("utf-8")
        assert "the green boat" in (tmp_path / "manuscript/ch01-sc01.md").read_text("utf-8")
        undone = await foreman.undo("s1")
        assert held(tmp_path) == before
        assert undone.said == f"Taken back: {len(numbers)} patches of set 1."
        with pytest.raises(NotFound, match="Nothing of set 1 is accepted"):
            await foreman.undo("s1")
        with pytest.raises(NotFound, match=r"no set 's9' \(there is: s1\)"):
            await foreman.undo("s9")


async def test_a_set_of_which_one_patch_was_rewritten_is_not_undone_in_part(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        await retconned(foreman, rewords=False)
        await foreman.patches.accept([one.number for one in (await foreman.patches.patches()).patches])
        page = tmp_path / "scaffolds/ch01-sc01.md"
        page.write_text(page.read_text("utf-8").replace("grey", "hazel"), encoding="utf-8")
        now = held(tmp_path)
        with pytest.raises(InvalidConfig, match=r"rewritten since.*Nothing of set 1 was undone"):
            await foreman.undo("s1")
        assert held(tmp_path) == now


async def test_after_the_retcon_the_graph_says_the_new_value(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        await retconned(foreman, rewords=False)
        await foreman.patches.accept([one.number for one in (await foreman.patches.patches()).patches])
        found = await foreman.thread.pull("Ruth eye colour grey")
        assert found.fact is not None
        assert (await foreman.thread.pull(EYES)).fact is None


async def test_a_sentence_in_other_words_is_put_to_a_model_that_quotes_it(tmp_path: Path) -> None:
    write_book(tmp_path)
    asked: list[ModelRequest] = []

    def model(request: ModelRequest) -> str:
        asked.append(request)
        elsewhere = patch("Will opened the door.", "Will shut the door.")
        return patch("the colour of the sea in March", "the colour of slate") + elsewhere + patch("not there", "x")

    async with at_work(tmp_path, model) as foreman:
        found = await retconned(foreman)
    assert [one.key for one in asked] == ["manuscript/ch01-sc02.md"]
    assert SEA in asked[0].system
    assert "now: grey" in asked[0].system
    reworded = [one for one in found.patches if one.old == "the sea in March"]
    assert [one.new for one in reworded] == ["slate"]
    assert not any("door" in one.old for one in found.patches)
    assert found.to_look_at == ()


async def test_a_model_that_only_talks_leaves_the_sentence_to_be_looked_at(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path, lambda request: "I would rather not.") as foreman:
        found = await retconned(foreman)
    assert [one.quote for one in found.to_look_at] == [SEA]
    assert found.patches


async def test_a_file_with_windows_line_breaks_keeps_them(tmp_path: Path) -> None:
    write_book(tmp_path)
    place = tmp_path / "manuscript/ch01-sc01.md"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    async with at_work(tmp_path) as foreman:
        found = await retconned(foreman, rewords=False)
        shown = (await foreman.patches.patches()).patches
        await foreman.patches.accept([one.number for one in shown])
    assert place.read_bytes().count(b"\r\n") == place.read_bytes().count(b"\n") > 3
    assert b"her grey eyes" in place.read_bytes()
    assert found.said.endswith("Nothing is changed yet: dramaturg foreman patches.")


async def test_a_retcon_without_a_value_or_of_several_facts_is_refused(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        for request, why in (({"value": " "}, "needs the new value"), ({"fact": "Ruth"}, "must name one fact")):
            given = foreman.works.read("retcon", {"fact": EYES, "value": "grey", **request})
            with pytest.raises(InvalidConfig, match=why):
                await foreman.works.price("retcon", given)


async def test_a_decision_is_left_and_the_command_that_changes_it_is_told(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        for key, value, category in (
            ("ruth_eye_colour", "green", "character"),
            ("disguise", "Ruth's green eyes are hidden", "world"),
            ("vow", "Ruth never lies", "character"),
        ):
            await foreman.decide(NewDecision.model_validate({"category": category, "key": key, "value": value}))
        found = await retconned(foreman, rewords=False)
        said = {one.where: one.why for one in found.to_look_at if one.where.startswith("decision")}
        assert said == {
            "decision 1": "It is left as it is. Decide anew: "
            "dramaturg foreman decide ruth_eye_colour grey --category character",
            "decision 2": "It is left as it is. Decide anew: "
            """dramaturg foreman decide disguise 'Ruth'"'"'s grey eyes are hidden' --category world""",
        }
        assert "3 (2 decisions) to be looked at" in found.said
        assert next(one.value for one in await foreman.decisions()) == "green"
