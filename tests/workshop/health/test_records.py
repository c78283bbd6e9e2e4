"""What is known of a scene: from front matter, from a model with true quotations, and marked as such."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.health.extraction import is_open, joined, pieces_of, read_answers, record_cells
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.record_matter import is_so, level
from dramaturg.workshop.health.record_reader import QuotableText, read_record
from dramaturg.workshop.health.records import ExtractedRecord
from tests.workshop.graph.stories import scene, write
from tests.workshop.health.shelf import BOOKS, read_book

PROSE = "Ines ran down the stairs.\n\n“You were wrong,” said Tom. The lamp went out, and nobody spoke."
TEXT = QuotableText.of("manuscript/a.md", PROSE)


def test_a_record_has_what_front_matter_says_with_its_line() -> None:
    record = next(one for one in read_book(BOOKS / "salt-road").records if one.name == "ch04-sc01")
    assert record.tension is not None
    assert record.beat is not None
    assert record.challenge is not None
    assert (record.tension.value, record.tension.evidence.quote) == (8.0, "tension: 8")
    assert (record.beat.value, record.challenge.value, record.kind) == ("Midpoint", True, "scene")
    assert record.people == {"Ines Calder", "Tobias Renn", "Hanna Oake"}


@pytest.mark.parametrize(
    ("said", "value"),
    [(7, 7.0), ("7/10", 7.0), ("70%", 7.0), ("3/5", 6.0), ("high", 8.0), ("hoch", 8.0), (True, None), (None, None),
     (11, None), ("-1", None), ("a lot", None), ("7/0", None), ("4,5", 4.5)],
)  # fmt: skip
def test_levels_as_writers_put_them(said: object, value: float | None) -> None:
    assert level(said) == value


@pytest.mark.parametrize(
    ("said", "value"), [("yes", True), ("no", False), (False, False), ("nein", False), ("", None), ("her pride", True)]
)
def test_yes_and_no_as_writers_put_them(said: object, value: bool | None) -> None:
    assert is_so(said) is value


def test_what_a_model_reads_counts_only_with_words_of_the_text() -> None:
    answer = json.dumps(
        {
            "tension": {"value": 7, "quote": "Ines ran down the stairs"},
            "cast": [
                {"name": "Tom", "quote": "“You were wrong,” said Tom."},
                {"name": "Bo", "quote": "Bo came in too"},
            ],
            "flaw_challenged": {"value": True, "quote": "you were very wrong indeed"},
            "theme": {"value": 4, "quote": "out"},
        }
    )
    found = read_record(f"Here it is:\n```json\n{answer}\n```", TEXT)
    assert found.tension is not None
    assert (found.tension.value, found.tension.evidence.paragraph, found.tension.evidence.origin) == (
        7.0,
        1,
        "extracted",
    )
    assert [one.value for one in found.cast] == ["Tom"]
    assert (found.challenge, found.resonance, found.refused) == (None, None, 3)


def test_lines_are_read_where_there_is_no_json() -> None:
    found = read_record('Tension: 6 – "nobody spoke"\n- **cast**: Ines “Ines ran down the stairs”\nbeat: none', TEXT)
    assert found.tension is None  # two words prove nothing
    assert [one.value for one in found.cast] == ["Ines"]


@given(st.text(max_size=400) | st.builds(json.dumps, st.recursive(st.none() | st.booleans() | st.text(max_size=20) | st.floats(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["tension", "cast", "value", "name", "quote", "theme", "beat", "kind"]), inner, max_size=5))))  # fmt: skip  # noqa: E501
def test_no_answer_raises_and_nothing_without_a_quotation_is_taken(answer: str) -> None:
    found = read_record(answer, TEXT)
    told = [found.tension, found.beat, found.place, found.time, found.resonance, *found.cast, *found.symbols]
    assert all(one.evidence.paragraph and one.evidence.origin == "extracted" for one in told if one is not None)


def test_what_the_writer_said_stands_beside_what_a_model_read(tmp_path: Path) -> None:
    scene(tmp_path, "ch01-sc01", "tension: 2\ncast: [Ines]", PROSE)
    book = read_book(tmp_path)
    quoted = {"value": 9, "quote": "Ines ran down the stairs"}
    answer = json.dumps({"tension": quoted, "theme": {"value": 5, "quote": "The lamp went out"}})
    read = read_answers(book.texts[0], [answer])
    record = checked_book(tmp_path, book.graph, {book.texts[0].path: read}).records[0]
    assert record.tension is not None
    assert record.resonance is not None
    assert (record.tension.value, record.tension.evidence.origin) == (2.0, "front matter")
    assert (record.resonance.value, record.resonance.evidence.origin) == (5.0, "extracted")


def test_a_long_scene_is_read_in_pieces_that_are_the_whole_of_it() -> None:
    body = ("word " * 70_000).strip()
    assert "".join(pieces_of(body)) == body
    assert all(len(piece) <= 24_000 for piece in pieces_of(body))
    assert list(pieces_of("")) == [""]


def test_requests_are_keyed_by_the_text_and_hold_it(tmp_path: Path) -> None:
    write(tmp_path, "manuscript/ch01-sc01.md", PROSE)
    book = read_book(tmp_path)
    (one,) = record_cells(book, book.texts[0])
    assert one.temperature == 0.1
    assert PROSE.strip() in one.text
    write(tmp_path, "manuscript/ch01-sc01.md", PROSE + " More.")
    again = read_book(tmp_path)
    assert record_cells(again, again.texts[0])[0].key != one.key
    assert is_open(book.records[0])


def test_the_rehearsal_company_quotes_truly_and_claims_little() -> None:
    book = read_book(BOOKS / "pegelstand")
    for text in book.texts:
        answers = [asked.cue.answer().text for asked in record_cells(book, text) if asked.cue is not None]
        read = read_answers(text, answers)
        assert (read.refused, read.tension is not None) == (0, True)


def test_several_parts_are_one_record() -> None:
    one = read_record('{"tension": {"value": 2, "quote": "Ines ran down the stairs"}}', TEXT)
    other = read_record('{"tension": {"value": 6, "quote": "and nobody spoke"}, "flaw_challenged": false}', TEXT)
    both = joined([one, other])
    assert both.tension is not None
    assert both.challenge is not None
    assert (both.tension.value, both.tension.evidence.quote, both.challenge.value) == (4.0, "and nobody spoke", False)
    assert joined([]) == ExtractedRecord()
