"""Whether the words of a quotation stand in a text: typography and slips pass, another statement does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.consolidation.evidence import find_passage
from dramaturg.workshop.consolidation.speech import is_spoken, spoken_spans

TEXT = (
    "The lamp was out. “Her eyes,” he said, “were grey — grey as slate.” Elena wasn’t 41, she was 42 years old, and "
    "she had never been to Milan.\n\nSie hatte blaue Augen. Tenía los ojos verdes. 彼女の目は青かった。"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("she was 42 years old", "she was 42 years old"),
        ("SHE WAS 42 YEARS OLD.", "she was 42 years old"),
        ('"Her eyes," he said, "were grey - grey as slate."', "“Her eyes,” he said, “were grey — grey as slate.”"),
        ("she had never ben to Milan", "she had never been to Milan."),
        ("Sie hatte blaue Augen", "Sie hatte blaue Augen."),
        ("目は青かった", "目は青かった。"),
        ("the   lamp\nwas out", "The lamp was out."),
    ],
)
def test_the_texts_own_words_are_kept(quote: str, found: str) -> None:
    passage = find_passage(quote, TEXT)
    assert passage is not None
    assert TEXT[passage.start : passage.end].strip("“") == found.strip("“")


@pytest.mark.parametrize(
    "quote",
    [
        "she was 43 years old",
        "Elena was 41",
        "she had nevr been to Milan",
        "she had been to Milan",
        "Sie hatte braune Augen",
        "Sie hatte nie blaue Augen",
        "Tenía los ojos negros",
        "The lamp was lit",
        "eyes",
        "",
        "…",
        "She owned the Meridian and sailed it to Milan.",
    ],
)
def test_another_statement_is_not_found(quote: str) -> None:
    assert find_passage(quote, TEXT) is None


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_two_texts_can_be_compared_and_what_is_found_lies_in_the_text(quote: str, text: str) -> None:
    passage = find_passage(quote, text)
    assert passage is None or 0 <= passage.start < passage.end <= len(text)


@given(st.text(max_size=300))
def test_speech_lies_in_the_text_and_in_order(text: str) -> None:
    spans = spoken_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert list(spans) == sorted(spans)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("“Jonas is dead,” said Vera.", "Jonas is dead"),
        ('"Jonas is dead," said Vera.', "Jonas is dead"),
        ("»Jonas ist tot«, sagte Vera.", "Jonas ist tot"),
        ("„Jonas ist tot“, sagte Vera.", "Jonas ist tot"),
        ("« Jonas est mort », dit Vera.", "Jonas est mort"),
        ("—Jonas ha muerto —dijo Vera—. Ayer.", "Jonas ha muerto"),
        ("— Jonas est mort, dit Vera.", "Jonas est mort"),
        ("— Йонас — мёртв, — сказала V.", "мёртв"),
        ("「ジョナスは死んだ」とヴェラは言った。", "ジョナスは死んだ"),
    ],
)
def test_speech_is_told_from_what_is_told(text: str, said: str) -> None:
    at = text.index(said)
    assert is_spoken(text, at, at + len(said))
    told = text.index("V") if "V" in text else text.index("ヴ")
    assert not is_spoken(text, told, told + 3)
