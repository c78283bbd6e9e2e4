"""What a sentence does to the words inside it: told as true, or supposed, reported, dreamed, pictured, an idiom."""

from __future__ import annotations

import json

import pytest

from dramaturg.workshop.consolidation.checked_claims import check_claims
from dramaturg.workshop.consolidation.claims import read_claims
from dramaturg.workshop.consolidation.framing import is_earlier, is_told
from dramaturg.workshop.consolidation.texts import StoryText, pieces_of
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.rehearsal.extraction import ExtractionCue
from tests.workshop.consolidation.manuscripts import answer, said

TOLD = (
    ("is_dead", "Ruth was dead", "In the morning Ruth was dead."),
    ("is_dead", "Ruth died", "Ruth died on a Thursday, with the windows open."),
    ("is_dead", "Ruth died", "Ruth died because nobody came."),
    ("is_dead", "Ruth was dead", "They knew that Ruth was dead."),
    ("is_dead", "Ruth was dead", "“If only,” said Ann. Ruth was dead."),
    ("is_dead", "war Ruth tot", "Um sieben war Ruth tot."),
    ("is_dead", "Ruth mourut", "Ruth mourut au printemps."),
    ("is_dead", "Ruth murió", "Ruth murió un martes, con las botas puestas."),
    ("eye_colour", "Ruth had green eyes", "Ruth had green eyes, and the boy told her so."),
    ("eye_colour", "Ruth, who said nothing, had green eyes", "Ruth, who said nothing, had green eyes."),
    ("eye_colour", "Ruth hatte grüne Augen", "Ruth hatte grüne Augen und lachte."),
    ("eye_colour", "Ruth has green eyes", "Ruth has green eyes, and in the lamplight they look like glass."),
    ("eye_colour", "Ruth had green eyes", "Ruth had green eyes. She put the lamp out, and moonlight came in."),
    ("friend_of", "Ruth was a friend of Ann", "Ruth was a friend of Ann, and the two wrote letters."),
    ("present_at", "Ruth put the picture", "Ruth put the picture back into the drawer."),
    ("owns", "Ruth owned the mill", "Ruth owned the mill."),
)
NOT_TOLD = (
    ("eye_colour", "Ruth's eyes were green", "In the lamplight, Ruth's eyes were green."),
    ("eye_colour", "Ruth's eyes were green", "Ruth's eyes were green in the moonlight."),
    ("is_dead", "Ruth was dead", "The letter said that Ruth was dead."),
    ("is_dead", "Ruth was dead", "The papers had it that Ruth was dead."),
    ("is_dead", "Ruth was dead", "Ruth was dead, people said."),
    ("is_dead", "Ruth was dead", "As far as the town knew, Ruth was dead."),
    ("is_dead", "Ruth was dead", "If Ruth was dead, the house was hers."),
    ("is_dead", "Ruth was dead", "Ruth was dead? No; she slept."),
    ("is_dead", "Ruth was dead", "Ruth was dead tired."),
    ("is_dead", "Ruth was dead", "Ruth was dead to the world."),
    ("is_dead", "Ruth was nearly dead", "Ruth was nearly dead."),
    ("is_dead", "Ruth died", "Ruth died laughing."),
    ("is_dead", "Ruth died", "Ruth died a little every time he sang."),
    ("is_dead", "Ruth died", "Ruth died, or pretended to."),
    ("is_dead", "Ruth died", "Ruth died in the play every night at nine."),
    ("is_dead", "Ruth war tot", "Ruth war tot, sagten die Leute."),
    ("is_dead", "Ruth war tot", "Ruth war tot müde."),
    ("is_dead", "Ruth était morte", "Ruth était morte de fatigue."),
    ("eye_colour", "Ruth had green eyes", "Nobody had ever said that Ruth had green eyes."),
    ("eye_colour", "Ruth had green eyes", "The portrait of Ruth had green eyes."),
    ("eye_colour", "Ruth had green eyes", "Ruth had green eyes in the photograph."),
    ("eye_colour", "Ruth, they joked, had green eyes", "Ruth, they joked, had green eyes."),
    ("eye_colour", "Ruth avait les yeux bleus", "La sœur de Ruth avait les yeux bleus."),
    ("hair_colour", "Ruth had black hair", "She dyed it in the sink. Ruth had black hair now."),
    ("age", "Ruth was 35", "According to her passport, Ruth was 35."),
    ("owns", "Ruth owned the boat", "Ann sold the boat. Ruth owned the boat now."),
    ("present_at", "said Ruth", "On the tape it went on. “Hello,” said Ruth."),
)


@pytest.mark.parametrize(("predicate", "quote", "text"), TOLD)
def test_a_plain_statement_is_told(predicate: str, quote: str, text: str) -> None:
    start = text.index(quote)
    assert is_told(predicate, text, start, start + len(quote))


@pytest.mark.parametrize(("predicate", "quote", "text"), NOT_TOLD)
def test_what_is_supposed_reported_or_pictured_is_not_told(predicate: str, quote: str, text: str) -> None:
    start = text.index(quote)
    assert not is_told(predicate, text, start, start + len(quote))


def test_a_frame_in_another_paragraph_says_nothing() -> None:
    text = "In the dream it rained.\n\nRuth had green eyes.\n\nOr so they said."
    start = text.index("Ruth")
    assert is_told("eye_colour", text, start, start + len("Ruth had green eyes"))


@pytest.mark.parametrize(
    ("predicate", "quote", "text", "earlier"),
    [
        ("age", "Ruth was 10", "Thirty years before, Ruth was 10.", True),
        ("age", "Ruth was 40", "Ruth was 40. Thirty years before, she had been a child.", False),
        ("present_at", "said Ruth", "When they were boys, it was simple. “I will sail,” said Ruth.", True),
        ("present_at", "said Ruth", "“That was years ago,” said Ruth.", False),
    ],
)
def test_what_is_told_of_an_earlier_time_is_known_by_its_words(
    predicate: str, quote: str, text: str, earlier: bool
) -> None:
    start = text.index(quote)
    assert is_earlier(predicate, text, start, start + len(quote)) is earlier


def test_a_claim_cut_out_of_its_frame_is_refused_and_one_that_says_so_is_kept() -> None:
    text = StoryText("manuscript/a.md", "The clerk told everyone that Ruth had green eyes.", 0, scene="a")
    (piece,) = pieces_of(text, 8000)
    cut = said("Ruth", "eye_colour", "green", "Ruth had green eyes")
    assert [
        one.reason for one in check_claims(read_claims(answer(cut)), text, piece, Register(StoryGraph())).refused
    ] == ["framed"]
    honest = {**cut, "modality": "claimed", "by": "clerk"}
    kept = check_claims(read_claims(answer(honest)), text, piece, Register(StoryGraph())).facts
    assert [one.modality for one in kept] == ["claimed"]


@pytest.mark.parametrize(
    "text",
    [
        "To her mother, Ruth was dead.",
        "The horse that had belonged to Ruth died.",
        "The man who had married Ruth had green eyes.",
        "On the dating page, Ruth was 38 years old.",
        "Der Mann neben Ruth hatte braune Augen.",
        "Es hieß, Ruth war tot.",
    ],
)
def test_the_rehearsal_company_claims_nothing_of_somebody_who_is_not_the_subject(text: str) -> None:
    assert json.loads(ExtractionCue(text).answer().text)["facts"] == []
