"""Names are found in prose, and common words are not taken for people."""

from __future__ import annotations

import pytest

from dramaturg.workshop.graph.names import NameIndex, words_in_lower_case

NAMES = ["Elena", "Will", "Hope", "May", "the widow", "Mrs Vance", "O'Brien", "Jean-Luc", "Elena Vance", "エレナ"]


def found(text: str, *names: str) -> list[str]:
    return [one.name for one in NameIndex(names or NAMES, words=words_in_lower_case(text)).find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will you come? May I? Hope dies last.", []),
        ("I will hope that you may.", []),
        ("“Will you?” she asked. ‘May I?’", []),
        ("— Will he come? — Hope so.", []),
        ("In May they left; on 4 May they met, since May. May 5.", []),
        ("WILL HE? HOPE!", []),
        ("# Hope", []),
        ("Then Will came, and Hope with him.", ["Will", "Hope"]),
        ("They saw May at the rail.", ["May"]),
        ("Mr. Will left.", ["Will"]),
        ("Elena ran. ELENA! Elena's dog.", ["Elena", "Elena", "Elena"]),
        ("elena and Elenas", []),
        ("The widow wept; Mrs. Vance did not.", ["the widow", "Mrs Vance"]),
        ("O’Brien met Jean-Luc.", ["O'Brien", "Jean-Luc"]),
        ("Elena Vance is one name.", ["Elena Vance"]),
        ("Elena. Vance was another.", ["Elena"]),
        ("彼女はエレナだった。", ["エレナ"]),
        ("", []),
    ],
)
def test_a_name_is_found_where_it_stands_and_nowhere_else(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_a_word_that_the_text_itself_writes_small_is_a_common_word() -> None:
    assert found("Zephyr blew. The zephyr is a wind.", "Zephyr") == []
    assert found("Zephyr blew. The wind did not.", "Zephyr") == ["Zephyr"]
