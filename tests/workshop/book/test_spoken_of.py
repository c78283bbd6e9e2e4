"""The scenes that a message speaks of are found by their names and by their rarer words."""

from __future__ import annotations

import pytest

from dramaturg.workshop.book.manuscript import ManuscriptFile
from dramaturg.workshop.book.spoken_of import scenes_spoken_of

TEXTS = {
    "manuscript/ch01-sc01.md": "Pip has green eyes. You promise her the brass bell.",
    "manuscript/ch01-sc02.md": "Nine years earlier, Pip danced on the threshing floor.",
    "manuscript/ch02-sc01.md": "The letter comes on a Tuesday. Pip walks in with the coal.",
    "manuscript/ch03-sc01.md": "They buried him on the hill.",
    "manuscript/ch04-sc01.md": "Pip watched him with her brown eyes. You count the money.",
}
SCENES = [
    ManuscriptFile(path=path, digest="", chapter=path[14], scene=path[19], is_drafted=True, changed_at=0)
    for path in TEXTS
]


@pytest.mark.parametrize(
    ("message", "files"),
    [
        ("What did the letter say?", ["ch02-sc01"]),
        ("Who brings the coal?", ["ch02-sc01"]),
        ("What colour are Pip's eyes?", ["ch01-sc01"]),
        ("Was hat Kapitel 3 für ein Ende?", ["ch03-sc01"]),
        ("Read ch01-sc02 again.", ["ch01-sc02"]),
        ("In chapter 1, who danced?", ["ch01-sc02", "ch01-sc01"]),
        ("How much money is it?", []),
        ("And then?", []),
        ("", []),
    ],
)
def test_the_scenes_of_a_message_are_found(message: str, files: list[str]) -> None:
    found = scenes_spoken_of(message, SCENES, TEXTS.__getitem__, at_hand="manuscript/ch04-sc01.md")
    assert [one.file for one in found] == [f"manuscript/{name}.md" for name in files]
    assert all(one.text == TEXTS[one.file] for one in found)


def test_at_most_three_scenes_are_told_and_never_the_one_at_hand() -> None:
    every = "letter coal bell danced buried money eyes Pip"
    found = scenes_spoken_of(every, SCENES, TEXTS.__getitem__, at_hand="manuscript/ch01-sc01.md")
    assert len(found) == 3
    assert "manuscript/ch01-sc01.md" not in [one.file for one in found]


def test_a_scene_that_is_only_planned_is_not_read() -> None:
    planned = [one.model_copy(update={"is_drafted": False}) for one in SCENES]
    assert scenes_spoken_of("the letter", planned, TEXTS.__getitem__, at_hand="") == ()
