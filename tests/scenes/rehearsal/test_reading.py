"""What the company reads out of prompts, goals and cards, and what it leaves alone."""

from __future__ import annotations

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.models.rehearsal.person import address, shifted
from dramaturg.kernel.models.rehearsal.verbs import base_of_gerund, base_of_past, base_of_third, gerund_of, past_of
from dramaturg.scenes.rehearsal.deeds import Deed, deeds_of, doing, going
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.premise import Premise, premise_of

NAMES = ("Alice", "Bob", "Charlie")


def book(prompt: str = "", goals: tuple[str, ...] = (), cast: tuple[Part, ...] = ()) -> Playbook:
    parts = cast or tuple(Part(name) for name in NAMES)
    return Playbook("read", prompt, goals, parts, parts[0].name)


def premise(prompt: str) -> Premise:
    return premise_of(book(prompt))


def deed(goal: str) -> Deed:
    return deeds_of(book(goals=(goal,)))[0]


@pytest.mark.parametrize(
    ("base", "past", "gerund", "third"),
    [
        ("miss", "missed", "missing", "misses"),
        ("steal", "stole", "stealing", "steals"),
        ("stop", "stopped", "stopping", "stops"),
        ("try", "tried", "trying", "tries"),
        ("lie", "lied", "lying", "lies"),
        ("leave", "left", "leaving", "leaves"),
        ("hide", "hid", "hiding", "hides"),
        ("admit", "admitted", "admitting", "admits"),
        ("promise", "promised", "promising", "promises"),
        ("go", "went", "going", "goes"),
    ],
)
def test_verbs_go_from_form_to_form(base: str, past: str, gerund: str, third: str) -> None:
    assert past_of(base) == past
    assert gerund_of(base) == gerund
    assert base_of_gerund(gerund) == base
    assert base_of_past(past) == base
    assert base_of_third(third) == base


def test_a_prompt_tells_who_did_what_and_what_came_of_it() -> None:
    read = premise("Bob missed an important project deadline, causing the team to lose a client. Alice confronts him.")
    assert read.culprit == "Bob"
    assert read.did == "missed the project deadline"
    assert read.thing == "the project deadline"
    assert read.cost == "we lost a client"
    assert read.domain == "office"


@pytest.mark.parametrize(
    ("prompt", "culprit", "did"),
    [
        (
            "Alice confronts Bob about missing the Henderson project deadline.",
            "Bob",
            "missed the Henderson project deadline",
        ),
        ("Bob apologizes to Alice for being late. Alice accepts.", "Bob", "was late"),
        ("Bob apologizes to Alice for missing deadline.", "Bob", "missed the deadline"),
        ("Alice accuses Charlie of stealing the ring.", "Charlie", "stole the ring"),
        ("Charlie lied to Alice about the money.", "Charlie", "lied to Alice about the money"),
        ("Everybody is tired.", "", ""),
        ("Bob told her that he was leaving.", "Bob", ""),
    ],
)
def test_a_fault_is_found_in_several_turns_of_phrase_and_never_guessed(prompt: str, culprit: str, did: str) -> None:
    read = premise(prompt)
    assert read.did == did
    if did:
        assert read.culprit == culprit


def test_what_people_argue_over_is_a_thing() -> None:
    read = premise("Alice and Bob argue over the last slice of lemon cake aboard the ship.")
    assert read.thing == "the last slice of lemon cake"
    assert read.noun == "slice"


@pytest.mark.parametrize(
    ("goal", "kind", "actors", "do"),
    [
        ("Bob gives sincere apology", "apologise", ("Bob",), ""),
        ("Alice accepts", "accept", ("Alice",), ""),
        ("they agree on accountability measures", "agree", (), ""),
        ("Bob and Alice agree to sell the boat", "agree", ("Alice", "Bob"), "sell the boat"),
        ("Bob finally confesses that he broke the clock", "confess", ("Bob",), ""),
        ("Alice persuades Bob to stay", "yield", ("Bob",), "stay"),
        ("Bob promises never to lie again", "promise", ("Bob",), "never lie again"),
        ("Bob promises that he will call his mother", "promise", ("Bob",), "call his mother"),
        ("Alice decides to go out into the storm", "decide", ("Alice",), "go out into the storm"),
        ("Alice orders Bob to drop the bag", "order", ("Alice",), "drop the bag"),
        ("Bob reveals what he saw", "reveal", ("Bob",), ""),
        ("Alice learns the truth from Bob", "reveal", ("Bob",), ""),
        ("Bob refuses to hand over the map", "refuse", ("Bob",), "hand over the map"),
        ("Bob juggles seven oranges", "do", ("Bob",), "juggle seven oranges"),
        ("everyone says goodbye", "part", (), ""),
        ("Charlie mediates", "mediate", ("Charlie",), ""),
        ("Charlie is present as a witness", "present", ("Charlie",), ""),
        ("Bob hands Alice the key", "give", ("Bob",), "hand Alice the key"),
        ("Bob takes responsibility", "confess", ("Bob",), ""),
    ],
)
def test_a_sub_goal_names_a_deed_its_actor_and_its_words(
    goal: str, kind: str, actors: tuple[str, ...], do: str
) -> None:
    read = deed(goal)
    assert read.kind == kind
    assert set(read.actors) == set(actors)
    assert read.do == do


def test_words_about_bob_change_with_who_says_them_to_whom() -> None:
    text = "call his mother and help Alice"
    assert shifted(text, "Bob", "Bob", "Alice", NAMES) == "call my mother and help you"
    assert shifted(text, "Bob", "Alice", "Bob", NAMES) == "call your mother and help me"
    assert shifted(text, "Bob", "Charlie", "", NAMES) == text
    assert shifted("let her go", "Bob", "Bob", "Alice", NAMES) == "let you go"
    assert shifted("stay if Bob leaves", "Alice", "Alice", "Bob", NAMES) is None


def test_a_relation_falls_away_where_the_person_is_in_the_room() -> None:
    text = "took his sister Alice's boat"
    assert shifted(text, "Bob", "Bob", "Alice", NAMES) == "took your boat"
    assert shifted(text, "Bob", "Alice", "Bob", NAMES) == "took my boat"


def test_a_good_deed_is_admitted_without_a_trial() -> None:
    assert premise_of(book(goals=("Bob admits that he helped with the plank",))).did == ""
    assert premise_of(book(goals=("Bob admits that he broke the plank",))).did == "broke the plank"


def test_doing_and_going_are_grammatical() -> None:
    assert doing("go out") == "going out"
    assert going("go out") == "going out"
    assert going("sell the boat") == "going to sell the boat"
    assert going("never lie again") == ""


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Alice", "Alice"),
        ("Alice Chen", "Alice"),
        ("Captain Abara", "Captain"),
        ("Mr. Crane", "Mr. Crane"),
        ("The Keeper", ""),
    ],
)
def test_people_are_addressed_as_people_address_people(name: str, called: str) -> None:
    assert address(name) == called


def test_a_card_is_read_for_manner_stakes_lines_secrets_and_gestures() -> None:
    card = Part(
        "Alice",
        "Manager",
        (
            ("Personality", ("Direct, blunt and precise",)),
            ("Background", ("Has mentored Bob since he joined", "8 years at the company")),
            ("Gestures", ("When angry: taps the table", "adjusts her glasses")),
            (
                "Scene-Specific Instructions",
                (
                    "You're under pressure from your own boss about the Henderson loss",
                    "You're open to reconciliation if Bob shows genuine understanding",
                    "You secretly hope Bob quits",
                ),
            ),
            ("Lines", ('When pressing: "Three times you told me green."', "When cornered:", "I have dates.")),
            ("Secrets", ("You saw the letter", "Burned the letter")),
        ),
    )
    read = portraits_of(book(cast=(card, Part("Bob"))))["Alice"]
    assert read.manners[0] == "blunt"
    assert read.own["pressing"] == ("Three times you told me green.",)
    assert read.own["cornered"] == ("I have dates.",)
    assert read.own["revealing"] == ("I saw the letter.", "I burned the letter.")
    assert ("angry", "taps the table") in read.gestures
    said = read.stakes_to("Bob", ("Alice", "Bob"))
    assert "I'm under pressure from my own boss about the Henderson loss." in said
    assert "I have mentored you since you joined." in said
    assert "I've been at the company 8 years." in said
    assert not any("secret" in one or "shows" in one for one in said)
    assert not any("mentored" in one for one in read.stakes_to("Charlie", ("Alice", "Bob", "Charlie")))


def test_him_is_who_is_a_he_elsewhere_where_several_could_be_meant() -> None:
    book = Playbook(
        name="bill",
        prompt="Max has not paid his bill. Greta wants her spoons back.",
        goals=("Max admits that he is broke", "Greta gets her spoons back", "Odile decides to let him stay"),
        cast=(Part("Odile"), Part("Max"), Part("Greta")),
        opener="Odile",
    )
    assert deeds_of(book)[2].partner == "Max"
    assert "Max" in deeds_of(book)[2].do
