"""What the page on the workshop shows is what is played, measured and counted now."""

from __future__ import annotations

from tests.docs.workshop_page import PAGE, page_with, sections


def test_the_consultation_the_prompts_and_the_cases_on_the_page_are_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = sections()
    assert "→ ARCHITECT to VOICE_CALIBRATION" in made["consultation"]
    assert page_with(text, made) == text, "run: python -m tests.docs.workshop_page"
