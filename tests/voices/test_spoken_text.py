"""What of a text is read aloud."""

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.spoken_text import spoken


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("*sighs* I can explain.", "I can explain."),
        ("I *never* said that.", "I never said that."),
        ("Well, *sighs*, fine.", "Well, fine."),
        ("*He leaves the room, slowly.* Goodbye.", "Goodbye."),
        ('[INTERRUPT after "explain", TONE: furious] "I don\'t want excuses!"', '"I don\'t want excuses!"'),
        ("(whispering) Come here (quickly).", "Come here."),
        ("Look, I can explain—", "Look, I can explain—"),
        ("**Bold** and __strong__ stay.", "Bold and strong stay."),
        ("See [the map](https://example.org/a_(b)) first.", "See the map first."),
        ("It is at https://example.org/x?y=1.", "It is at."),
        ("Run `rm -rf` now.", "Run now."),
        ("Before.\n```py\nx = 1\n```\nAfter.", "Before. After."),
        ("# Title\n\n- one\n- two\n\nThe end", "Title. one. two. The end"),
        ("a line that only\nwraps here", "a line that only wraps here"),
        ("Great 😀👍🏽 idea ❤️!", "Great idea!"),
        ("Fine :) and :smile: then.", "Fine and then."),
        ("It is 20° in 1984, 50% of $5.99 …", "It is 20° in 1984, 50% of $5.99…"),
        ("<thinking>I hate him.</thinking> Hello, <b>you</b>.", "Hello, you."),
        ("Salt &amp; pepper", "Salt & pepper"),
        ("snake_case stays words", "snake case stays words"),
        ("“Quoted,” she said – twice.", "“Quoted,” she said – twice."),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b. 1 2"),
    ],
)
def test_only_the_words_are_read(written: str, said: str) -> None:
    assert spoken(written) == said


@pytest.mark.parametrize(
    "text", ["", "   \n", "*sighs*", "[SILENT]", "(aside)", "😀", "...", "```\ncode\n```", "https://a.example"]
)
def test_a_text_without_words_is_an_error_and_never_an_empty_file(text: str) -> None:
    with pytest.raises(VoiceError, match="nothing to say"):
        spoken(text)
