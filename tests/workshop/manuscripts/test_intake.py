"""A manuscript comes in: divided, previewed, corrected, written; and again, with only what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.division.cuts import cuts_in
from dramaturg.workshop.manuscripts.intake.applied import PENDING, ImportFiles
from dramaturg.workshop.manuscripts.intake.plan import ImportPlan, plan_import
from dramaturg.workshop.manuscripts.intake.preview import ImportPreview, preview_of, preview_text, read_preview
from dramaturg.workshop.manuscripts.readers.folder import read_one, read_sources
from dramaturg.workshop.manuscripts.readers.source_text import SourceText

LONG = " ".join(["word"] * 300)
NOVEL = f"""# The Harbour

## Chapter 1: Lamps

Ruth came down to the *harbour*, and {LONG}.

* * *

“Four,” said Ruth. “There were five,” and {LONG}.

## Chapter 2: The Letter

Nobody had opened the letter, and {LONG}.
"""


def source(text: str, name: str = "novel.md") -> tuple[SourceText, ...]:
    return (read_one(name, text.encode()),)


def imported(project: Path, text: str, preview: ImportPreview | None = None) -> ImportPlan:
    files = ImportFiles(project, project / "data")
    sources = source(text)
    plan = plan_import(project, sources, preview or preview_of(sources), files.memory())
    files.carry_out(plan, files.memory(), files.changes(plan, "w1"))
    return plan


def kinds(plan: ImportPlan) -> list[tuple[str, str]]:
    return [(one.path.removeprefix("manuscript/").removesuffix(".md"), one.kind) for one in plan.files]


def test_chapters_scenes_and_front_matter_are_found(tmp_path: Path) -> None:
    imported(tmp_path, NOVEL)
    first = (tmp_path / "manuscript/ch01-sc01.md").read_text(encoding="utf-8")
    assert first.startswith("---\ntitle: 'Chapter 1: Lamps'\nchapter: 1\n")
    assert first.endswith(f"---\n\nRuth came down to the *harbour*, and {LONG}.\n")
    assert sorted(one.name for one in (tmp_path / "manuscript").iterdir()) == [
        "ch01-sc01.md", "ch01-sc02.md", "ch02-sc01.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        (f"CHAPTER I\n\n{LONG}\n\nCHAPTER II\n\n{LONG}\n", ["chapter", "chapter"]),
        (f"Kapitel 1\n\n{LONG}\n\n#\n\n{LONG}\n", ["chapter", "scene"]),
        (f"Prologue\n\n{LONG}\n\nI\n\n{LONG}\n", ["chapter"]),
        (f"I\n\n{LONG}\n\nII\n\n{LONG}\n", ["chapter", "chapter"]),
        (f"第一章\n\n{LONG}\n\n第二章\n\n{LONG}\n", ["chapter", "chapter"]),
        (f"{LONG}\n\nThe next morning, {LONG}\n", ["chapter", "scene"]),
        (f"{LONG}\n\nAm nächsten Morgen {LONG}\n", ["chapter", "scene"]),
        (f"{LONG}\n\n* * *\n\n{LONG}\n\nThe next morning, {LONG}\n", ["chapter", "scene", "keep"]),
        (f"{LONG}\n\nLondon, 12 May 1895\n\n{LONG}\n", ["chapter", "scene"]),
        (f"{LONG}\n\nPart of me wanted to go.\n\n{LONG}\n", ["chapter"]),
        (f"CHAPTER I\n\nCHAPTER II\n\nCHAPTER III\n\nCHAPTER I\n\n{LONG}\n\nCHAPTER II\n\n{LONG}\n", None),
    ],
)
def test_a_text_is_cut_where_it_says_so(text: str, cuts: list[str] | None) -> None:
    found = [one.kind for one in cuts_in(source(text, "novel.txt")[0])]
    if cuts is None:
        assert found.count("chapter") == 2
    else:
        assert found == cuts


def test_the_writer_corrects_the_preview_before_anything_is_written(tmp_path: Path) -> None:
    preview = preview_of(source(NOVEL))
    text = preview_text(preview).replace("cut: scene", "cut: keep").replace("Chapter 2: The Letter", "The Letter")
    text = text.replace("characters:", "- {cut: scene, words: Nobody had opened}\ncharacters:", 1)
    if "characters:" not in text:
        text += "- {cut: scene, words: Nobody had opened}\n"
    plan = imported(tmp_path, NOVEL, read_preview(text.replace("- {cut: scene, words: Nobody had opened}\n", "")))
    assert kinds(plan) == [("ch01-sc01", "new"), ("ch02-sc01", "new")]
    assert "* * *" in (tmp_path / "manuscript/ch01-sc01.md").read_text(encoding="utf-8")
    assert "title: The Letter" in (tmp_path / "manuscript/ch02-sc01.md").read_text(encoding="utf-8")


def test_a_preview_of_another_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="another version of this text"):
        plan_import(
            tmp_path, source(NOVEL + "More."), preview_of(source(NOVEL)), ImportFiles(tmp_path, tmp_path).memory()
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cuts: [", "cannot be read"),
        ("digest: x\ncuts: [{cut: cupboard}]", "cuts.0.cut"),
        ("- 1", "The preview: expected keys with values"),
    ],
)
def test_a_damaged_preview_says_where(text: str, said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        read_preview(text)


def test_importing_again_brings_only_what_changed(tmp_path: Path) -> None:
    imported(tmp_path, NOVEL)
    before = (tmp_path / "manuscript/ch02-sc01.md").read_bytes()
    assert {kind for _, kind in kinds(imported(tmp_path, NOVEL))} == {"unchanged"}
    plan = imported(tmp_path, NOVEL.replace("There were five", "There were six"))
    assert kinds(plan) == [("ch01-sc01", "unchanged"), ("ch01-sc02", "changed"), ("ch02-sc01", "unchanged")]
    assert "six" in (tmp_path / "manuscript/ch01-sc02.md").read_text(encoding="utf-8")
    assert (tmp_path / "manuscript/ch02-sc01.md").read_bytes() == before


def test_a_scene_that_the_writer_changed_is_left_alone(tmp_path: Path) -> None:
    imported(tmp_path, NOVEL)
    mine = tmp_path / "manuscript/ch01-sc02.md"
    mine.write_text(mine.read_text(encoding="utf-8") + "\nMy own end.\n", encoding="utf-8")
    assert kinds(imported(tmp_path, NOVEL))[1] == ("ch01-sc02", "unchanged")
    plan = imported(tmp_path, NOVEL.replace("There were five", "There were six"))
    assert kinds(plan)[1] == ("ch01-sc02", "conflict")
    assert mine.read_text(encoding="utf-8").endswith("My own end.\n")


def test_a_scene_that_is_new_in_the_middle_moves_the_others(tmp_path: Path) -> None:
    imported(tmp_path, NOVEL)
    mine = tmp_path / "manuscript/ch01-sc02.md"
    mine.write_text(mine.read_text(encoding="utf-8") + "\nMy own end.\n", encoding="utf-8")
    plan = imported(tmp_path, NOVEL.replace("* * *\n", f"* * *\n\nBetween, {LONG}.\n\n* * *\n", 1))
    assert kinds(plan) == [
        ("ch01-sc01", "unchanged"), ("ch01-sc02", "new"), ("ch01-sc03", "moved"), ("ch02-sc01", "unchanged"),
    ]  # fmt: skip
    assert "Between" in mine.read_text(encoding="utf-8")
    assert (tmp_path / "manuscript/ch01-sc03.md").read_text(encoding="utf-8").endswith("My own end.\n")


def test_a_file_of_the_writers_own_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "manuscript").mkdir()
    (tmp_path / "manuscript/ch01-sc01.md").write_text("Mine.\n", encoding="utf-8")
    assert kinds(imported(tmp_path, NOVEL))[0] == ("ch01-sc01", "conflict")
    assert (tmp_path / "manuscript/ch01-sc01.md").read_text(encoding="utf-8") == "Mine.\n"


def test_an_interrupted_import_is_finished_by_the_next(tmp_path: Path) -> None:
    sources, files = source(NOVEL), ImportFiles(tmp_path, tmp_path / "data")
    plan = plan_import(tmp_path, sources, preview_of(sources), files.memory())
    files._data.write_bytes(PENDING, plan.model_dump_json().encode())
    assert files.finish()
    assert len(list((tmp_path / "manuscript").iterdir())) == 3
    assert not files.finish()


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    for name in ("chapter 10.md", "chapter 2.md", "README.md", "chapter 1.txt"):
        (tmp_path / name).write_text(f"{name}. {LONG}\n", encoding="utf-8")
    assert [one.name for one in read_sources(tmp_path)] == ["chapter 1.txt", "chapter 2.md", "chapter 10.md"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "shift_jis"])
def test_encodings_are_told(encoding: str) -> None:
    text = (
        "「おはよう」と彼女は言った。\n\n" * 40
        if encoding == "shift_jis"
        else "“Café,” said Zoë. It’s late—too late…\n\n" * 40
    )
    assert read_one("novel.txt", text.encode(encoding)).markdown.startswith(text[:30])


def test_a_card_is_proposed_for_who_speaks_often_and_none_is_overwritten(tmp_path: Path) -> None:
    talk = "“I will go down to the water,” said Ruth.\n\n" * 6
    (plan,) = [imported(tmp_path, f"# One\n\n{talk}")]
    assert [one.path for one in plan.files if one.kind == "card"] == [".claude/agents/ruth.md"]
    card = tmp_path / ".claude/agents/ruth.md"
    assert "“I will go down to the water”" in card.read_text(encoding="utf-8")
    card.write_text("# Ruth - Mine\n", encoding="utf-8")
    assert not any(one.kind == "card" for one in imported(tmp_path, f"# One\n\n{talk}").files)
