"""What becomes of a claim: a fact with the text's own words, or a refusal with its reason."""

from __future__ import annotations

import json

import pytest

from dramaturg.kernel.models.profiles import profile_of
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.consolidation.checked_claims import check_claims
from dramaturg.workshop.consolidation.claims import read_claims
from dramaturg.workshop.consolidation.decision_facts import decision_facts
from dramaturg.workshop.consolidation.texts import PIECE, StoryText, message_text, pieces_of
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import Entity, Fact, StoryGraph
from dramaturg.workshop.rehearsal.extraction import ExtractionCue
from tests.workshop.consolidation.manuscripts import answer, said

PROSE = """Elena Vance had green eyes, and Elena was 41. I knew her: the Hale twins did too.

“My mother is dead,” said Ruth. She was lying; in 1901 her mother was in Milan.

Ruth was her own mother, people joked. Elena, whom Ruth called Lena, laughed."""
KNOWN = StoryGraph(
    (
        Entity(1, "character", "Ruth", ("the widow",)),
        Entity(2, "character", "Ann Hale", ("Hale",)),
        Entity(3, "character", "Bea Hale", ("Hale",)),
        Entity(4, "character", "Otto"),
    )
)


def checked(claim: dict[str, str], *, text: StoryText | None = None) -> tuple[list[Fact], list[str], Register]:
    text = text or StoryText("manuscript/a.md", PROSE, 0, "1923-05-04", pov="Otto", scene="a")
    register = Register(KNOWN)
    found = [check_claims(read_claims(answer(claim)), text, piece, register) for piece in pieces_of(text, 8000)]
    return [fact for one in found for fact in one.facts], [no.reason for one in found for no in one.refused], register


@pytest.mark.parametrize(
    ("reason", "claim"),
    [
        ("quote", said("Elena Vance", "eye_colour", "blue", "Elena Vance had blue eyes")),
        ("quote", said("Elena Vance", "age", "42", "Elena was 42")),
        ("value", said("Elena Vance", "eye_colour", "blue", "Elena Vance had green eyes")),
        ("value", said("Elena Vance", "age", "42", "Elena was 41")),
        ("value", said("Elena Vance", "owns", "", "Elena Vance had green eyes")),
        ("predicate", said("Elena Vance", "favourite_colour", "green", "Elena Vance had green eyes")),
        ("predicate", said("Elena Vance", "mentioned_in", "a", "Elena Vance had green eyes")),
        ("predicate", said("Elena Vance", "age", "41", "Elena was 41", modality="rumoured")),
        ("name", said("she", "age", "41", "Elena was 41")),
        ("name", said("Zora", "age", "41", "Elena was 41")),
        ("several", said("Hale", "age", "41", "Elena was 41")),
        ("speaker", said("Ruth", "is_dead", "", "My mother is dead")),
        ("speaker", said("Ruth", "is_dead", "", "her mother was in Milan", modality="believed")),
        ("impossible", said("Ruth", "mother_of", "the widow", "Ruth was her own mother")),
    ],
)
def test_a_claim_is_refused_for_a_reason(reason: str, claim: dict[str, str]) -> None:
    facts, refused, register = checked(claim)
    assert (facts, refused) == ([], [reason])
    assert register.problems == []


def test_a_fact_has_the_words_of_the_text_and_its_place() -> None:
    (fact,), _, register = checked(said("Elena Vance", "eye_colour", "green", "elena vance HAD green eyes"))
    assert (fact.quote, fact.paragraph, fact.start) == ("Elena Vance had green eyes", 1, 0)
    assert (fact.time_from, fact.modality, fact.file) == ("1923-05-04", "narrated", "manuscript/a.md")
    assert [one.name for one in register.new] == ["Elena Vance"]


def test_what_is_spoken_is_claimed_by_who_speaks() -> None:
    (fact,), _, _ = checked(said("Ruth", "is_dead", "", "My mother is dead", by="Ruth"))
    assert (fact.modality, fact.holder) == ("claimed", 1)


def test_the_narrator_is_whose_view_it_is_and_a_short_name_the_full_one_in_the_same_text() -> None:
    (fact,), _, _ = checked(said("I", "knows", "the twins", "I knew her"))
    assert fact.subject == 4
    text = StoryText("manuscript/a.md", PROSE, scene="a")
    register = Register(KNOWN)
    claims = read_claims(
        answer(said("Elena Vance", "age", "41", "Elena was 41"), said("Elena", "is_alive", "", "laughed: no"))
    )
    (piece,) = pieces_of(text, 8000)
    check_claims(claims, text, piece, register)
    named = {"name": "Elena", "alias": "Lena", "quote": "Elena, whom Ruth called Lena"}
    check_claims(read_claims(json.dumps({"names": [named]})), text, piece, register)
    assert [one.names for one in register.new] == [("Elena Vance", "Elena", "Lena")]


@pytest.mark.parametrize("by", ["", "Corbin"])
def test_what_stands_in_a_letter_is_not_told_by_the_book(by: str) -> None:
    text = StoryText("manuscript/a.md", "Corbin wrote.\n\n> Dear Ruth,\n> your aunt Elena is dead.\n", scene="a")
    (piece,) = pieces_of(text, 8000)
    claims = read_claims(answer(said("Elena", "is_dead", "", "your aunt Elena is dead", by=by)))
    found = check_claims(claims, text, piece, Register(KNOWN))
    assert [one.modality for one in found.facts] == (["claimed"] if by else [])
    assert [one.reason for one in found.refused] == ([] if by else ["speaker"])


@pytest.mark.parametrize(
    ("name", "alias", "reasons", "names"),
    [
        ("Philippa", "Pip", [], ("Pip", "Philippa")),
        ("Pip", "Philippa", [], ("Pip", "Philippa")),
        ("Philippa", "Pippa", ["name"], ("Pip",)),
    ],
)
def test_either_of_two_names_may_be_the_known_one(
    name: str, alias: str, reasons: list[str], names: tuple[str, ...]
) -> None:
    text = StoryText("manuscript/a.md", "Your aunt Philippa, everybody calls her Pip, is here.", scene="a")
    (piece,) = pieces_of(text, 8000)
    register = Register(StoryGraph())
    register.entity("character", "Pip", "front matter")
    given = {"name": name, "alias": alias, "quote": "Your aunt Philippa, everybody calls her Pip"}
    found = check_claims(read_claims(json.dumps({"names": [given]})), text, piece, register)
    assert [one.reason for one in found.refused] == reasons
    assert [one.names for one in register.new] == [names]


@pytest.mark.parametrize(
    ("time", "kept"),
    [
        ("", "1923-05-04"),
        ("now", "1923-05-04"),
        ("earlier", "earlier"),
        ("a flashback", "earlier"),
        ("1901", "1901"),
        ("1899", "earlier"),
        ("long ago", "earlier"),
    ],
)
def test_a_time_that_the_text_does_not_give_orders_nothing(time: str, kept: str) -> None:
    (fact,), _, _ = checked(said("Ruth", "child_of", "Otto", "her mother was in Milan", time=time))
    assert fact.time_from == kept


def test_what_a_writer_says_is_planned_whatever_a_model_thinks() -> None:
    text = message_text(3, "Ruth should have green eyes, I say.")
    (fact,), _, _ = checked(said("Ruth", "eye_colour", "green", "Ruth should have green eyes", by="Ruth"), text=text)
    assert (fact.modality, fact.holder, fact.file) == ("planned", None, "conversation/turn-3")


@pytest.mark.parametrize(
    ("category", "key", "fact"),
    [
        ("character", "ruth_fatal_flaw", ("Ruth", "fatal_flaw", "x")),
        ("character", "ruth_flaw", ("Ruth", "fatal_flaw", "x")),
        ("character", "the_widow_eyes", ("Ruth", "eye_colour", "x")),
        ("character", "mickey_fatal_flaw", ("Mickey", "fatal_flaw", "x")),
        ("character", "ruth_favourite_song", ("Ruth", "described_as", "x")),
        ("character", "hero_lie", ("Otto", "the_lie", "x")),
        ("world", "tide", ("tide", "states", "x")),
        ("structure", "midpoint", ("Midpoint", "described_as", "x")),
        ("character", "hale_eyes", None),
        ("structure", "pacing", None),
        ("preference", "spelling", None),
        ("constraint", "gun", None),
    ],
)
def test_a_decision_is_a_fact_by_its_key(category: str, key: str, fact: tuple[str, str, str] | None) -> None:
    made = Decision.model_validate({"id": 7, "category": category, "key": key, "value": "x", "decided_at": 1.0})
    register = Register(KNOWN)
    found = decision_facts([made], (), "Otto", register)
    names = {one.id: one.name for one in (*KNOWN.entities, *register.new)}
    assert [(names[one.subject], one.predicate, one.value) for one in found.facts] == ([fact] if fact else [])
    assert found.promoted == ((7,) if fact else ())


def test_a_long_paragraph_is_cut_and_no_word_is_lost() -> None:
    text = StoryText("manuscript/a.md", "---\nx: y\n---\n" + "She waited. " * 30_000 + "\n\nShe left.", 13)
    pieces = list(pieces_of(text, PIECE["full"]))
    assert max(len(one.text) for one in pieces) <= PIECE["full"]
    assert "".join(one.text for one in pieces).split() == text.text[13:].split()
    assert all(text.text[one.start : one.start + len(one.text)] == one.text for one in pieces)


def test_the_rehearsal_company_reads_a_little_and_says_so() -> None:
    prose = "Elena had green eyes. If Ruth had blue eyes, he would know. “Otto was dead,” said Ann."
    told = json.loads(ExtractionCue(prose).answer().text)
    assert "reads by rule" in told["note"]
    assert [(one["subject"], one["predicate"]) for one in told["facts"]] == [
        ("Elena", "eye_colour"),
        ("Ann", "present_at"),
    ]
    assert profile_of("rehearsal").reads_cues
