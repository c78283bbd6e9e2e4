"""The prose in an answer, whatever a model wraps around it; and nothing of the prose is lost."""

from __future__ import annotations

import pytest

from dramaturg.model_notes.scene_text import scene_text
from dramaturg.workshop.drafts.length import length_of, section_count, section_target
from dramaturg.workshop.drafts.previews import preview_of

SCENE = "The lamp went out.\n\n“Here is the scene of the crime,” she said.\n\n* * *\n\nPart of him knew."


@pytest.mark.parametrize(
    "answer",
    [
        SCENE,
        f"\n\n{SCENE}\n\n",
        f"Sure, here is the scene:\n\n{SCENE}",
        f"Sure! Here's the scene you asked for.\n\n{SCENE}",
        f"Of course. Here is section 2 of the scene, in about 500 words:\n\n{SCENE}",
        f"Here is the rewritten scene:\n\n{SCENE}\n\nLet me know if you would like any changes!",
        f"<think>She enters.\n\nThen what?</think>\n{SCENE}",
        f"Okay, the user wants a scene with a lamp. Let me plan: first the dark, then the crime.\n\n{SCENE}",
        f"# The Confrontation\n\n## Scene 2\n\n{SCENE}",
        f"**The Confrontation**\n\n{SCENE}\n\n(Word count: 14)",
        f"```markdown\n{SCENE}\n```",
        f"   ```markdown\n{SCENE}\n   ```",
        f"```\n{SCENE}",
        f"{SCENE}\n\n---\n\n*Word count: 14 words*",
        f"[Section 1]\n\n{SCENE}\n\n[End of section 1]",
        f"---\n\n{SCENE}",
        SCENE.replace("\n", "\r\n"),
        SCENE.replace("* * *\n\n", "* * *\n\n### Later\n\n"),
        SCENE.replace("\n\n", "\n \n"),
        SCENE.replace("\n\n", "\n"),
    ],
)
def test_the_scene_is_found_in_whatever_is_around_it(answer: str) -> None:
    assert scene_text(answer) == SCENE


@pytest.mark.parametrize(
    "opening",
    [
        "Here is the scene of the crime.",
        "Sure, he thought, here it comes.",
        "First, the player looked at the goal.",
        "Of course the story was a lie.",
        "Part of him wanted to stay.",
        "Great storms had passed over that part of the coast.",
        "This is the part I never told you.",
        "I have a version of this story that ends well.",
        "Let me tell you a story.",
    ],
)
def test_a_first_sentence_that_looks_like_a_preface_stays(opening: str) -> None:
    assert scene_text(f"{opening}\n\nThe lamp went out.") == f"{opening}\n\nThe lamp went out."


@pytest.mark.parametrize("answer", ["", "  \n", "<think>never closed", "```\n```", "# Only a title", "---"])
def test_an_answer_without_prose_is_empty(answer: str) -> None:
    assert scene_text(answer) == ""


def test_nothing_is_shown_of_a_preface_or_of_reasoning_while_it_is_written() -> None:
    assert preview_of("Sure, here is the sc") == ""
    assert preview_of("<think>She enters.\n\nThen what") == ""
    assert preview_of("Sure, here is the scene:\n\nThe lamp went out.\n\nNobo") == "The lamp went out.\n\nNobo"


@pytest.mark.parametrize(
    ("text", "words"),
    [("don't go", 2), ("well — no", 2), ("“Go!” she said.", 3), ("夜は静か", 4), ("", 0), ("— … *", 0)],
)
def test_words_are_counted_as_a_writer_does(text: str, words: int) -> None:
    assert length_of(text) == words


def test_sections_share_what_is_missing_within_reason() -> None:
    assert section_count(1500) == 1
    assert section_count(2500) == 3
    assert section_target(2400, 0, 1) == 1200
    assert section_target(2400, 1000, 2) == 1400
    assert section_target(2400, 2390, 2) == 720
    assert section_target(2400, 0, 2) == 1800


def test_a_yes_on_its_own_before_a_greeting_is_no_prose() -> None:
    assert scene_text("Certainly.\n\nHere's the revised scene:\n\nHe ran.") == "He ran."
    assert scene_text("Okay.\n\nHe ran.") == "Okay.\n\nHe ran."
