"""A line that does not sound like its card is noticed; where nothing can be measured, nothing is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.director.drift import DRIFTED, Drift, Manner, correction, drift_of, effect, read_manner

BLUNT = read_manner([("Communication Style", ["Direct, gets straight to the point", "Short sentences"])], "Alice")
SOOTHING = read_manner([("Personality", ["Gentle, soothing", "Hesitant; hedges everything"])], "Charlie")
FORMAL = read_manner([("Personality", ["Formal, ceremonious"]), ("Voice", ["Never raises the voice"])], "Abara")
CASUAL = read_manner([("Style", ["Breezy and informal"])], "Pim")
GRUFF = read_manner([("Personality", ["Gruff, laconic"])], "Corrin")

RAMBLING = (
    "Well, I guess I was sort of thinking that maybe, if it's all right with everyone, we could perhaps possibly"
    " look at the numbers again, or something like that, you know, because it seems to me that there might be a bit"
    " of a problem"
)
CURT = "No excuses. You must stop this now. It was always wrong."
SLANG = "Yeah, we're gonna sort that stuff out, it's cool, don't worry."
STIFF = "I am obliged to you. I do not, however, believe that it is wise. Furthermore, I cannot permit it."
SHOUT = "Get out! Get out of my kitchen! You are NOT welcome here!"
INSULT = "Shut up, you pathetic liar. It was your fault, and I am sick of you."
SWEET = "Thank you, my dear, I understand. I am so grateful, and please take your time."

OWN = [
    (BLUNT, "We lost the client. I want dates, and I want them by noon."),
    (BLUNT, "I asked you three times. Three times you told me green."),
    (BLUNT, CURT),
    (SOOTHING, "Perhaps we could all sit down for a moment, if you like."),
    (SOOTHING, "I think you might both be right, a little."),
    (FORMAL, "I came in for tea. I find I am holding a tribunal."),
    (FORMAL, STIFF),
    (CASUAL, SLANG),
    (GRUFF, "The wick was wet. Wicks get wet."),
]
FOREIGN = [
    (BLUNT, RAMBLING, "assertive"),
    (SOOTHING, CURT, "hedging"),
    (SOOTHING, INSULT, "gentle"),
    (FORMAL, SLANG, "formal"),
    (FORMAL, SHOUT, "quiet"),
    (CASUAL, STIFF, "casual"),
    (GRUFF, SWEET, "harsh"),
    (GRUFF, RAMBLING, "terse"),
]


@pytest.mark.parametrize(
    ("manner", "line"), OWN, ids=lambda value: value[:30] if isinstance(value, str) else value.name
)
def test_a_line_of_ones_own_is_left_alone(manner: Manner, line: str) -> None:
    drift = drift_of(manner, line)
    assert drift.score is not None
    assert drift.score < DRIFTED - 0.15


@pytest.mark.parametrize(
    ("manner", "line", "trait"), FOREIGN, ids=lambda value: value[:30] if isinstance(value, str) else value.name
)
def test_a_line_of_somebody_elses_is_noticed_and_the_trait_is_named(manner: Manner, line: str, trait: str) -> None:
    drift = drift_of(manner, line)
    assert drift.drifted
    assert trait in [reason.trait for reason in drift.reasons]
    assert all(reason.evidence for reason in drift.reasons)


def test_a_manner_keeps_the_words_of_the_card() -> None:
    assert [(trait.name, trait.said) for trait in FORMAL.traits] == [
        ("formal", "Formal"),
        ("quiet", "Never raises the voice"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Hedges and rambles when nervous",
        "When angry: clipped, blunt",
        "Sometimes blunt",
        "Not formal at all",
        "Kind without being soft-spoken",
        "Funny, brave, loyal to the last",
        "Terse, though she becomes long-winded when she drinks, and rambling after",
    ],
)
def test_what_holds_only_at_times_or_cannot_be_measured_is_left_out(line: str) -> None:
    assert read_manner([("Personality", [line])]).traits == ()


def test_a_card_that_says_both_says_neither() -> None:
    assert read_manner([("Personality", ["Blunt"]), ("Style", ["Hesitant in company"])]).traits == ()


def test_a_default_state_holds_always() -> None:
    assert [trait.name for trait in read_manner([("Traits", ["Default state: calm, polite"])]).traits] == [
        "quiet",
        "gentle",
    ]


def test_history_gestures_and_lines_say_nothing_of_manner() -> None:
    sections = [
        ("Background", ["A formal education"]),
        ("Gestures", ["clipped nod"]),
        ("Lines", ["Shut up, be blunt."]),
    ]
    assert read_manner(sections).traits == ()


@pytest.mark.parametrize("line", ["", "No!", "Shut up, liar!"])
def test_a_few_words_go_unscored(line: str) -> None:
    assert drift_of(FORMAL, line).score is None


def test_without_a_manner_every_line_goes_unscored() -> None:
    assert drift_of(Manner(), RAMBLING) == Drift()
    assert not drift_of(Manner(), RAMBLING).drifted


def test_one_quiet_line_of_a_loud_person_proves_nothing() -> None:
    loud = read_manner([("Personality", ["Loud, boisterous"])])
    assert drift_of(loud, "I'll fetch the other one.").score is None
    assert drift_of(loud, "There she is, my girl!").score == 0


def test_a_talkative_person_may_not_be_done_in_five_words() -> None:
    wordy = read_manner([("Style", ["Long-winded, never stops talking"])])
    assert drift_of(wordy, "I will fetch it.").drifted
    assert drift_of(wordy, RAMBLING).score == 0


def test_questions_show_who_asks_and_who_never_does() -> None:
    asking = read_manner([("Style", ["Inquisitive"])])
    telling = read_manner([("Style", ["Never asks"])])
    assert drift_of(asking, "And where was the dog?").score == 0
    assert drift_of(asking, "The dog was out.").score is None
    assert drift_of(telling, "And where was the dog?").drifted
    assert drift_of(telling, "The dog was out.").score == 0


def test_the_correction_is_a_directors_note() -> None:
    assert (
        correction(SOOTHING, drift_of(SOOTHING, CURT))
        == "Charlie hedges and soothes; that last line was blunt. Soften."
    )
    assert correction(FORMAL, drift_of(FORMAL, SHOUT)).startswith("Abara stays calm and keeps to the forms; that last")
    assert correction(read_manner([("", ["Terse"])]), drift_of(BLUNT, RAMBLING)).startswith(
        "This character keeps it short;"
    )


def test_nothing_to_correct_is_no_note() -> None:
    assert correction(BLUNT, drift_of(BLUNT, CURT)) == ""


def test_the_effect_of_a_note_is_how_much_nearer_the_lines_came() -> None:
    before, after = [drift_of(BLUNT, RAMBLING), Drift()], [drift_of(BLUNT, CURT)]
    helped, hurt = effect(before, after), effect(after, before)
    assert helped is not None
    assert hurt is not None
    assert helped > 0.5
    assert hurt == -helped


def test_an_effect_that_was_not_measured_is_none() -> None:
    assert effect([], [drift_of(BLUNT, CURT)]) is None
    assert effect([drift_of(BLUNT, CURT)], [Drift()]) is None


@given(
    st.lists(st.tuples(st.text(max_size=12), st.lists(st.text(max_size=40), max_size=3)), max_size=4),
    st.text(max_size=200),
)
def test_any_card_can_be_read_and_any_line_held_against_it(sections: list[tuple[str, list[str]]], line: str) -> None:
    for manner in (read_manner(sections), BLUNT, SOOTHING, FORMAL, CASUAL, GRUFF):
        drift = drift_of(manner, line)
        assert drift.score is None or 0 <= drift.score <= 1
        assert bool(correction(manner, drift)) == bool(drift.reasons)
