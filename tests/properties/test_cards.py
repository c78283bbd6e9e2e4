"""Laws of cards: any bytes are a card or a typed error, and nothing of a card is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.characters.card import Card, parse_card
from dramaturg.characters.load import decode
from dramaturg.kernel.errors import CharacterLoadError

MARKS = [
    "---\n",
    "...\n",
    "# ",
    "## ",
    "- ",
    "* ",
    "\n",
    "\r\n",
    "\r",
    "```\n",
    "> ",
    "Alice - PM",
    "王芳",
    "\u2028",
]
YAML = [
    "tempo: ",
    "secrets: [",
    "]",
    "&a ",
    "*a",
    "!!int ",
    "{",
    "}",
    ": ",
    "'",
    '"',
    "\\ud800",
    "<<: ",
    "? ",
    "=",
]
WORDS = ["0x", "1e999", ".nan", "2024-99-99", "model: inherit", "language: no", "\ufeff", "\x85"]
FRAGMENTS = st.sampled_from([*MARKS, *YAML, *WORDS])
MARKDOWN = st.lists(FRAGMENTS | st.text(max_size=8), max_size=40).map("".join)
WITH_MATTER = st.tuples(MARKDOWN, MARKDOWN).map(lambda pair: f"---\n{pair[0]}\n---\n{pair[1]}")
FILES = st.binary(max_size=200) | (MARKDOWN | WITH_MATTER).map(lambda text: text.encode("utf-8", "surrogatepass"))


def read(data: bytes) -> Card | CharacterLoadError:
    try:
        return parse_card("alice", decode("alice", data))
    except CharacterLoadError as error:
        return error


@given(FILES)
def test_any_bytes_are_a_card_or_a_character_load_error(data: bytes) -> None:
    card = read(data)
    if isinstance(card, CharacterLoadError):
        assert card.context["character"] == "alice"
        assert card.context["reason"]
        return
    assert card.raw.encode("utf-8") == data
    assert card.raw.endswith(card.text)
    assert card.display_name.strip()
    assert "\n" not in card.display_name
    assert Card.model_validate_json(card.model_dump_json()) == card


@given(MARKDOWN)
def test_a_line_of_a_section_stands_in_its_text(body: str) -> None:
    card = read(f"---\n---\n{body}".encode("utf-8", "surrogatepass"))
    if isinstance(card, Card):
        assert card.text == body
        for section in card.sections:
            assert all(word in section.text for line in section.lines for word in line.split())


@given(st.lists(st.text("abc é", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=6))
def test_a_bullet_is_a_line(bullets: list[str]) -> None:
    body = "# Alice\n## Traits\n" + "".join(f"- {bullet}\n" for bullet in bullets)
    assert parse_card("alice", body).sections[0].lines == tuple(bullets)
