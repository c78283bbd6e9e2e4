"""Lines of XML that are well-formed whatever the names and texts are."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.foreman.elements import block, element, empty_element, filled

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


def test_an_element_is_one_line_and_a_block_is_indented() -> None:
    assert element("entry", "a <b>\n& c", key='the "lie"') == "<entry key='the \"lie\"'>a &lt;b&gt; &amp; c</entry>"
    assert empty_element("template", name="Theme", status="open") == '<template name="Theme" status="open"/>'
    assert block("project", filled({"title": "Salt", "genre": " "}), loaded="true") == [
        '<project loaded="true">',
        "  <title>Salt</title>",
        "</project>",
    ]
    assert block("project", []) == []


def test_a_name_that_xml_would_refuse_is_made_valid() -> None:
    assert element("2nd draft>", "x") == "<_2nd_draft_>x</_2nd_draft_>"
    assert element("", "x") == "<_>x</_>"


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_any_name_and_any_text_make_one_element(name: str, text: str, value: str) -> None:
    lines = block(name, [element(name, text, key=value), empty_element(name, key=value)])
    whole = ElementTree.fromstring("\n".join(lines))
    assert [one.tag for one in whole] == [whole.tag, whole.tag]
    assert all(len(one) == 0 for one in whole)
    assert whole[0].get("key") == whole[1].get("key")
