"""Work inside one call, which the meter does not see: what is handed on stays in proportion, or within a limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

import pytest

from dramaturg.episodes import spoken_lines
from dramaturg.kernel.text import sentences
from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.scenes.cut import cut_line, part_to_tell
from dramaturg.scenes.director import negation, tables
from dramaturg.scenes.flaws import in_sentences
from dramaturg.scenes.insight import movement
from dramaturg.workshop.patches import rewrite
from dramaturg.workshop.patches.rewrite import paragraph_patches
from tests.patterns import grows

Sizes = list[int]


@pytest.fixture
def sizes() -> Sizes:
    return []


def noted(sizes: Sizes, call: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
    def wrapped(*given: Any, **named: Any) -> Any:
        sizes.append(size(*given))
        return call(*given, **named)

    return wrapped


@pytest.mark.parametrize("token", ["a ", "Mr. ", "a*a*", "。)", ".。)", '"a', "3.a ", "A. ", "字。"])
def test_a_message_is_looked_at_for_its_sentences_once(
    token: str, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spoken_lines, "sentence_ends", noted(sizes, sentence_ends, len))
    text = token * 1000
    spoken_lines.spoken_parts(text, narrates=True)
    assert sum(sizes) <= 4 * len(text)


@pytest.mark.parametrize("text", ["Mr. " * 500, "e.g. x " * 500, "a.b." * 500 + " A", "(" * 500 + "Mr. A"])
def test_the_words_before_the_marks_are_each_looked_at_once(
    text: str, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Letters(str):
        def __getitem__(self, place: Any) -> str:
            sizes.append(1 if isinstance(place, int) else len(range(*place.indices(len(self)))))
            return super().__getitem__(place)

    sentences.sentence_ends(Letters(text))
    assert sum(sizes) <= 3 * len(text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Mr. Hale left. He ran.", [14, 22]),
        ("A tall Mr. Hale.", [16]),
        ("((Mr. Hale left. No. 3 too.", [16, 27]),
        ("approxMr. Hale left.", [9, 20]),
    ],
)
def test_a_shortened_word_ends_no_sentence_wherever_it_stands(text: str, ends: list[int]) -> None:
    assert sentence_ends(text) == ends


def test_of_an_answer_no_more_than_the_first_words_are_compared(sizes: Sizes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movement, "_edits", noted(sizes, movement._edits, lambda old, new: max(len(old), len(new))))
    text = "a b " * 20_000
    assert movement.word_distance(text, text[::-1]) < 1
    assert sizes == [movement.MOST_WORDS]


@pytest.mark.parametrize("token", ["\u01f0", "no ", ", no", "says not ", "does not "])
def test_of_a_goal_no_more_is_read_than_a_goal_can_have(
    token: str, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negation, "split_words", noted(sizes, negation.split_words, len))
    negation.denies.__wrapped__(token * 20_000)
    assert max(sizes) <= 3 * negation.LONGEST_GOAL


def test_the_beginning_of_a_row_of_words_is_all_that_is_joined(sizes: Sizes) -> None:
    class Row(list[str]):
        def __getitem__(self, place: Any) -> Any:
            sizes.append(len(range(*place.indices(len(self)))))
            return super().__getitem__(place)

    assert tables.begins(Row(["no", "longer"] * 1000), ("not", "no longer no"))
    assert sizes == [3]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n## a\n" * 2000, "\n## a\n" * 1000 + "\nb\n\n" + "## a\n\n" * 1000),
        ("a\n\nb\n\n" * 1000, "b\n\na\n\n" * 900),
        ("".join(f"{n}\n\na\n\n" for n in range(1000)), "".join(f"{n}\n\nb\n\n" for n in range(1000))),
    ],
)
def test_paragraphs_are_compared_in_every_order_only_where_there_are_few(
    old: str, new: str, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = noted(sizes, SequenceMatcher, lambda _, left, right: max(len(left), len(right)))
    monkeypatch.setattr(rewrite, "SequenceMatcher", compared)
    patches = paragraph_patches("a.md", old, new)
    assert max(sizes, default=0) <= rewrite.MOST_PARAGRAPHS
    text = old
    for patch in reversed(patches):
        place = text.rfind(patch.before + patch.old + patch.after) + len(patch.before)
        assert place >= len(patch.before)
    assert patches


@pytest.mark.parametrize(
    ("file", "made"),
    [
        ("---\ntitle: a\n---\n", "---\ntitle: a\n---\n\nA new scene."),
        ("---\ntitle: a\n---\n\n", "---\ntitle: a\n---\n\nA new scene."),
        ("", "A new scene."),
        ("\ufeff", "\ufeffA new scene."),
    ],
)
def test_a_file_without_prose_gets_all_of_the_new_one(file: str, made: str) -> None:
    (patch,) = paragraph_patches("a.md", file, "A new scene.")
    assert patch.before + patch.new + patch.after == made
    assert paragraph_patches("a.md", file, "") == ()


SEVEN = "one two three four five six seven"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("one two three four, five six seven", "one two three four,"),
        ("one two three four,,; five six seven", "one two three four,,;"),
        ("one two three four,five six seven", None),
        ("one two three four。five six seven", None),
        ("one two three four?。five six seven", "one two three four?"),
        ("one two three four。你 six seven eight", "one two three four。"),
        (f"{SEVEN} {'?' * 5000}x", None),
    ],
)
def test_a_line_is_told_up_to_a_phrases_marks(line: str, told: str | None) -> None:
    assert part_to_tell(line) == told


def test_a_long_phrase_is_found_word_by_word() -> None:
    line = " ".join(str(one) for one in range(3000))
    cut = cut_line(line, line[: line.index(" 2999")])
    assert cut is not None
    assert cut.unsaid == "2999"
    assert cut_line(line, f"{line} 3000") is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("." * 3000 + "x", "." * 3000 + "x."),
        ("Go. Now! Or not? Why? Well.", "Go. Now! Or not?"),
        ("... go. Now", "... go. Now."),
        ("走。跑！Stop.now", "走。 跑！ Stop.now."),
        ("He said 'no.' Then 'yes.'x", "He said 'no.' Then 'yes.'x."),
    ],
)
def test_a_line_is_cut_into_whole_sentences(text: str, line: str) -> None:
    assert in_sentences(text) == line


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("a b c", "a c", 1),
        ("a b", "b a", 2),
        ("", "a b", 2),
        ("a", "", 1),
        ("a b c d", "x b y d", 2),
        ("a b", "a b", 0),
    ],
)
def test_the_words_between_two_texts_are_counted(before: str, after: str, edits: int) -> None:
    longest = max(len(before.split()), len(after.split()))
    assert movement.word_distance(before, after) == edits / longest


@pytest.mark.parametrize("row", ["slavic_signs", "dutch_signs", "norse_signs"])
def test_the_signs_of_a_language_are_looked_for_in_proportion(row: str) -> None:
    (pattern,) = tables.lexicon("clauses")[row]
    assert not grows(pattern, re.IGNORECASE, "search")
