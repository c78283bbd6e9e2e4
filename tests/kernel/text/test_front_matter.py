"""The front matter of a text is told from its body, and nothing is lost between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.front_matter import FrontMatter, split_front_matter

PIECES = ["---", "...", "\n", "\r", "\r\n", " ", "\t", "\ufeff", "a: 1", "# Title", "é"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1\n---\nbody", ("---\na: 1\n---\n", "a: 1\n", "body")),
        ("---\na: 1\n...\nbody", ("---\na: 1\n...\n", "a: 1\n", "body")),
        ("--- \r\na: 1\r\n---\t\r\nbody", ("--- \r\na: 1\r\n---\t\r\n", "a: 1\r\n", "body")),
        ("---\ra: 1\r---", ("---\ra: 1\r---", "a: 1\r", "")),
        ("---\n---\n", ("---\n---\n", "", "")),
        ("\ufeff---\na: 1\n---\nbody", ("\ufeff---\na: 1\n---\n", "a: 1\n", "body")),
        ("\ufeffbody", ("\ufeff", None, "body")),
        ("---\na: 1\nbody", ("", None, "---\na: 1\nbody")),
        ("---\na: ---\n--- x\n", ("", None, "---\na: ---\n--- x\n")),
        (" ---\na: 1\n---\n", ("", None, " ---\na: 1\n---\n")),
        ("", ("", None, "")),
    ],
)
def test_only_whole_lines_at_the_very_top_are_front_matter(text: str, expected: tuple[str, str | None, str]) -> None:
    assert split_front_matter(text) == FrontMatter(*expected)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_head_and_body_are_the_text_again(text: str) -> None:
    parts = split_front_matter(text)
    assert parts.head + parts.body == text
    assert (parts.fields or "") in parts.head
