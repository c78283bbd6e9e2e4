"""What models write every day instead of one line in one form, judged by what the transcript prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.scenes.line import Line
from dramaturg.scenes.response import parse_response

CAST = ("Alice", "Bob", "Old Tom")


def cases(name: str) -> dict[str, tuple[str, str]]:
    """The answers of a table and the printed lines, by the names of the cases."""
    found: dict[str, tuple[str, str]] = {}
    for block in (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *rows = block.splitlines()
        answer = "\n".join(row[1:].removeprefix(" ") for row in rows if row.startswith(">"))
        (printed,) = [row[1:].strip() for row in rows if row.startswith("=")]
        assert title not in found
        found[title] = (answer, printed)
    return found


CASES = cases("everyday_answers.txt")


def printed(answer: str) -> str:
    """The line of a transcript for an answer of Bob's; nothing for silence."""
    parsed, _ = parse_response(answer, me="Bob", cast=CAST)
    return "" if parsed.action == "silent" else Line.spoken(1, 0, "Bob", parsed).rendered()


@pytest.mark.parametrize("case", CASES)
def test_an_everyday_answer_is_printed_as_a_reader_expects_it(case: str) -> None:
    answer, line = CASES[case]
    assert printed(answer) == line
