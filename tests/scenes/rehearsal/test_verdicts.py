"""The judge believes words, not wishes, and also those of strangers."""

from __future__ import annotations

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.verdicts import GoalFinding, findings

CAST = (Part("Alice"), Part("Bob"), Part("Charlie"))


def judged(goals: tuple[str, ...], *lines: tuple[str, str], cut: bool = False) -> dict[int, GoalFinding]:
    book = Playbook("judged", "Bob missed the deadline.", goals, CAST, "Alice")
    heard = tuple(HeardLine(beat, "line", who, "speak", text, cut=cut) for beat, (who, text) in enumerate(lines))
    return {finding.goal: finding for finding in findings(book, heard)}


def met(goal: str, *lines: tuple[str, str]) -> bool:
    return 1 in judged((goal,), *lines)


@pytest.mark.parametrize(
    "text",
    [
        "I'm truly sorry.",
        "I’m so sorry, Alice.",
        "I underestimated it. I should have asked for help earlier. I'm genuinely sorry.",
        "I apologise, to all of you.",
        "I owe you an apology.",
        "Sorry. I mean it.",
    ],
)
def test_an_apology_is_an_apology(text: str) -> None:
    assert met("Bob apologizes", ("Bob", text))


@pytest.mark.parametrize(
    "text",
    [
        "I didn't mean to.",
        "I'm not sorry.",
        "I'm sorry you feel that way.",
        "I'm sorry, but it was not my fault.",
        "Why should I be sorry?",
        "I said I'm sorry, didn't I?",
        "I'm sorry to interrupt.",
        "You should be sorry.",
        "If I hurt you, then I'm sorry.",
        "I won't apologise.",
    ],
)
def test_what_only_sounds_like_an_apology_is_none(text: str) -> None:
    assert not met("Bob gives a sincere apology", ("Bob", text))


def test_somebody_elses_apology_does_not_count() -> None:
    assert not met("Bob apologizes", ("Charlie", "I'm truly sorry."))


def test_the_seeds_own_example_is_complete() -> None:
    goals = ("Bob apologizes", "Alice accepts")
    found = judged(goals, ("Bob", "I'm truly sorry."), ("Alice", "I accept your apology."))
    assert found[1].quote == "I'm truly sorry."
    assert found[2].quote == "I accept your apology."
    assert found[2].speaker == "Alice"


def test_nothing_can_be_accepted_before_it_was_offered() -> None:
    goals = ("Bob apologizes", "Alice accepts")
    assert 2 not in judged(goals, ("Alice", "I accept your apology."), ("Bob", "Good."))
    assert 2 not in judged(goals, ("Bob", "I'm truly sorry."), ("Alice", "I can't accept that."))


def test_a_line_cut_before_the_deed_does_not_count() -> None:
    assert not judged(("Bob apologizes",), ("Bob", "I want to say that I'm—"), cut=True)
    assert not judged(("Bob apologizes",), ("Bob", "Look. I'm so sor—"), cut=True)
    assert judged(("Bob apologizes",), ("Bob", "I'm sorry. I never wanted—"), cut=True)


def test_an_agreement_takes_a_proposal_and_another_who_agrees() -> None:
    goal = "they agree on next steps"
    proposal = ("Bob", "I'll set up weekly check-ins with you and document all timelines.")
    assert not met(goal, proposal)
    assert not met(goal, proposal, ("Bob", "Agreed."))
    assert not met(goal, proposal, ("Alice", "And what if you forget?"))
    assert not met(goal, ("Alice", "Agreed."), proposal)
    assert met(goal, proposal, ("Alice", "Okay. Let's do that."))
    assert met(goal, proposal, ("Charlie", "Yes."))


@pytest.mark.parametrize(
    ("goal", "who", "yes", "no"),
    [
        ("Bob promises to call the client", "Bob", "I promise. I'll call the client today.", "I can't promise that."),
        ("Bob promises to call the client", "Bob", "You have my word: I'll call the client.", "I promise you nothing."),
        ("Bob refuses to leave", "Bob", "No. I won't leave.", "No, you're right. I'll go."),
        ("Bob decides to go out in the storm", "Bob", "I'm going out in the storm.", "Maybe somebody should go."),
        ("Bob confesses", "Bob", "It was me.", "It wasn't me."),
        ("Bob takes responsibility", "Bob", "It was my fault.", "It was not my fault."),
        ("Bob thanks Alice", "Bob", "Thank you, Alice.", "Thanks to you, we are ruined."),
        ("Bob says goodbye", "Bob", "Goodbye, Alice.", "Don't say goodbye."),
        ("Alice forgives Bob", "Alice", "I forgive you.", "I will never forgive you."),
        ("Alice orders Bob to drop the bag", "Alice", "Drop the bag. That's an order.", "You could drop the bag."),
        ("Alice persuades Bob to stay", "Bob", "All right. I'll stay.", "I'm not staying, and that's final."),
        ("Bob lights the lamp", "Bob", "I'll light the lamp.", "I won't light the lamp."),
        ("Bob gives Alice the key", "Bob", "Here. Take the key.", "You can't have the key."),
        ("Alice accuses Bob", "Alice", "It was you, Bob.", "If it was you, Bob, say so."),
        ("Bob offers a trade", "Bob", "What if I gave you my Thursdays?", "I have nothing for you."),
        ("Bob leaves", "Bob", "I'm leaving.", "I'm going to think about it."),
    ],
)
def test_each_deed_is_known_by_its_words(goal: str, who: str, yes: str, no: str) -> None:
    assert met(goal, (who, yes))
    assert not met(goal, (who, no))


def test_a_short_yes_to_the_right_question_is_a_promise() -> None:
    asked = ("Alice", "Will you call the client tomorrow?")
    assert met("Bob promises to call the client", asked, ("Bob", "I promise."))
    assert not met("Bob promises to call the client", ("Alice", "Will you water the plants?"), ("Bob", "I promise."))


def test_a_secret_is_out_when_it_is_told_and_not_when_it_is_denied() -> None:
    goal = "Bob reveals what he saw in the cellar"
    assert not met(goal, ("Bob", "I saw nothing in the cellar."))
    assert not met(goal, ("Bob", "I already told you what I saw in the cellar."))
    assert met(goal, ("Bob", "I saw a man in the cellar with your father's coat on."))


def test_a_quote_is_always_verbatim_and_from_one_line() -> None:
    lines = (("Bob", "Well… I’m sorry! Truly. It was me."), ("Alice", "All right; I accept that, Bob."))
    for finding in judged(("Bob apologizes", "Alice accepts"), *lines).values():
        assert finding.quote in lines[finding.line][1]
        assert finding.speaker == lines[finding.line][0]


def test_a_goal_without_a_known_verb_is_met_by_its_own_words() -> None:
    assert met("Bob juggles seven oranges", ("Bob", "Watch me juggle seven oranges."))
    assert not met("Bob juggles seven oranges", ("Alice", "Watch me juggle seven oranges."))
    assert not met("Bob juggles seven oranges", ("Bob", "I had an orange once."))


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("Begin anywhere. I won't mind the order.", False),
        ("I can't remember a colder spring.", False),
        ("I won't carry it.", True),
        ("No. I won't.", True),
        ("I won't do it.", True),
        ("I refuse.", True),
    ],
)
def test_whoever_will_not_do_something_else_has_not_refused(said: str, refused: bool) -> None:
    goals = ("Søren refuses to carry the crate",)
    book = Playbook(name="crate", prompt="", goals=goals, cast=(Part("Søren"), Part("Ines")), opener="Søren")
    line = HeardLine(beat=0, kind="line", speaker="Søren", action="speak", content=said)
    assert bool(findings(book, (line,))) is refused
