"""How tones are spoken."""

import pytest

from dramaturg.scenes.audioplay.tones import shade_of, shades


@pytest.mark.parametrize(
    ("tone", "shade"),
    [
        ("furious", "loud"),
        ("quietly furious", "loud"),
        ("Whispering, urgent", "hushed"),
        ("under  her breath", "hushed"),
        ("warmly", "warm"),
        ("clipped", "stern"),
        ("remorseful", "grave"),
        ("out of breath", "eager"),
        ("dry", "dry"),
        ("low", "quiet"),
        ("slow", "plain"),
        ("neutral", "calm"),
        ("", "plain"),
        ("like a kettle", "plain"),
    ],
)
def test_a_tone_is_spoken_in_the_shade_that_has_its_word(tone: str, shade: str) -> None:
    assert shade_of(tone).name == shade


def test_every_word_leads_to_the_shade_it_stands_under() -> None:
    """None is out of reach behind another."""
    for shade in shades():
        for word in shade.words:
            assert shade_of(word).name == shade.name, word


def test_no_shade_is_so_soft_or_loud_that_it_leaves_the_room() -> None:
    assert all(-8 <= shade.level <= 3 for shade in shades())
