"""A variant or a hybrid becomes the scene: written anew with an undo and a version, never over prose that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.front import Workshop
from tests.workshop.drafts.cases import REQUEST, book, drafted, written
from tests.workshop.workroom import at_work

SCENE = "manuscript/ch04-sc02.md"


def body(project: Path) -> str:
    return (project / SCENE).read_bytes().decode().partition("\n---\n\n")[2]


async def accept_all(foreman: Workshop) -> None:
    waiting = await foreman.patches.patches()
    done = await foreman.patches.accept([one.number for one in waiting.patches])
    assert not done.waiting


async def test_a_chosen_variant_is_written_as_a_version_and_can_be_undone(tmp_path: Path) -> None:
    project = book(tmp_path)
    async with at_work(project, written) as foreman:
        draft = await drafted(foreman)
        saved = await foreman.drafts.choose(draft.run, "b")
        assert (saved.written, saved.patches, saved.file) == (True, (), SCENE)
        assert body(project) == draft.variants[1].text + "\n"
        head = (project / SCENE).read_text(encoding="utf-8")
        assert head.startswith('---\ntitle: "The Confrontation"\nbeat: "Midpoint: False Victory"\n---\n\n')
        (version,) = (await foreman.versions.versions("ch04-sc02")).versions
        assert version.is_current
        assert "variant B" in version.said
        await foreman.undo()
        assert not (project / SCENE).exists()
        again = await foreman.drafts.choose("last", "B")
        assert again.written
        assert len((await foreman.versions.versions("ch04-sc02")).versions) == 1


async def test_prose_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    project = book(tmp_path)
    own = "Elena waited.\r\n\r\nThe tide was out.\r\n"
    (project / SCENE).write_bytes(own.encode())
    async with at_work(project, written) as foreman:
        draft = await drafted(foreman)
        saved = await foreman.drafts.choose(draft.run, "A")
        assert not saved.written
        assert saved.patches
        assert (project / SCENE).read_bytes() == own.encode()
        assert (await foreman.drafts.choose(draft.run, "A")).patches == saved.patches, "proposed once"
        await accept_all(foreman)
        now = (project / SCENE).read_bytes().decode()
        assert now.replace("\r\n", "\n").strip() == draft.variants[0].text
        assert (await foreman.drafts.choose(draft.run, "A")).said.endswith("has the text of variant A already.")


async def test_a_scene_that_is_only_planned_keeps_its_front_matter(tmp_path: Path) -> None:
    project = book(tmp_path)
    (project / SCENE).write_text("---\nstatus: planned\npov: Elena\n---\n\nTBD\n", encoding="utf-8")
    async with at_work(project, written) as foreman:
        draft = await drafted(foreman)
        assert (await foreman.drafts.choose(draft.run, "A")).written
        text = (project / SCENE).read_text(encoding="utf-8")
        assert text == f"---\nstatus: planned\npov: Elena\n---\n\n{draft.variants[0].text}\n"
        await foreman.undo()
        assert (project / SCENE).read_text(encoding="utf-8").endswith("TBD\n")


async def test_a_hybrid_has_the_chosen_paragraphs_and_names_its_seams(tmp_path: Path) -> None:
    project = book(tmp_path)
    async with at_work(project, written) as foreman:
        draft = await drafted(foreman)
        first, second = draft.variants[0].paragraphs, draft.variants[1].paragraphs
        looked = await foreman.drafts.hybrid(draft.run, ["A1-3", "B4", "A5-"], write=False)
        assert looked.saved is None
        assert not (project / SCENE).exists()
        assert [(one.after, one.left, one.right) for one in looked.seams] == [(3, "A3", "B4"), (4, "B4", "A5")]
        made = await foreman.drafts.hybrid(draft.run, ["A1-3,B4", "A5-"])
        assert made.saved is not None
        assert "seams: A3|B4, B4|A5" in made.saved.said
        assert body(project) == "\n\n".join([*first[:3], second[3], *first[4:]]) + "\n"
        over = await foreman.drafts.hybrid(draft.run, ["B1", "A2"])
        assert over.saved is not None
        assert over.saved.patches
        await accept_all(foreman)
        assert body(project).strip() == f"{second[0]}\n\n{first[1]}"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (["A31"], "has 30 paragraphs; 'A31'"),
        (["A0"], "has 30 paragraphs"),
        (["A3-2"], "has 30 paragraphs"),
        (["A1-99999"], "names no paragraphs"),
        (["Z1"], "no variant Z"),
        (["A1", "A1-2"], "A1 is named twice"),
        (["1A"], "names no paragraphs"),
        (["A1;DROP"], "names no paragraphs"),
        ([" , "], "Name 1 to"),
        ([], "Name 1 to"),
    ],
)
async def test_a_hybrid_of_paragraphs_that_do_not_exist_writes_nothing(
    tmp_path: Path, parts: list[str], why: str
) -> None:
    project = book(tmp_path)
    async with at_work(project, written) as foreman:
        draft = await drafted(foreman)
        with pytest.raises((NotFound, InvalidConfig), match=why):
            await foreman.drafts.hybrid(draft.run, parts)
    assert not (project / SCENE).exists()


async def test_runs_and_letters_that_are_none_are_named(tmp_path: Path) -> None:
    async with at_work(book(tmp_path), written) as foreman:
        with pytest.raises(NotFound, match="There is no draft yet"):
            await foreman.drafts.draft()
        draft = await drafted(foreman)
        with pytest.raises(NotFound, match=r"no variant 'E' \(there is: A, B, C, D\)"):
            await foreman.drafts.choose(draft.run, "E")
        with pytest.raises(NotFound):
            await foreman.drafts.draft("nobody")
        asked = foreman.works.read("consolidation", {})
        other = await foreman.works.start("consolidation", asked)
        await foreman._resources.engine.join()
        with pytest.raises(NotFound, match="is no draft of a scene"):
            await foreman.drafts.choose(other.id, "A")


async def test_a_scene_cannot_begin_with_a_break(tmp_path: Path) -> None:
    broken = "The lamp.\n\n---\n\nOut."
    async with at_work(book(tmp_path), lambda request: broken) as foreman:
        draft = await drafted(foreman, REQUEST | {"words": 100})
        with pytest.raises(InvalidConfig, match="cannot begin with a break"):
            await foreman.drafts.hybrid(draft.run, ["A2-3"])
        await foreman.drafts.hybrid(draft.run, ["A"])
    assert body(tmp_path / "book") == f"{broken}\n"
