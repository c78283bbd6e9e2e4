"""Where a spoken line is cut."""

from pathlib import Path

import pytest

from dramaturg.scenes.audioplay.cut_time import end_of
from tests.voices.tone_lines import recording_of, tone_line


@pytest.mark.parametrize(
    ("said", "spoken", "end"),
    [
        ("Look, I can explain", "look i can explain what happened with the", 2000),
        ("LOOK — I can explain…", "Look, I can explain what happened with the", 2000),
        ("I paid 12 of them", "I paid twelve of them and then some", 2500),
        ("I", "I paid twelve of them and then some", 500),
        ("entirely other words", "I paid twelve of them and then some", None),
        ("", "I paid twelve of them and then some", None),
    ],
)
def test_the_cut_is_behind_the_last_word_that_was_heard(
    tmp_path: Path, said: str, spoken: str, end: int | None
) -> None:
    recording = tone_line(tmp_path, "1.wav", 500 * len(spoken.split()), words=spoken)
    assert end_of(said, recording) == end


def test_without_word_times_nobody_can_say_where() -> None:
    assert end_of("Look", recording_of(1000)) is None


def test_the_next_word_is_not_begun(tmp_path: Path) -> None:
    recording = tone_line(tmp_path, "1.wav", 2000, words="Look at me now")
    early = recording.words[2].model_copy(update={"start": 0.9})
    recording = recording.model_copy(update={"words": (*recording.words[:2], early, recording.words[3])})
    assert end_of("Look at", recording) == 900
