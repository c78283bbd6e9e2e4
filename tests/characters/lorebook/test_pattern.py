"""Patterns that are keys: the same answers as other engines, and an end."""

from __future__ import annotations

import re
from random import Random

import pytest

from dramaturg.characters.lorebook.pattern import UnusablePatternError, compiled, marked, pattern_of
from dramaturg.characters.lorebook.work import MAX_STEPS, StepBudget

PIECES = r"a b c . [ab] [^a] [a-c] (a|b) (?:ab) a* b+ c? (ab)* a{2} b{1,3} ^ $ \b \w \d \s |".split()
NESTED = r"a{0} (a|) (a*)* (?:b?)+ c{2,}".split()
BEYOND_ASCII = (
    r"é+ _ ж [^é] [é-ü_] [\w-] [^\W\d_] [\s—] [^\s] \S \D \W [\W_] (a|é) (?:é_)* 中 "
    r"\bé é\b \b\w+\b [\u0400-\uffff]"
).split()


def found(pattern: str, text: str, flags: str = "") -> bool:
    return compiled(pattern, flags).found_in(marked(text), StepBudget())


def test_a_pattern_finds_what_pythons_engine_finds() -> None:
    random = Random(7)
    for _ in range(3000):
        pattern = "".join(random.choice(PIECES + NESTED) for _ in range(random.randint(1, 6)))
        text = "".join(random.choice("abc d1\n") for _ in range(random.randint(0, 8)))
        flags = random.choice(["", "m", "i", "s"])
        ours = {"": 0, "m": re.M, "i": re.I, "s": re.S}[flags]
        theirs = pattern if flags == "m" else pattern.replace("$", r"\Z")
        assert found(pattern, text, flags) == bool(re.search(theirs, text, ours)), (pattern, text, flags)


def test_beyond_ascii_words_and_boundaries_are_those_of_pythons_engine() -> None:
    random = Random(11)
    for _ in range(3000):
        pattern = "".join(random.choice(PIECES + BEYOND_ASCII) for _ in range(random.randint(1, 5)))
        text = "".join(random.choice("aé_ж中—😀\u2003 1\n") for _ in range(random.randint(0, 8)))
        theirs = pattern.replace("$", r"\Z")
        assert found(pattern, text) == bool(re.search(theirs, text)), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        (r"\bCafé\b", "", "im Café.", True),
        (r"\bCaf\b", "", "im Café.", False),
        (r"\büber", "i", "Über allem", True),
        (r"stra\Bße", "", "Hauptstraße", True),
        (r"^\w+$", "", "паром", True),
        ("ПАРОМ", "i", "паром", True),
        (r"\b船\b", "", "渡し船", False),
        (r"[^é]", "", "éé", False),
        (r"\bx", "", "_x", False),
        (r"a_b", "", "a_b", True),
        (r"\d", "", "٣", False),
        (r"\s", "", "\u3000", True),
        (".", "", "\u2028", False),
        ("^b$", "", "a\nb", False),
        ("^b$", "m", "a\nb\nc", True),
        ("[]", "", "a", False),
        ("[^]", "", "\n", True),
        (r"\ud800", "", "a", False),
        ("\uffff", "", "_", False),
    ],
)
def test_letters_beyond_ascii_belong_to_words(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert found(pattern, text, flags) is expected


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        (r"\u0041\x42\u{43}", "", "ABC"),
        (r"[\w-]+\.[^\d\s]", "", "a-b.c"),
        (r"(?<name>x)y", "", "xy"),
        ("ÄPFEL", "i", "äpfel"),
        ("[A-Z]", "i", "q"),
        (r"[\]\b]", "", "]"),
        ("a{,2}", "", "a{,2}"),
        (r"(\w+ ){1,60}end", "", "one two end"),
        (r"\/", "", "/"),
    ],
)
def test_what_javascript_writes_is_understood(pattern: str, flags: str, text: str) -> None:
    assert found(pattern, text, flags)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=a)", "looks ahead or behind"),
        ("(?<!a)b", "looks ahead or behind"),
        (r"(a)\1", "repeats what a group matched"),
        (r"\p{L}", "not supported"),
        ("(", "never closed"),
        (")", "closes nothing"),
        ("[a", "breaks off"),
        ("a\\", "breaks off"),
        ("*", "nothing to repeat"),
        ("a**", "nothing to repeat"),
        ("[z-a]", "makes no sense"),
        ("a{3,2}", "cannot be counted"),
        ("a{500}", "cannot be counted"),
        ("((a{90}){90}){90}", "too large"),
        ("(" * 60 + ")" * 60, "over 50 groups"),
        ("a" * 3000, "over 2000 characters"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(pattern: str, reason: str) -> None:
    with pytest.raises(UnusablePatternError, match=reason):
        compiled(pattern)


def test_only_what_stands_between_slashes_is_a_pattern() -> None:
    assert pattern_of("/a\\/b/gi") == ("a/b", "gi")
    assert pattern_of("/usr/bin") is None
    assert pattern_of("and/or") is None
    assert pattern_of("/a/x") is None
    assert pattern_of("//") is None


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){20}", r"^(\w+\s?)*$"])
def test_the_work_grows_with_the_text_and_no_faster(pattern: str) -> None:
    spent = []
    for length in (1000, 4000):
        work = StepBudget()
        compiled(pattern).found_in(marked("a" * length + "!"), work)
        spent.append(MAX_STEPS - work.left)
    assert spent[1] < 6 * spent[0]


def test_work_that_is_spent_ends_the_search() -> None:
    work = StepBudget(left=100)
    assert not compiled("b").found_in(marked("a" * 1000 + "b"), work)
    assert work.is_spent
