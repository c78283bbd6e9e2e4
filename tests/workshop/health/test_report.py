"""The report: scope, waivers, comparison with the last one, alerts, and its page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.page import report_page
from dramaturg.workshop.health.report import health_alerts
from dramaturg.workshop.health.waivers import read_waivers
from tests.workshop.graph.stories import scene, write
from tests.workshop.health.shelf import BOOKS, check_in, report_of

FLAT = "tension: 5\nflaw_challenged: no\ncast: [Ines, Tom]"


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """Eight scenes in which nothing rises and nothing is asked of Ines."""
    bible = "---\nname: Ines\n---\n\n## Fatal flaw\n\nShe never turns <back>.\n"
    write(tmp_path, "story-bible/protagonist.md", bible)
    for number in range(1, 9):
        scene(tmp_path, f"ch0{number}-sc01", FLAT, f"Ines waited. It was day {number} & <nothing> happened.")
    return tmp_path


def test_every_check_says_what_it_measured_or_why_it_cannot_tell(flat: Path) -> None:
    for project in (flat, BOOKS / "salt-road", BOOKS / "pegelstand"):
        report = report_of(project)
        assert [one.check for one in report.checks] == [one.name for one in CHECKS]
        assert all(one.measured and (one.status != "cannot_tell" or one.missing) for one in report.checks)
        assert all(one.recommendation and one.files for one in report.findings)
        assert "score" not in report.model_dump_json()


def test_a_finding_quotes_words_that_stand_in_the_file_it_names(flat: Path) -> None:
    for project in (flat, BOOKS / "salt-road"):
        for finding in report_of(project).findings:
            for one in finding.evidence:
                held = " ".join((project / one.file).read_text(encoding="utf-8").split())
                assert " ".join(one.quote.split()) in held


def test_the_scope_is_a_check_a_chapter_a_scene_or_everything(flat: Path) -> None:
    assert [one.check for one in report_of(flat, scope="B1").checks] == ["B1_flaw_challenge"]
    assert [one.check for one in report_of(flat, scope="pacing plateau").checks] == ["A1_pacing_plateau"]
    within = report_of(flat, scope="chapter 3").findings
    assert within
    assert all("manuscript/ch03-sc01.md" in one.files for one in within)
    assert report_of(flat, scope="Chapter 3, Scene 1").findings == within
    with pytest.raises(InvalidConfig, match=r"no check .* chapter or scene"):
        report_of(flat, scope="chapter 99")


def test_a_waiver_with_a_reason_takes_a_finding_away_and_is_listed(flat: Path) -> None:
    write(flat, "story-bible/waivers.yaml", "waivers:\n  - {check: b1, place: Ines, reason: a saint's life}\n"
          "  - {check: A3, place: ch01-sc01, reason: a time loop}\n")  # fmt: skip
    waivers, problems = read_waivers(flat)
    report = report_of(flat, waivers=waivers)
    assert (problems, check_in(report, "B1").status) == ((), "clear")
    assert [(one.waiver.reason, one.finding.subject) for one in report.waived] == [("a saint's life", "Ines")]
    assert len(report.waivers) == 2
    assert "nothing at present" in report_page(report)


@pytest.mark.parametrize(
    "text", ["waivers: 3", "- {check: B1}", "waivers: [{check: Z9, reason: because}]", ":", "\x00"]
)
def test_waivers_that_cannot_be_read_are_named_and_waive_nothing(flat: Path, text: str) -> None:
    write(flat, "story-bible/waivers.yaml", text)
    waivers, problems = read_waivers(flat)
    assert waivers == ()
    assert "waivers.yaml" in problems[0]


def test_what_was_mended_is_told_and_what_stands_is_known_again(flat: Path) -> None:
    first = report_of(flat)
    scene(flat, "ch04-sc01", FLAT.replace("flaw_challenged: no", "flaw_challenged: yes"), "Turn back, said Tom.")
    second = report_of(flat, last=first, last_run="r1")
    assert [one.subject for one in second.comparison.mended if one.check == "B1_flaw_challenge"] == ["Ines"]
    assert any(key.startswith("A1_pacing_plateau") for key in second.comparison.standing)
    assert second.comparison.run == "r1"


def test_a_finding_that_a_narrower_report_did_not_look_for_is_not_mended(flat: Path) -> None:
    narrow = report_of(flat, last=report_of(flat), last_run="r1", scope="A1")
    assert narrow.comparison.mended == ()


def test_findings_become_alerts_with_severity_and_check(flat: Path) -> None:
    alerts = health_alerts(report_of(flat).findings)
    assert ("critical", "B1_flaw_challenge") in {(one.severity, one.check) for one in alerts}
    assert all("Recommendation: " in one.text for one in alerts)


def test_the_page_needs_nothing_else_and_escapes_every_word(flat: Path) -> None:
    page = report_page(report_of(flat))
    assert not re.search(r"<script|https?:|src=|url\(|@import|<link", page)
    assert "She never turns &lt;back&gt;." in page
    assert "<nothing>" not in page
    assert "prefers-color-scheme: dark" in page
    for label in ("Tension against the beats", "Cast by chapter", "Challenges of the fatal flaw"):
        assert label in page


def test_the_page_of_a_book_with_everything_has_all_five_plots() -> None:
    assert report_page(report_of(BOOKS / "salt-road")).count("<svg") == 5


def test_an_empty_book_has_a_page_too(tmp_path: Path) -> None:
    report = report_of(tmp_path)
    assert {one.status for one in report.checks} == {"cannot_tell"}
    assert "no scenes in manuscript/ yet" in report_page(report)


def test_empty_chapters_and_two_of_one_number_are_read(tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "salt-road", tmp_path / "book")
    write(tmp_path / "book", "manuscript/ch04-sc01 (2).md", "---\nchapter: 4\nscene: 1\n---\n")
    write(tmp_path / "book", "manuscript/ch09-sc01.md", "")
    write(tmp_path / "book", "manuscript/ch10-sc01.md", "---\n: [\n---\nBroken.")
    report = report_of(tmp_path / "book")
    assert report.scenes == 15
    assert any("ch10-sc01" in one for one in report.problems)
    assert report_page(report)
