"""What the pages on the workshop show is what is played and measured now."""

from __future__ import annotations

from tests.docs.workshop_page import page_with, pages


def test_the_consultation_and_the_prompts_on_the_pages_are_current() -> None:
    made = pages()
    assert any("→ ARCHITECT to VOICE_CALIBRATION" in section for _, section in made.values())
    for page, (name, section) in made.items():
        text = page.read_text(encoding="utf-8")
        assert page_with(text, name, section) == text, "run: python -m tests.docs.workshop_page"
