"""The fire drill: known flaws in a copy, and the book itself as it was."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from dramaturg.workshop.drill.book_copy import read_files
from dramaturg.workshop.drill.drill import PLANTERS, catches, copied_book, plant_flaws, run_drill
from dramaturg.workshop.drill.values import DrillReport
from dramaturg.workshop.health.values import Evidence, Finding
from tests.workshop.health.shelf import BOOKS

SALT = BOOKS / "salt-road"
ALWAYS = {"flaw_never_challenged", "eye_colour", "moved_beat"}


def drilled(project: Path = SALT, seed: int = 1, recorded: bool = True) -> DrillReport:
    return run_drill(project, seed=seed, at=1.0, recorded=recorded)


def digests(project: Path) -> dict[str, str]:
    return {
        path.relative_to(project).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in project.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_book_itself_is_never_touched(tmp_path: Path, seed: int) -> None:
    book = tmp_path / "book"
    shutil.copytree(SALT, book)
    before = digests(book)
    drilled(book, seed)
    assert digests(book) == before


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", ["salt-road", "deux-rives"])
def test_recorded_flaws_are_caught_by_the_check_for_them(name: str, seed: int) -> None:
    report = drilled(BOOKS / name, seed=seed)
    expected = {one.kind: one.seen_by for one in PLANTERS}
    for one in report.outcomes:
        assert one.caught_by, f"{one.flaw.kind}: {one.flaw.text} {one.missed}"
        assert set(one.caught_by) <= set(expected[one.flaw.kind])
    assert {one.flaw.kind for one in report.outcomes} >= ALWAYS
    assert report.false_alarms == ()


@pytest.mark.parametrize("seed", range(3))
def test_what_is_planted_in_a_spanish_book_is_spanish(tmp_path: Path, seed: int) -> None:
    fact = "facts:\n  - {subject: Amparo Ríos, predicate: eye_colour, object: gris, quote: los ojos grises de Amparo}\n"
    scenes = {
        "ch01-sc01": f"---\ncast: [Amparo Ríos]\n{fact}---\n\nEra la una, y los ojos grises de Amparo miraban.\n",
        "ch01-sc02": "---\ncast: [Amparo Ríos]\n---\n\nAmparo Ríos subió a la torre y abrió la puerta de la sala.\n",
    }
    (tmp_path / "manuscript").mkdir()
    for name, text in scenes.items():
        (tmp_path / "manuscript" / f"{name}.md").write_text(text, encoding="utf-8")
    (found,) = [one.flaw for one in drilled(tmp_path, seed).outcomes if one.flaw.kind == "eye_colour"]
    assert "Amparo Ríos tenía los ojos " in found.text


def test_every_flaw_comes_from_a_fact_whose_words_stand_in_the_book() -> None:
    for one in drilled().outcomes:
        held = (SALT / one.flaw.evidence.file).read_text(encoding="utf-8")
        assert one.flaw.evidence.quote
        assert one.flaw.evidence.quote in held
        assert one.flaw.fact


def test_the_same_seed_is_the_same_drill_and_another_is_another() -> None:
    texts = read_files(SALT)
    book = copied_book(texts)
    one, again, other = (plant_flaws(book, texts, seed) for seed in (5, 5, 6))
    assert one == again
    assert one.texts != other.texts


def test_only_the_files_of_the_flaws_differ_from_the_book() -> None:
    texts = read_files(SALT)
    flawed = plant_flaws(copied_book(texts), texts, 3)
    changed = {path for path, text in flawed.texts.items() if text != texts[path]}
    assert flawed.texts.keys() == texts.keys()
    assert changed <= {file for flaw in flawed.flaws for file in flaw.files}


def test_a_book_without_facts_is_told_what_could_not_be_planted_and_why() -> None:
    report = drilled(BOOKS / "pegelstand")
    assert [one.flaw.kind for one in report.outcomes] == ["drifting_name"]
    assert len(report.not_planted) == 7
    assert all(one.reason for one in report.not_planted)
    assert "No fact of front matter or the story bible says what colour anybody's eyes are." in {
        one.reason for one in report.not_planted
    }


def test_a_flaw_in_prose_alone_is_missed_with_the_reason() -> None:
    missed = [one for one in drilled(recorded=False).outcomes if not one.caught_by]
    assert missed
    assert all(one.missed for one in missed)
    assert any("prose alone" in one.missed for one in missed)


def test_a_finding_of_another_check_or_another_place_catches_nothing() -> None:
    flaw = next(one.flaw for one in drilled().outcomes if one.flaw.kind == "drifting_name")
    good = Finding(
        check="K1_name_drift", severity="warning", subject=flaw.subject, text="", recommendation="",
        evidence=(Evidence(file=flaw.files[0]),),
    )  # fmt: skip
    assert catches(good, flaw)
    assert not catches(good.model_copy(update={"check": "A1_pacing_plateau"}), flaw)
    assert not catches(good.model_copy(update={"subject": "Somebody else"}), flaw)
    assert not catches(good.model_copy(update={"evidence": (Evidence(file="manuscript/other.md"),)}), flaw)


def test_checks_that_caught_nothing_are_named() -> None:
    report = drilled()
    assert "A1_pacing_plateau" in report.silent
    assert not set(report.silent) & report.caught.keys()


@pytest.mark.parametrize("make", ["empty", "broken", "bytes"])
def test_a_book_that_cannot_be_read_is_drilled_as_far_as_it_can(tmp_path: Path, make: str) -> None:
    (tmp_path / "manuscript").mkdir()
    if make == "broken":
        (tmp_path / "manuscript" / "a.md").write_text("---\n: [\n---\nText", encoding="utf-8")
    if make == "bytes":
        (tmp_path / "manuscript" / "a.md").write_bytes(b"\xff\xfe\x00")
    report = drilled(tmp_path)
    assert (report.outcomes, len(report.not_planted)) == ((), len(PLANTERS))
