"""What is known about a book: files before decisions, nothing twice, and every difference reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.knowledge import field_of, known_facts
from tests.workshop.books import decision

ELENA = """---
name: Elena Vance
---
# Protagonist

Forty-one, freight pilot.

## Fatal flaw

She trusts nobody, and does alone what needs two.

## The lie

TBD

## Notes to self

Her father waved.
"""


@pytest.fixture
def bible(tmp_path: Path) -> StoryBible:
    (tmp_path / "story-bible").mkdir()
    (tmp_path / "story-bible" / "protagonist.md").write_text(ELENA, encoding="utf-8")
    (tmp_path / "story-bible" / "world-rules.md").write_text(
        "# World Rules\n\n## Fundamental rules\n\n- The tide comes twice.\n- Ships forget.\n- No one swims.\n",
        encoding="utf-8",
    )
    return StoryBible(tmp_path)


def test_filled_fields_and_the_writers_own_notes_are_known_with_their_file(bible: StoryBible) -> None:
    known = {one.key: one for one in known_facts(bible.pages(), (), "Elena Vance").entries}
    assert known["elena_fatal_flaw"].value.startswith("She trusts nobody")
    assert known["elena_fatal_flaw"].source == "story-bible/protagonist.md"
    assert known["elena_fatal_flaw"].is_core
    assert known["notes_to_self"].value == "Her father waved."
    assert known["rule_2"].value == "Ships forget."
    assert not any("lie" in key for key in known)


def test_a_decision_that_says_what_its_field_says_is_not_told_twice(bible: StoryBible) -> None:
    decided = [decision(1, "elena_fatal_flaw", "She trusts nobody"), decision(2, "the_lie", "People leave")]
    known = known_facts(bible.pages(), decided, "Elena Vance")
    assert not known.disagreements
    assert sum("flaw" in one.key for one in known.entries) == 1
    lie = next(one for one in known.entries if one.key == "the_lie")
    assert lie.is_core


def test_where_a_decision_and_its_field_differ_the_file_wins_and_the_difference_is_named(bible: StoryBible) -> None:
    decided = [decision(1, "elena_fatal_flaw", "Pride in her seamanship")]
    known = known_facts(bible.pages(), decided, "Elena Vance")
    assert [one.value for one in known.entries if "flaw" in one.key] == [
        "She trusts nobody, and does alone what needs two."
    ]
    (differs,) = known.disagreements
    assert (differs.key, differs.field, differs.path) == (
        "elena_fatal_flaw",
        "fatal_flaw",
        "story-bible/protagonist.md",
    )


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("elena_fatal_flaw", "fatal_flaw"),
        ("elena_vance_flaw", "fatal_flaw"),
        ("fatal_flaw", "fatal_flaw"),
        ("protagonist_the_lie", "the_lie"),
        ("elena_arc_start", "arc_start"),
        ("beat_9", "beat_9"),
        ("midpoint", "beat_9"),
        ("all_is_lost", "beat_11"),
        ("central_theme", "central_theme"),
        ("marcus_fatal_flaw", None),
        ("midpoint_type", None),
        ("ftl_limitation", None),
    ],
)
def test_a_key_names_a_field_of_the_bible_or_none(key: str, field: str | None) -> None:
    found = field_of(key, "Elena Vance")
    assert (found[1] if found else None) == field


def test_preferences_and_constraints_are_remembered_without_a_parameter_of_ours() -> None:
    decided = [
        decision(1, "spelling", "British spellings", "preference"),
        decision(2, "no_magic", "Nothing supernatural happens", "constraint"),
        decision(3, "gun", "Elena lost her gun", "constraint", "correction"),
    ]
    kinds = {one.key: one.kind for one in known_facts((), decided, "").entries}
    assert kinds == {"spelling": "preference", "no_magic": "continuity", "gun": "correction"}
