"""The gate for regular expressions knows the bad ones from the good ones."""

from __future__ import annotations

import ast
import re

import pytest

from tests.pattern_uses import refused, uses
from tests.patterns import grows

BAD = [
    (r"^\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*$", re.S, "match"),
    (r"\s+$", 0, "search"),
    (r"<[^>]*>", 0, "search"),
    (r"<[^>]*+>", 0, "search"),
    (r"(a+)+b", 0, "match"),
    (r"(?:\w+\s*)*:", 0, "match"),
    (r"(?:a|a)*b", 0, "match"),
    (r"(?:a|b|ab)*c", 0, "match"),
    (r"<\s*(/?)\s*([A-Za-z][\w-]*)([^<>]*?)(/?)\s*>", 0, "fullmatch"),
    (r"<!--.*?-->", re.S, "sub"),
    (r"^\s*[-*]", re.M, "search"),
    (r".*a.*b", 0, "match"),
    (r"\s*,\s*", 0, "split"),
    (r"a*a*b", 0, "match"),
    (r"(?>a*a*b)", 0, "match"),
    (r"(?=.*[A-Z])x", 0, "search"),
    (r"(?:x*y)|x", 0, "finditer"),
    (r"\bto (.+)$", 0, "search"),
    (r"\*[^\W\d_](?:[^\W\d]|[ _'-]){0,60}", 0, "fullmatch"),
    (r"(?:\w+\s?){1,40}:", 0, "match"),
]
GOOD = [
    (r"[^\W_]+(?:['’-][^\W_]+)*", 0, "finditer"),
    (r"<[^<>]*>", 0, "search"),
    (r"\b\w+:", 0, "search"),
    (r"(?<!\w)\w+!", 0, "search"),
    (r"\s+", 0, "sub"),
    (r"```.*?(?:```|\Z)|`[^`\n]+`", re.S, "finditer"),
    (r"<think>.*?(?:</think>|\Z)", re.S, "sub"),
    (r"^[ \t]*[-*]", re.M, "search"),
    (r"a*+a?b", 0, "match"),
    (r"\s*+\s*x", 0, "match"),
    (r"\n\s*\n", 0, "split"),
    (r'"[^"]*"', 0, "search"),
    (r"\s*\w+\s*:", 0, "match"),
    (r"\*([^*\n]+)\*", 0, "findall"),
    (r"\bto (.+)", 0, "search"),
    (r"\*[^\W\d_](?:[^\W\d]|[ '-]){0,60}", 0, "fullmatch"),
    (r"(?:\w\s?){1,40}:", 0, "match"),
    (r"(?:a|a){0,4}b", 0, "match"),
]


@pytest.mark.parametrize(("pattern", "flags", "use"), BAD)
def test_a_pattern_that_tries_every_division_is_refused(pattern: str, flags: int, use: str) -> None:
    assert grows(pattern, flags, use)


@pytest.mark.parametrize(("pattern", "flags", "use"), GOOD)
def test_a_pattern_with_one_way_to_read_a_text_passes(pattern: str, flags: int, use: str) -> None:
    assert not grows(pattern, flags, use)


def test_a_pattern_is_judged_by_each_use_of_it() -> None:
    module = ast.parse('import re\nA = re.compile(r"\\s*x")\nA.match("")\nA.search("")\nre.sub(rf"{1}", "", "")')
    assert [(one.use, one.line) for one in refused(module)] == [("search", 2)]
    assert [one.text for one in uses(module) if one.use == "sub"] == [None]


def test_constants_and_escaped_words_are_put_into_the_pattern() -> None:
    module = ast.parse('import re\nB = "[ab]"\nname = input()\nre.search(rf"{B}*{re.escape(name)}", "")')
    assert [one.text for one in uses(module)] == ["[ab]*x"]
    assert [one.use for one in refused(module)] == ["search"]
