"""Books that nobody would write: the checks, the page and the drill take them as they are."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dramaturg.workshop.drill.drill import run_drill
from dramaturg.workshop.health.page import report_page
from dramaturg.workshop.health.waivers import read_waivers
from tests.workshop.graph.stories import write
from tests.workshop.health.shelf import BOOKS, check_in, report_of

FIELDS = (
    "title cast pov place time until beat tension flaw_challenged symbols objects theme resonance kind chapter "
    "scene after facts travel target_words name aliases"
).split()
WORDS = st.sampled_from(
    ["Will", "May", "the lamp", "Ines", "", " ", "1871-09-02", "Day 3, 14:00", "Midpoint", "9", "high", "no", "yes",
     "-1", "flashback", "ch01-sc01", "\u202e", "<b>", "9" * 30, "Saltmouth", "a, b; c"]
)  # fmt: skip
VALUES = st.recursive(
    WORDS | st.integers(-5, 20) | st.booleans() | st.none() | st.floats(allow_nan=True),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
SCENES = st.lists(
    st.tuples(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8), st.lists(WORDS, max_size=12)), max_size=9
)


@settings(max_examples=40)
@given(SCENES, st.integers(0, 5))
def test_no_front_matter_stops_a_report_or_a_drill(
    scenes: list[tuple[dict[str, object], list[str]]], seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        write(project, "story-bible/protagonist.md", "---\nname: Ines\n---\n\n## Fatal flaw\n\nShe never turns back.\n")
        for number, (matter, words) in enumerate(scenes, start=1):
            head = yaml.safe_dump(matter, allow_unicode=True)
            write(
                project, f"manuscript/ch{number:02}-sc01.md", f"---\n{head}---\nThen {' '.join(words)} came. {words}\n"
            )
        report = report_of(project)
        assert report_page(report)
        assert all(one.measured for one in report.checks)
        drilled = run_drill(project, seed=seed, at=1.0)
        assert all(one.caught_by or one.missed for one in drilled.outcomes)


def test_a_scene_of_one_endless_paragraph_and_mixed_line_endings_are_read(tmp_path: Path) -> None:
    book = Path(shutil.copytree(BOOKS / "salt-road", tmp_path / "book"))
    (book / "manuscript" / "ch03-sc01.md").write_bytes(
        b"---\r\ntension: 3\r\ncast: [Ines Calder]\r\n---\r\nOne.\r\rTwo.\n"
    )
    write(book, "manuscript/ch09-sc01.md", "Ines walked " * 20_000)
    report = report_of(book)
    assert report.words > 40_000
    assert next(one for one in report.points if one.name == "ch03-sc01").tension == 3
    assert run_drill(book, seed=1, at=1.0).outcomes


def test_latin_1_is_named_and_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "manuscript").mkdir()
    (tmp_path / "manuscript" / "ch01-sc01.md").write_bytes("Café".encode("latin-1"))
    report = report_of(tmp_path)
    assert any("UTF-8" in one for one in report.problems)
    assert check_in(report, "A1").status == "cannot_tell"
    assert read_waivers(tmp_path) == ((), ())
