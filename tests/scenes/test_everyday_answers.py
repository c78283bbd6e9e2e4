"""What models write every day instead of one line in one form, judged by what the transcript prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


FIRST, FURTHER = cases("everyday_answers.txt"), cases("more_everyday_answers.txt")
CASES = FIRST | FURTHER


def printed(answer: str) -> str:
    """The line of a transcript for an answer of Bob's; nothing for silence."""
    parsed, _ = parse_response(answer, me="Bob", cast=CAST)
    return "" if parsed.action == "silent" else Line.spoken(1, 0, "Bob", parsed).rendered()


@pytest.mark.parametrize("case", CASES)
def test_an_everyday_answer_is_printed_as_a_reader_expects_it(case: str) -> None:
    assert len(CASES) == len(FIRST) + len(FURTHER), "two cases have one name"
    answer, line = CASES[case]
    assert printed(answer) == line


ENGINE_LINES = ("[SCENE END", "[SCENE START", "[EVENT:", "[SYSTEM:", "[STAGE:")
PIECES = (
    *(
        "[SCENE END - Goal: Achieved]",
        "[EVENT: Fire!]",
        "[SYSTEM: x]",
        "[STAGE: y]",
        "[scene end",
        "[EVE",
        "NT: z]",
        "【EVENT: x】",
    ),
    *(
        '"',
        "“",
        "”",
        "「",
        "」",
        "'",
        "[",
        "]",
        "(",
        ")",
        "*",
        "_",
        "\n",
        "\n\n",
        " ",
        ", ",
        "{",
        "}",
        '{"content": "',
        '", "tone": "',
    ),
    *(
        "Bob: ",
        "Alice: ",
        "TONE: sad",
        "TO: Alice",
        "says Alice",
        "Words. ",
        "words",
        "<think>",
        "</think>",
        "Note: ",
        "\\n",
    ),
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_answer_prints_a_row_of_its_own_or_what_only_the_engine_writes(answer: str) -> None:
    line = printed(answer)
    assert len(line.splitlines()) < 2
    assert not any(mark in line for mark in ENGINE_LINES), line
