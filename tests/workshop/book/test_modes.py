"""The gates between the modes: closed until all that is wanted is there, and saying what is not."""

from __future__ import annotations

from importlib.resources import files
from typing import get_args

import pytest

from dramaturg.kernel.settings import WorkshopMode
from dramaturg.workshop.book.bible import BiblePage
from dramaturg.workshop.book.modes import BookState, Mode, completion, gate_of
from dramaturg.workshop.foreman.session_state import _PIECES

BUNDLE = "the voice bundle has not been generated"
LOCK = "the writer has not locked the voice"


@pytest.mark.parametrize(
    ("mode", "book", "missing"),
    [
        (Mode.VOICE_CALIBRATION, {}, (BUNDLE, LOCK)),
        (Mode.VOICE_CALIBRATION, {"bundle_made": True}, (LOCK,)),
        (Mode.VOICE_CALIBRATION, {"voice_locked": True}, (BUNDLE,)),
        (Mode.VOICE_CALIBRATION, {"voice_locked": True, "bundle_made": True}, ()),
        (Mode.DIRECTOR, {}, ("no scene is planned yet",)),
        (Mode.DIRECTOR, {"scenes_planned": 3, "scenes_drafted": 2}, ("1 of 3 planned scenes are not drafted",)),
        (Mode.DIRECTOR, {"scenes_planned": 3}, ("3 of 3 planned scenes are not drafted",)),
        (Mode.DIRECTOR, {"scenes_planned": 3, "scenes_drafted": 3}, ()),
        (Mode.DIRECTOR, {"scenes_planned": 3, "scenes_drafted": 4}, ()),
        (Mode.EDITOR, {}, ("the writer has not marked the manuscript as complete",)),
        (Mode.EDITOR, {"marked_complete": True}, ()),
    ],
)
def test_a_gate_says_what_is_missing_and_opens_when_nothing_is(
    mode: Mode, book: dict[str, object], missing: tuple[str, ...]
) -> None:
    gate = gate_of(mode, BookState.model_validate({"pages": (), **book}))
    assert gate.missing == missing
    assert gate.is_open is (missing == ())


@pytest.mark.parametrize(
    ("page", "missing"),
    [
        ({"status": "in_progress", "missing": ("central_theme",), "problem": "line 3 is no YAML"}, "line 3 is no YAML"),
        ({"status": "complete", "missing": ("central_theme",)}, "central_theme"),
        ({"status": "in_progress"}, "all is there, and nobody has called it complete yet"),
    ],
)
def test_a_page_keeps_the_first_gate_closed_and_says_why(page: dict[str, object], missing: str) -> None:
    theme = BiblePage.model_validate({"template": "theme", **page})
    assert gate_of(Mode.ARCHITECT, BookState(pages=(theme,))).missing == (f"Theme: {missing}",)


def test_the_modes_follow_each_other_and_the_last_has_none_after_it() -> None:
    assert [mode.next for mode in Mode] == [Mode.VOICE_CALIBRATION, Mode.DIRECTOR, Mode.EDITOR, None]


def test_the_order_of_the_modes_is_their_place() -> None:
    assert [mode.rules.place for mode in Mode] == list(range(1, len(Mode) + 1))
    assert [mode.rules.name for mode in Mode] == list(Mode)


@pytest.mark.parametrize("mode", Mode)
def test_what_a_mode_declares_is_there(mode: Mode) -> None:
    assert set(mode.rules.sections) <= set(_PIECES)
    assert (files("dramaturg.workshop") / "prompts" / "modes" / f"{mode.lower()}.md").is_file()
    assert mode.lower() in get_args(WorkshopMode)


def test_a_book_without_pages_is_not_begun() -> None:
    assert completion(BookState(pages=())) == 0
