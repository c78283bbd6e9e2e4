"""Waivers by command: added, replaced and withdrawn in the writer's own file, without touching its other lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.values import Evidence, Finding, Waiver
from dramaturg.workshop.health.waivers import FILE, covers, read_waivers, with_waiver, without_waiver

BY_HAND = """# What I mean.
waivers:
  # the train
  - check: A3
    place: ch02-sc01
    reason: the train really is that fast here
  - {check: B1, place: Ines, reason: a saint's life}  # she never changes
"""
TRAIN = Waiver(check="timeline_consistency", place="ch02-sc01", reason="the train really is that fast here")


def test_a_waiver_is_added_below_those_that_are_there_and_nothing_else_changes() -> None:
    new = with_waiver(BY_HAND, Waiver(check="A1", place="book", reason="It is a vigil: slow, and #1."))
    assert new == BY_HAND + '  - {check: "A1", place: "book", reason: "It is a vigil: slow, and #1."}\n'


def test_a_waiver_of_the_same_check_and_place_is_replaced() -> None:
    new = with_waiver(BY_HAND, Waiver(check="A3", place="ch02-sc01", reason="A faster train."))
    assert "that fast" not in new
    assert new.count("ch02-sc01") == 1
    assert "# she never changes" in new


def test_one_that_is_withdrawn_takes_its_own_lines_along_and_no_others() -> None:
    assert without_waiver(BY_HAND, "a3", "ch02 sc01") == BY_HAND.replace(
        "  - check: A3\n    place: ch02-sc01\n    reason: the train really is that fast here\n", ""
    )
    assert without_waiver(BY_HAND, "A3", "ch09-sc01") is None
    both = without_waiver(without_waiver(BY_HAND, "A3", "ch02-sc01") or "", "B1", "Ines")
    assert with_waiver(both or "", TRAIN).endswith('reason: "the train really is that fast here"}\n')


@pytest.mark.parametrize("text", ["", "waivers: []\n", "waivers:\n", "waivers: [{check: A1, reason: it is a vigil}]\n"])
def test_a_file_without_a_list_of_lines_gets_one(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(with_waiver(text, TRAIN), encoding="utf-8")
    waivers, problems = read_waivers(tmp_path)
    assert problems == ()
    assert waivers[-1].reason == TRAIN.reason
    assert len(waivers) == (2 if "vigil" in text else 1)


def write_scenes(project: Path, *names: str) -> None:
    (project / "manuscript").mkdir(exist_ok=True)
    for name in names:
        (project / "manuscript" / f"{name}.md").write_text("---\ncast: [Ines Calder]\n---\nRain.\n", encoding="utf-8")


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=3, max_size=40).filter(
    lambda text: len(" ".join(text.split())) >= 3
)


@given(st.lists(st.tuples(st.sampled_from([one.code for one in CHECKS]), _WORDS, _WORDS), max_size=8))
def test_whatever_is_waived_is_read_again_and_can_be_withdrawn(wanted: list[tuple[str, str, str]]) -> None:
    text = ""
    for check, place, reason in wanted:
        text = with_waiver(text, Waiver(check=check, place=place, reason=reason))
        text = with_waiver(text, Waiver(check=check, place=place, reason=reason))
    for check, place, _ in wanted:
        text = without_waiver(text, check, place) or text
    assert text in ("", "waivers: []\n")


@pytest.mark.parametrize(
    ("place", "covered"),
    [
        ("book", True), ("Ines Calder", True), ("ines calder", True), ("ch02-sc01", True),
        ("manuscript/ch02-sc01.md", True),
        ("chapter 2", True), ("ch02", True), ("chapter 3", False), ("ch02-sc02", False),
        ("Ines", False), ("Calder", False),
    ],
)  # fmt: skip
def test_a_waiver_covers_the_book_a_chapter_a_scene_or_whom_it_is_about(place: str, covered: bool) -> None:
    finding = Finding(
        check="B1_fatal_flaw",
        severity="info",
        subject="Ines Calder: ch02-sc01 to ch04-sc01",
        text="Not challenged.",
        recommendation="Challenge it.",
        evidence=(Evidence(file="manuscript/ch02-sc01.md"),),
    )
    assert covers(Waiver(check="B1_fatal_flaw", place=place, reason="meant"), finding) is covered


async def test_a_waiver_is_an_action_that_can_be_undone_to_the_byte(tmp_path: Path) -> None:
    place = tmp_path / FILE
    place.parent.mkdir()
    before = BY_HAND.replace("\n", "\r\n").encode()
    place.write_bytes(before)
    write_scenes(tmp_path, "ch01-sc01")
    async with Studio.open(Settings(project=tmp_path)) as studio:
        health = studio.workshop.health
        outcome = await health.waive("a1", "ch01-sc01", "It is a vigil.")
        assert outcome.said == "Waived A1 at ch01-sc01: It is a vigil."
        assert place.read_bytes().startswith(before)
        assert place.read_bytes().endswith(b"}\r\n")
        assert [one.place for one in health.waivers().waivers] == ["ch02-sc01", "Ines", "ch01-sc01"]
        await health.withdraw("B1", "ines")
        assert [one.place for one in health.waivers().waivers] == ["ch02-sc01", "ch01-sc01"]
        for _ in range(2):
            await studio.workshop.undo()
        assert place.read_bytes() == before


async def test_what_cannot_be_waived_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    async with Studio.open(Settings(project=tmp_path)) as studio:
        health = studio.workshop.health
        with pytest.raises(InvalidConfig, match="There is no check 'Z9'"):
            await health.waive("Z9", "book", "because")
        with pytest.raises(InvalidConfig, match="'reason'"):
            await health.waive("A1", "book", " x ")
        with pytest.raises(NotFound, match="There is no waiver of A1 at 'book'"):
            await health.withdraw("A1", "book")
        assert not (tmp_path / FILE).exists()
        (tmp_path / FILE).parent.mkdir()
        (tmp_path / FILE).write_text("waivers: 3", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="cannot be read"):
            await health.waive("A1", "book", "because")
        assert (tmp_path / FILE).read_text(encoding="utf-8") == "waivers: 3"


async def test_a_place_that_the_book_does_not_have_is_refused_with_what_it_has(tmp_path: Path) -> None:
    write_scenes(tmp_path, "ch02-sc01", "ch02-sc02")
    async with Studio.open(Settings(project=tmp_path)) as studio:
        health = studio.workshop.health
        for wrong in ("ch09-sc01", "chapter 9", "Inez Calder", "manuscript/ch02-sc03.md", "anywhere"):
            with pytest.raises(InvalidConfig, match=f"no scene, chapter or name '{wrong}'.*there is: .*ch02-sc01"):
                await health.waive("A1", wrong, "because")
        with pytest.raises(InvalidConfig, match="there is: Ines Calder, "):
            await health.waive("A1", "Inez Calder", "because")
        assert not (tmp_path / FILE).exists()
        for place in ("book", "ch02-sc02", "manuscript/ch02-sc01.md", "ch02", "chapter 2", "ines calder", "Midpoint"):
            await health.waive("A1", place, "because")
        assert len(health.waivers().waivers) == 7
