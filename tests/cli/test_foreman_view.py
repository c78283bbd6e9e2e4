"""A consultation at the terminal: every word of a message is printed once."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dramaturg.cli.foreman_view import ForemanView
from dramaturg.workshop.wire import MessageDelta, MessageDone


@pytest.mark.parametrize(
    ("streamed", "kept", "printed"),
    [
        ("What now?", "What now?", "What now?"),
        ("What now?", "What now?\n\nShall we?", "What now?\n\nShall we?"),
        (
            "What now?",
            "Sure!\n\nWhat now?\n\nShall we?",
            "What now?\n\nSure!\n\nShall we?",
        ),
        ("", "What now?", "What now?"),
    ],
)
def test_what_was_streamed_is_not_printed_again(streamed: str, kept: str, printed: str) -> None:
    shown = io.StringIO()
    view = ForemanView(Console(file=shown, width=200))
    if streamed:
        view.show(MessageDelta(event="message.delta", turn=1, text=streamed))
    view.show(MessageDone(event="message.done", turn=1, text=kept))
    assert shown.getvalue().strip() == printed
