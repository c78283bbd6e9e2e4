"""A card as its author wrote it, read and kept."""

from __future__ import annotations

import pytest

from dramaturg.characters.body import read_body, without_section
from dramaturg.characters.card import Card, parse_card
from dramaturg.kernel.errors import CharacterLoadError

ALICE = """\
# Alice - Senior Project Manager

## Personality
- Highly organized and detail-oriented
- Direct communicator, sometimes too blunt

## Communication Style
- Gets straight to the point

## Scene-Specific Instructions
- You value Bob's potential but feel let down by this mistake
"""


def test_the_card_of_the_seed_has_a_name_a_role_and_its_sections() -> None:
    card = parse_card("alice", ALICE)
    assert (card.name, card.display_name, card.role) == ("alice", "Alice", "Senior Project Manager")
    assert [section.heading for section in card.sections] == [
        "Personality",
        "Communication Style",
        "Scene-Specific Instructions",
    ]
    assert card.sections[0].lines == (
        "Highly organized and detail-oriented",
        "Direct communicator, sometimes too blunt",
    )
    assert card.sections[1].text == "- Gets straight to the point"
    assert card.text == card.raw == ALICE


def test_front_matter_gives_the_fields_and_the_rest_is_kept() -> None:
    raw = (
        "---\nlanguage: [de, en]\nmodel: anthropic/claude-x\ntempo: 1.5\nvoice: warm-alto\n"
        "secrets:\n  - took the money\n  - loves Bob\ndescription: A manager.\nborn: 1980-02-30\n---\n"
        "# Alice\nBody.\n"
    )
    card = parse_card("alice", raw)
    assert (card.languages, card.language, card.model, card.tempo) == (
        ("de", "en"),
        "de",
        "anthropic/claude-x",
        1.5,
    )
    assert (card.voice, card.secrets, card.description) == (
        "warm-alto",
        ("took the money", "loves Bob"),
        "A manager.",
    )
    assert card.extra == {"born": "1980-02-30"}
    assert card.text == "# Alice\nBody.\n"
    assert card.raw == raw


@pytest.mark.parametrize("model", ["inherit", "sonnet", "Opus", "haiku", "sonnet[1m]", "opusplan"])
def test_a_model_that_only_another_program_knows_is_not_taken_for_ours(model: str) -> None:
    head = f"name: old-tom\ndescription: Salt.\ntools: Read, Grep\ncolor: red\nmodel: {model}"
    card = parse_card("tom", f"---\n{head}\n---\nA sailor.\n")
    assert card.model is None
    assert card.extra == {"tools": "Read, Grep", "color": "red", "model": model}
    assert card.display_name == "Old Tom"


@pytest.mark.parametrize(
    ("first_line", "name", "role"),
    [
        ("# Alice - Senior Project Manager", "Alice", "Senior Project Manager"),
        ("# Jean-Luc – Captain", "Jean-Luc", "Captain"),
        ("# Zoë — l'étrangère", "Zoë", "l'étrangère"),
        ("# **Alice** - *PM* #", "Alice", "PM"),
        ("# **Alice** Liddell - the *PM*", "Alice Liddell", "the PM"),
        ("# Al_ice_b _Bo_ - `x` of M*A*S*H", "Al_ice_b Bo", "x of M*A*S*H"),
        ("# 王芳", "王芳", ""),
        ("# - Nobody", "- Nobody", ""),
        ("#", "Old Tom", ""),
        ("#hashtag", "Old Tom", ""),
        ("A sailor.", "Old Tom", ""),
    ],
)
def test_the_first_heading_names_the_character_or_else_the_file_does(first_line: str, name: str, role: str) -> None:
    card = parse_card("old-tom", f"{first_line}\nText.\n")
    assert (card.display_name, card.role) == (name, role)


def test_what_stands_before_the_first_heading_is_a_section_without_one() -> None:
    card = parse_card("tom", "# Tom\n\nA sailor who\nnever sailed.\n\n## Fears\n1. water\n2. land,\n   mostly\n")
    assert card.sections[0].heading == ""
    assert card.sections[0].lines == ("A sailor who never sailed.",)
    assert card.sections[1].lines == ("water", "land, mostly")
    assert card.section("FEARS") == card.sections[1]
    assert card.section("Hopes") is None


def test_rules_quotes_and_fences_are_not_lines_and_a_fenced_heading_is_no_heading() -> None:
    raw = "# Tom\n## Says\n> Aye.\n\n***\n```\n# not a heading\n```\n- last\n-\n## Empty\n"
    card = parse_card("tom", raw)
    assert [section.heading for section in card.sections] == ["Says", "Empty"]
    assert card.sections[0].lines == ("Aye.", "# not a heading", "last")
    assert card.sections[1].lines == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_line_ending_and_a_byte_order_mark_read_the_same_and_are_kept(newline: str, mark: str) -> None:
    raw = mark + newline.join(["---", "tempo: 2", "---", "# Alice - PM", "## A", "- one", "- two", ""])
    card = parse_card("alice", raw)
    assert (card.display_name, card.role, card.tempo) == ("Alice", "PM", 2.0)
    assert card.sections[0].lines == ("one", "two")
    assert card.raw == raw
    assert raw.endswith(card.text)


def test_a_rule_at_the_top_is_no_front_matter_and_an_empty_one_is_fine() -> None:
    assert parse_card("tom", "---\nOnce upon a time\n").text == "---\nOnce upon a time\n"
    assert parse_card("tom", "---\n---\nOnce").text == "Once"
    assert parse_card("tom", "---\ndescription: All there is.\n---\n").description == "All there is."


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("tempo: fast", "field 'tempo' must be a number from 0.1 to 10 (found 'fast')"),
        ("tempo: 0", "field 'tempo' must be a number from 0.1 to 10 (found 0)"),
        ("tempo: true", "field 'tempo' must be a number from 0.1 to 10 (found True)"),
        ("tempo: .nan", "field 'tempo' must be a number from 0.1 to 10 (found 'nan')"),
        ("language: no", "put the word in quotes"),
        ("secrets: {a: b}", "field 'secrets' must be text, or a list of texts"),
        ("secrets: [1]", "field 'secrets' must be text, or a list of texts (found 1)"),
        ("voice: 7", "field 'voice' must be text (found 7). Put it in quotes."),
        (
            "description: a: b",
            "line 2, column 15: mapping values are not allowed here. Put a value that contains a colon",
        ),
        ("role: x\ntools: [Read", "line 4, column 1"),
        ("role: &a x\nname: *a", "line 3, column 7: aliases are not supported"),
        ("role: !!python/name:os.system x", "line 2, column 7: could not determine a constructor"),
        ("role: \x07", "line 2, column 7: a character that is not allowed in front matter (U+0007)"),
        ('role: "\\ud800"', "field 'role' contains half of a surrogate pair"),
        ("x: " + "[" * 20 + "]" * 20, "field 'x' is nested too deep"),
        ("x: " + "[" * 9000, "more than 50 levels inside one another"),
        ("x: " + "a" * 40_000, "over 32 kB"),
        ("- a\n- b", "not a list of fields"),
        ("x: !!int ''", "makes no sense"),
    ],
)
def test_front_matter_that_cannot_be_read_says_where_and_the_way_out(head: str, said: str) -> None:
    with pytest.raises(CharacterLoadError) as caught:
        parse_card("alice", f"---\n{head}\n---\n# Alice\n")
    assert said in str(caught.value)
    assert caught.value.context["character"] == "alice"
    assert caught.value.context["reason"]


def test_front_matter_that_is_never_closed_is_reported() -> None:
    with pytest.raises(CharacterLoadError, match="opened in line 1 is never closed"):
        parse_card("alice", "---\ntempo: 1\n# Alice\n")


@pytest.mark.parametrize("raw", ["", "\ufeff", " \r\n\n", "---\ntempo: 1\n---\n \n"])
def test_an_empty_card_is_refused(raw: str) -> None:
    with pytest.raises(CharacterLoadError, match="it is empty"):
        parse_card("alice", raw)


def test_numbers_that_json_cannot_carry_are_kept_as_text() -> None:
    card = parse_card("a", f"---\nx: {2**70}\ny: .inf\nz: {{1: [null, true, 2.5]}}\nvoice:\n---\nText")
    assert card.extra == {"x": hex(2**70), "y": "inf", "z": {"1": [None, True, 2.5]}}
    assert card.voice is None
    assert Card.model_validate_json(card.model_dump_json()) == card


@pytest.mark.parametrize("number", range(4))
def test_a_card_without_one_section_has_all_the_others(number: int) -> None:
    text = "Before.\n\n# Ann - Smith\nA line.\n\n## Voice\n- Low\n\n```\n## not a heading\n```\n## Past\n- Long\n"
    sections = read_body(text).sections
    assert len(sections) == 4
    left = read_body(without_section(text, number))
    assert left.title == read_body(text).title
    assert [one.lines for one in left.sections] == [one.lines for place, one in enumerate(sections) if place != number]
    assert without_section(text, 9) == text
