"""Laws of a character's answer: what is shown is what is kept, with every visible value and without any hidden one."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.answer_stream import AnswerReader
from tests.episodes.nasty_streams import GERMAN, REASONING, STREAMS
from tests.laws import examples

SECRET = "QZXJ"
said = st.text(st.sampled_from("abcdefgh ,.!?éß😀字"), min_size=1, max_size=30).filter(str.strip)
quotes = st.sampled_from(["{}", "“{}”", "„{}“", "«{}»", "He said “{}”, once.", '"{}"', "({})"])
hidden_keys = st.sampled_from(["internal", "plan", "note", "thoughts", "mood", "reasoning", "director_state", "secret"])
hidden_values = st.sampled_from([SECRET, [SECRET], {"dialogue": SECRET}, {"a": [{"action": SECRET}]}, None, 1])
frames = st.sampled_from(
    [
        "{}",
        "```json\n{}\n```",
        "Response: {}",
        '{{"answer": {}, "note": "QZXJ"}}',
        "[{}]",
        "<think>QZXJ</think>{}",
        "QZXJ</think>\n{}",
        "<|channel|>analysis<|message|>QZXJ<|end|><|start|>assistant<|channel|>final<|message|>{}",
        REASONING.replace("{", "") + "{}",
        GERMAN + "{}",
        "{}\n\nQZXJ",
        "*waits* {}",
    ]
)
fragments = [*"a \"'\\{}[]:,*<>|/#\n😀“”„`=", "internal", "dialogue", "action:", "<think>", "</think>", "<dialogue>"]
fragments += ["</dialogue>", "<|channel|>", "<|message|>", "final", "null", "[THINK]", "Response:", "//", "/*", "*/"]
tricky = st.lists(st.sampled_from(fragments), max_size=30).map("".join)
forms = st.tuples(said, said, quotes, hidden_keys, hidden_values, st.permutations(["dialogue", "action", "hidden"]))


def read(text: str, places: list[int] | None = None) -> AnswerReader:
    reader, shown, start = AnswerReader(), "", 0
    for place in sorted(place % (len(text) + 1) for place in places or ()):
        shown += reader.feed(text[start:place])
        start = place
    shown += reader.feed(text[start:]) + reader.close()
    assert shown == reader.shown == reader.content
    return reader


@examples(300)
@given(forms, frames, st.lists(st.integers(0, 2000), max_size=8), st.booleans())
def test_a_form_shows_all_that_is_visible_and_nothing_hidden(
    form: tuple[str, str, str, str, object, list[str]], frame: str, places: list[int], ascii_only: bool
) -> None:
    words, deed, quote, key, value, order = form
    values = {"dialogue": quote.format(words.strip()), "action": deed, "hidden": value}
    text = json.dumps({key if one == "hidden" else one: values[one] for one in order}, ensure_ascii=ascii_only)
    reader = read(frame.replace("{{", "{").replace("}}", "}").replace("{}", text, 1), places)
    assert SECRET not in reader.shown
    assert quote.format(words.strip()) in reader.shown
    assert " ".join(deed.split()) in reader.shown
    assert SECRET not in reader.answer.dialogue + reader.answer.action


@examples(500)
@given(tricky, st.lists(st.integers(0, 500), max_size=8))
def test_whatever_arrives_is_kept_as_it_was_shown_however_it_was_cut(text: str, places: list[int]) -> None:
    cut, whole = read(text, places), read(text)
    assert (cut.shown, cut.answer, cut.is_prose) == (whole.shown, whole.answer, whole.is_prose)
    assert cut.answer.is_empty == (not cut.shown.strip())


MARKED = sorted(
    name for name, (text, _) in STREAMS.items() if not text.startswith((SECRET, "analysis", REASONING, GERMAN))
)
"""Streams whose thoughts have a beginning; without one, only their end or some words tell that they are thoughts."""


@examples(300)
@given(st.sampled_from(MARKED), st.integers(0, 5000))
def test_a_stream_that_breaks_off_anywhere_shows_nothing_hidden(name: str, end: int) -> None:
    text = STREAMS[name][0]
    assert SECRET not in read(text[: end % (len(text) + 1)]).shown
