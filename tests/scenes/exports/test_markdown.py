"""Markdown, read back by a CommonMark parser."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dramaturg.scenes.exports import render_markdown
from dramaturg.scenes.line import Line
from tests.scenes.exports.sample import SCRIPT, script_with

GOLDEN = Path(__file__).parent / "golden" / "pilot.md"
MEANT = {"text", "text_special", "softbreak", "hardbreak", "strong_open", "strong_close", "em_open", "em_close"}


def inline(text: str) -> list[Token]:
    """The paragraphs and headings of a document."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [token for token in tokens if token.type == "inline"]


def shown(token: Token) -> list[str]:
    """What a reader sees, row by row; anything but emphasis and line breaks of ours is a fault."""
    rows = [""]
    for child in token.children or []:
        assert child.type in MEANT, child
        if child.type == "hardbreak":
            rows.append("")
        rows[-1] += child.content
    return rows


def test_the_sample_is_written_as_it_stands_in_the_golden_file() -> None:
    assert render_markdown(SCRIPT) == GOLDEN.read_text(encoding="utf-8")


def test_the_dialogue_is_found_again_in_order() -> None:
    rows = [shown(token) for token in inline(render_markdown(SCRIPT))]
    found = [row[1] for row in rows if len(row) > 1]
    assert found == [line.content for line in SCRIPT.lines if line.kind == "line" and line.content]


@pytest.mark.parametrize(
    "words",
    ["# no heading", "1. no list", "2) nor this", "- nor this", "+", "> quote", "`code`", "***", "---", "===",
     "<b>x</b>", "[a](b)", "![a](b)", "&copy;", "a_b_c", "~~gone~~", "| a | b |", "\\", "http://x.y", "www.x.y",
     "me@x.org", "$x$"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["line", "event"])
def test_words_that_look_like_markup_stay_words(words: str, kind: str) -> None:
    line = Line(number=1, beat=0, kind=kind, speaker="Nora" if kind == "line" else "", content=words)
    blocks = [shown(token)[-1] for token in inline(render_markdown(script_with(line)))]
    assert any(block.removesuffix(".") == words for block in blocks)


def test_an_address_does_not_become_a_link_where_bare_links_are_read() -> None:
    line = Line(number=1, beat=0, speaker="Nora", content="See https://x.org, www.x.org or me@x.org")
    assert r"See https\://x.org, www\.x.org or me\@x.org" in render_markdown(script_with(line))
