"""Scaffolds are read tolerantly from what a writer typed, and written back without touching anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.book.scaffold import read_scaffold
from dramaturg.workshop.book.scaffold_text import scaffold_text
from dramaturg.workshop.book.scaffolds import Scaffolds, scaffold_path

WHERE = "scaffolds/ch04-sc02.md"
BY_HAND = """---
# my plan, do not touch
Title: The Confrontation
beat: Midpoint - False Victory
words: about 2,500 words
POV: Elena
cast: Elena, Marcus, Background: dock workers, gulls
time: 18:30
place:   # not settled
mood: {colour: grey, sound: winches}
---

Something before any heading.

## Callbacks

- the photograph, torn
- mother_warning

## Scene Goal

Elena learns the berth.

And keeps her cover.

## Soundtrack

Brass,  muted.\x20
"""


def test_the_names_and_forms_that_writers_use_are_understood() -> None:
    found = read_scaffold(WHERE, BY_HAND)
    assert found.scaffold_id == "ch04-sc02"
    assert found.title == "The Confrontation"
    assert found.word_target == 2500
    assert found.time_of_day == "18:30"
    assert found.cast == ("Elena", "Marcus")
    assert found.background == ("dock workers", "gulls")
    assert found.callbacks == ("the photograph, torn", "mother_warning")
    assert found.scene_goal == "Elena learns the berth.\n\nAnd keeps her cover."
    assert found.notes == {"mood": "colour: grey, sound: winches", "Soundtrack": "Brass,  muted."}
    assert found.open_fields == ("location", "weather", "foreshadowing", "protagonist_constraint")


def test_an_extra_in_a_yaml_list_is_one_although_yaml_reads_a_mapping() -> None:
    found = read_scaffold(WHERE, "---\ncharacters_present:\n  - Elena\n  - Background: dock workers\n---\n")
    assert (found.cast, found.background) == (("Elena",), ("dock workers",))


def test_placeholders_are_open_and_a_target_that_is_no_number_stays_a_note() -> None:
    found = read_scaffold(WHERE, "---\nweather: TBD\nwords: many\n---\n## Scene goal\n\n…\n")
    assert (found.weather, found.word_target, found.scene_goal) == ("", None, "")
    assert found.notes == {"words": "many"}


def test_a_heading_of_the_first_level_is_the_title_where_none_is_given() -> None:
    assert read_scaffold(WHERE, "# Der Hahn zieht aus\n\n## Scene goal\n\nEr geht.\n").title == "Der Hahn zieht aus"


def test_fields_are_set_where_they_stand_and_nothing_else_changes() -> None:
    found = read_scaffold(WHERE, BY_HAND)
    new = found.model_copy(
        update={
            "location": "A warehouse",
            "word_target": 1800,
            "callbacks": ("the_photograph",),
            "weather": "Fog: thick",
            "protagonist_constraint": "She cannot ask.",
            "sources": {"weather": "notebook weather"},
        }
    )
    made = scaffold_text(new, BY_HAND)
    expected = (
        BY_HAND.replace("words: about 2,500 words", "words: 1800")
        .replace("place:   # not settled", "place: A warehouse   # not settled")
        .replace("- the photograph, torn\n- mother_warning", "- the_photograph")
        .replace("winches}\n", "winches}\nweather: 'Fog: thick'\nsources:\n  weather: notebook weather\n")
    )
    assert made == f"{expected}\n## Protagonist constraint\n\nShe cannot ask.\n"
    assert read_scaffold(WHERE, made) == new


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ntitle: [a\nweather: x\n---\n", "line 3"),
        ("---\ntitle: a\ntitle: b\n---\n", "'title' stands twice"),
        ("---\ntitle: a\n", "is never closed"),
        ("---\n- a\n- b\n---\n", "is not a list of fields"),
    ],
)
def test_broken_front_matter_is_reported_with_its_file_and_place(text: str, said: str) -> None:
    with pytest.raises(InvalidConfig, match=said) as caught:
        read_scaffold(WHERE, text)
    assert WHERE in caught.value.message


def test_a_file_that_changed_meanwhile_stays_and_the_new_text_lies_beside_it(tmp_path: Path) -> None:
    plans = Scaffolds(tmp_path)
    (tmp_path / "scaffolds").mkdir()
    (tmp_path / WHERE).write_text(BY_HAND, encoding="utf-8")
    planned = plans.plan(plans.scaffold("ch04-sc02"), seen=digest_of("something else"))
    assert planned.kept_at == "scaffolds/ch04-sc02.from-foreman-1.md"
    assert plans.plan(plans.scaffold("ch04-sc02"), seen=digest_of(BY_HAND)).text == BY_HAND


def test_scaffolds_are_listed_in_reading_order_with_the_broken_one_told(tmp_path: Path) -> None:
    (tmp_path / "scaffolds").mkdir()
    for name, text in (("ch10-sc01", "# Ten\n"), ("ch02-sc01", "---\ntitle: [\n---\n"), ("ch02-sc03", "")):
        (tmp_path / "scaffolds" / f"{name}.md").write_text(text, encoding="utf-8")
    files = Scaffolds(tmp_path).files()
    assert [one.scaffold_id for one in files] == ["ch02-sc01", "ch02-sc03", "ch10-sc01"]
    assert "scaffolds/ch02-sc01.md" in (files[0].problem or "")
    with pytest.raises(InvalidConfig, match=r"ch02-sc01\.md"):
        Scaffolds(tmp_path).scaffold("Chapter 2, Scene 1")
    with pytest.raises(NotFound, match="ch10-sc01"):
        Scaffolds(tmp_path).scaffold("ch03-sc01")


def test_a_scaffold_is_found_by_any_name_of_its_scene() -> None:
    for named in ("ch04-sc02", "ch4-sc2", "Chapter 4, Scene 2", "manuscript/ch04-sc02.md", WHERE):
        assert scaffold_path(named) == WHERE
    with pytest.raises(InvalidConfig):
        scaffold_path("../../etc/passwd")
