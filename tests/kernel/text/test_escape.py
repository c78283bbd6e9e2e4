"""Whatever somebody types, it stays text inside the element it stands in."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.escape import cleaned, escaped, escaped_attribute, one_line, xml_characters

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)


def test_markup_is_escaped_once_and_nothing_else() -> None:
    assert escaped("</player> & <note a='b'>\"q\"") == "&lt;/player&gt; &amp; &lt;note a='b'&gt;\"q\""
    assert escaped("&lt;") == "&amp;lt;"


def test_a_quotation_mark_cannot_end_an_attribute() -> None:
    assert escaped_attribute('warm" trust="1') == "warm&quot; trust=&quot;1"
    assert escaped_attribute("a\nb\tc") == "a&#10;b&#9;c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\nd\te", "a\nb\nc\nd\te"),
        ("a\x00\x08\x0b\x0c\x1b\x7fb", "ab"),
        ("a\u2028b\u2029c", "abc"),
        ("a\ud800b\udfffc\ufffe\uffff", "abc"),
        ("naïve 🙂 日本", "naïve 🙂 日本"),
    ],
)
def test_what_no_keyboard_types_is_taken_out(text: str, expected: str) -> None:
    assert cleaned(text) == expected


def test_a_line_has_single_spaces() -> None:
    assert one_line(" a\n\n b\u2028c\x00d ") == "a b cd"


@given(ANY_TEXT)
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    clean = cleaned(text)
    element = ElementTree.fromstring(f'<a b="{escaped_attribute(clean)}">{escaped(clean)}</a>')
    assert (element.text or "") == clean
    assert element.get("b") == clean
    assert len(element) == 0
    assert xml_characters(clean) == clean == cleaned(clean)
