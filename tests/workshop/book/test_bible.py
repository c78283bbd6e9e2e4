"""The story bible: files that a writer may edit by hand, read for what is filled and what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import BEATS, TEMPLATES, StoryBible, rules_of
from dramaturg.workshop.book.modes import BookState, Mode, completion, gate_of
from dramaturg.workshop.book.pages import is_filled, key_of, read_page

PROTAGONIST = """---
status: in_progress
name: Elena Vance
---

# Protagonist

Elena flies freight nobody asks about.

## Fatal flaw

She trusts nobody.

## The Lie
TBD

## Backstory

Her father left.
"""


@pytest.fixture
def bible(tmp_path: Path) -> StoryBible:
    (tmp_path / "story-bible").mkdir()
    return StoryBible(tmp_path)


def write(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / "story-bible" / file).write_text(text, encoding="utf-8")


def test_an_empty_project_has_not_started(bible: StoryBible) -> None:
    assert {page.status for page in bible.pages()} == {"not_started"}
    assert completion(BookState(pages=bible.pages())) == 0


def test_what_is_missing_is_read_from_the_file_itself(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "protagonist.md", PROTAGONIST)
    page = bible.page("protagonist")
    assert page.status == "in_progress"
    assert dict(page.fields) == {"fatal_flaw": "She trusts nobody."}
    assert page.missing == ("the_lie", "arc_start", "arc_midpoint", "arc_resolution")


def test_a_page_that_calls_itself_complete_and_is_not_is_in_progress(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "protagonist.md", PROTAGONIST.replace("in_progress", "complete"))
    assert bible.page("protagonist").status == "in_progress"


def test_writing_a_field_leaves_every_other_word_of_the_writer(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "protagonist.md", PROTAGONIST)
    bible.write("protagonist", {"the_lie": "She can only rely on herself.", "arc_start": "Alone."})
    text = (tmp_path / "story-bible" / "protagonist.md").read_text(encoding="utf-8")
    assert (
        text == PROTAGONIST.replace("TBD\n\n", "\nShe can only rely on herself.\n\n") + "\n## Arc: start\n\nAlone.\n\n"
    )
    assert bible.page("protagonist").missing == ("arc_midpoint", "arc_resolution")


def test_all_fields_make_a_draft_and_a_word_makes_it_complete(bible: StoryBible) -> None:
    bible.write("theme", {"central_theme": "Trust", "theme_statement": "Trust is a debt paid in advance."})
    assert bible.page("theme").status == "draft_ready"
    bible.set_status("theme", "complete")
    assert bible.page("theme").status == "complete"


@pytest.mark.parametrize(
    "placeholder", ["TBD", "tbd", "TODO: think", "?", "...", "—", "", "to be decided", "<!-- x -->"]
)
def test_a_placeholder_beat_is_not_a_beat(bible: StoryBible, placeholder: str) -> None:
    bible.write("beat_sheet", {f"beat_{beat.number}": f"Something at {beat.name}." for beat in BEATS})
    assert bible.page("beat_sheet").missing == ()
    bible.write("beat_sheet", {"beat_9": placeholder})
    assert bible.page("beat_sheet").missing == ("beat_9",)


def test_a_spanish_writer_may_say_todo(bible: StoryBible) -> None:
    assert is_filled("Lo pierde todo.")


def test_beats_are_known_by_number_or_by_name(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "beat-sheet.md", "## Beat 1: A dock\nRain.\n\n## Midpoint\nShe wins.\n\n## 15) Last\nDawn.\n")
    assert set(bible.page("beat_sheet").fields) == {"beat_1", "beat_9", "beat_15"}


def test_two_rules_are_not_enough(bible: StoryBible) -> None:
    bible.write("world_rules", {"fundamental_rules": "- Jumps cost a life.\n- Nobody lies to a ship."})
    assert bible.page("world_rules").missing == ("fundamental_rules",)
    bible.write("world_rules", {"fundamental_rules": "1. Jumps cost a life.\n2. No lies to a ship.\n3. Ships forget."})
    assert bible.page("world_rules").missing == ()
    assert rules_of("One.\n\nTwo.\n\nTBD") == ("One.", "Two.")


def test_a_page_that_changed_meanwhile_is_left_and_the_new_text_kept_beside_it(
    bible: StoryBible, tmp_path: Path
) -> None:
    write(tmp_path, "theme.md", "## Central theme\nTrust\n")
    seen = bible.page("theme").digest
    write(tmp_path, "theme.md", "## Central theme\nTrust, and its price\n")
    written = bible.write("theme", {"central_theme": "Loyalty"}, seen=seen)
    assert bible.page("theme").fields["central_theme"] == "Trust, and its price"
    assert written.kept_at == "story-bible/theme.from-foreman-1.md"
    assert "Loyalty" in (tmp_path / written.kept_at).read_text(encoding="utf-8")


def test_a_write_can_be_taken_back(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "theme.md", "## Central theme\nTrust\n")
    written = bible.write("theme", {"central_theme": "Loyalty"})
    bible.restore(written)
    assert (tmp_path / "story-bible" / "theme.md").read_text(encoding="utf-8") == "## Central theme\nTrust\n"
    new = bible.write("protagonist", {"fatal_flaw": "Pride"})
    bible.restore(new)
    assert bible.page("protagonist").status == "not_started"


def test_a_write_is_not_taken_back_over_the_writers_own_change(bible: StoryBible, tmp_path: Path) -> None:
    written = bible.write("theme", {"central_theme": "Loyalty"})
    write(tmp_path, "theme.md", "mine")
    with pytest.raises(InvalidConfig, match="changed since"):
        bible.restore(written)


@pytest.mark.parametrize(
    ("text", "named"),
    [("---\nstatus: [\n---\n", "line"), ("---\nstatus: x\n", "never closed"), ("---\n- a\n---\n", "field: value")],
)
def test_broken_front_matter_is_named_and_stops_nothing(
    bible: StoryBible, tmp_path: Path, text: str, named: str
) -> None:
    write(tmp_path, "theme.md", text)
    page = bible.page("theme")
    assert page.problem is not None
    assert named in page.problem
    assert "story-bible/theme.md" in page.problem
    with pytest.raises(InvalidConfig):
        bible.write("theme", {"central_theme": "Trust"})
    assert (tmp_path / "story-bible" / "theme.md").read_text(encoding="utf-8") == text


def test_a_page_of_ten_megabytes_is_refused_with_the_way_out(bible: StoryBible, tmp_path: Path) -> None:
    write(tmp_path, "theme.md", "x" * 10_000_000)
    assert "notebooks/" in str(bible.page("theme").problem)


def test_the_gate_of_the_architect_names_what_is_missing(bible: StoryBible) -> None:
    bible.write("theme", {"central_theme": "Trust", "theme_statement": "Trust is a debt."})
    gate = gate_of(Mode.ARCHITECT, BookState(pages=bible.pages()))
    assert not gate.is_open
    assert any("fatal_flaw" in missing for missing in gate.missing)
    assert any("nobody has called it complete" in missing for missing in gate.missing)
    for name, template in TEMPLATES.items():
        rules = "- One rule.\n- Two rules.\n- Three rules."
        bible.write(name, dict.fromkeys(template.fields, rules))
        bible.set_status(name, "complete")
    assert gate_of(Mode.ARCHITECT, BookState(pages=bible.pages())).is_open
    assert completion(BookState(pages=bible.pages())) == 100


def test_the_later_gates_look_at_bundle_lock_and_drafts() -> None:
    book = BookState(pages=())
    assert len(gate_of(Mode.VOICE_CALIBRATION, book).missing) == 2
    locked = BookState(pages=(), bundle_made=True, voice_locked=True, scenes_planned=3, scenes_drafted=2)
    assert gate_of(Mode.VOICE_CALIBRATION, locked).is_open
    assert gate_of(Mode.DIRECTOR, locked).missing == ("1 of 3 planned scenes are not drafted",)
    assert not gate_of(Mode.EDITOR, locked).is_open


@given(st.text(max_size=400))
def test_a_page_is_put_together_again_to_the_byte(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        page = read_page("a.md", text)
    except InvalidConfig:
        return
    assert page.render() == text


HEADINGS = st.sampled_from(["Fatal flaw", "The lie", "Notes", "9. Midpoint (50%)"])
WORDS = st.text("abc ", min_size=1, max_size=20).filter(str.strip)


@given(st.lists(st.tuples(HEADINGS, WORDS), max_size=6), HEADINGS, WORDS)
def test_what_is_written_under_a_heading_is_read_there_and_the_rest_stays(
    sections: list[tuple[str, str]], heading: str, said: str
) -> None:
    page = read_page("a.md", "".join(f"## {name}\n{text}\n" for name, text in sections))
    again = read_page("a.md", page.with_section(heading, said, key_of(heading)).render())
    under = next(passage for passage in again.passages if passage.heading == heading)
    assert under.text.strip() == said.strip()
    others = [p.text.strip() for p in again.passages if p.heading != heading]
    assert others == [p.text.strip() for p in page.passages if p.heading != heading]
