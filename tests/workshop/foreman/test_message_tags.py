"""Tags in and around a message: what is shown when the answer comes at once, and when it comes letter by letter."""

from __future__ import annotations

import pytest

from dramaturg.workshop.foreman.message_stream import MessageReader

SHOWN = {
    "<message>One. <thinking/> Two.</message>": "One.\n\n Two.",
    "<message>One.</message><message>Two.</message>": "One.\n\nTwo.",
    "<message>One.<message>Two.</message>": "One.\n\nTwo.",
    "<message>  One.</message>": "One.",
    "<thinking>a <thinking>b</thinking> c</thinking><message>Said.</message>": "Said.",
    "<thinking>a<think/>b</thinking><message>Said.</message>": "Said.",
    "<think>x</thinking><message>Said.</message>": "Said.",
    "</thinking><message>Said.</message>": "Said.",
    "</message><message>Said.</message>": "Said.",
    "<message>A</thinking>B</message>": "A\n\nB",
    "<message>Use `<thinking>` here. <thinking>no</thinking>Done.</message>": "Use `<thinking>` here.\n\nDone.",
    "<message>```\n<action>\n```\nafter <action>SECRET</action></message>": "```\n<action>\n```\nafter",
    "<message>`one tick\n<thinking>no</thinking> yes</message>": "`one tick\n\n yes",
    "<message>One.<action>{}</action>Two.</message>": "One.\n\nTwo.",
    "<action>{}<message>Inside.</message>": "Inside.",
    "<message>a <<thinking>no</thinking>b</message>": "a <\n\nb",
    "<message>The tag <thinking> is only a word. Go on.</message>": "The tag <thinking> is only a word. Go on.",
    "<message>Between the <thinking>and</thinking> tags.</message>": "Between the <thinking>and</thinking> tags.",
    "<message>Look at the <thinking> SECRET": "Look at the",
    "<message>A\n\n\n\nB</message>": "A\n\nB",
    "<message>Cut <thin": "Cut",
    "<message/>rest": "",
    "plain words": "",
}


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("answer", SHOWN)
def test_what_is_shown(answer: str, size: int) -> None:
    reader = MessageReader()
    shown = "".join(reader.feed(answer[start : start + size]) for start in range(0, len(answer), size))
    assert shown == SHOWN[answer]
