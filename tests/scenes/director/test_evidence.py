"""Evidence must be evidence: a clause, in the right mouth, once, and with the substance of the sub-goal."""

from __future__ import annotations

import pytest

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import split_goal
from dramaturg.scenes.director.numbers import numbers_in
from dramaturg.scenes.director.verdict import Judgement, Verdict, check_judgement

CAST = ("Ruth Calloway", "Sam Pike", "Lena Ott")


def judged(goal: str, said: list[tuple[str, str]], *claims: tuple[int, str, str]) -> Verdict:
    lines = [QuotableLine(who, text, number) for number, (who, text) in enumerate(said, start=1)]
    asked = [{"id": goal_id, "met": True, "speaker": who, "quote": quote} for goal_id, who, quote in claims]
    return check_judgement(Judgement.model_validate({"goals": asked}), split_goal(goal, CAST), lines, cast=CAST)


def met(verdict: Verdict) -> list[int]:
    return [evidence.goal for evidence in verdict.met]


def test_a_judge_that_quotes_the_letter_a_three_times_ends_nothing() -> None:
    said = [("Ruth Calloway", "I have a lie to take back."), ("Sam Pike", "That is a start.")]
    goal = "Ruth admits the lie, Sam forgives her, they agree on a plan"
    verdict = judged(goal, said, (1, "Ruth", "a"), (2, "Sam", "a"), (3, "Sam", "a"))
    assert met(verdict) == []
    assert [claim.goal for claim in verdict.refused] == [1, 2, 3]


@pytest.mark.parametrize("quote", ["sorry", "the letter", "a", "of the", "I", "and so"])
def test_less_than_a_clause_shows_nothing(quote: str) -> None:
    said = [("Ruth Calloway", "I am sorry for the letter, and so I, well, of the two of us I was a coward.")]
    assert met(judged("Ruth apologizes", said, (1, "Ruth Calloway", quote))) == []


@pytest.mark.parametrize("quote", ["I accept", "Deal", "All right", "I am sorry for it"])
def test_a_whole_clause_shows_something_however_short(quote: str) -> None:
    said = [("Sam Pike", "All right. Deal. I accept, and I am sorry for it.")]
    assert met(judged("Sam accepts", said, (1, "Sam", quote))) == [1]


@pytest.mark.parametrize("speaker", ["Ruth", "Calloway", "ruth calloway", "Mrs. Calloway", ""])
def test_a_speaker_is_known_by_any_part_of_the_name(speaker: str) -> None:
    said = [("Ruth Calloway", "My father paid me to lie.")]
    assert met(judged("Ruth admits that she lied", said, (1, speaker, "My father paid me to lie"))) == [1]


def test_the_words_of_somebody_else_do_not_do_her_deed() -> None:
    said = [("Sam Pike", "Her father paid her to lie, I know it."), ("Ruth Calloway", "Prove it.")]
    verdict = judged("Ruth admits that her father paid her to lie", said, (1, "Sam", "Her father paid her to lie"))
    assert met(verdict) == []
    assert verdict.refused[0].reason == "the words are Sam Pike's, and Ruth Calloway must say them"


def test_who_is_persuaded_may_show_that_it_worked() -> None:
    said = [("Sam Pike", "Fine, I will stay until spring.")]
    assert met(judged("Ruth convinces Sam to stay", said, (1, "Sam", "I will stay until spring"))) == [1]


def test_one_sentence_does_not_meet_two_sub_goals() -> None:
    said = [("Ruth Calloway", "I lied, and I am sorry.")]
    goal = "Ruth admits the lie; Ruth apologizes"
    assert met(judged(goal, said, (1, "Ruth", "I lied, and I am sorry"), (2, "Ruth", "and I am sorry"))) == [1]
    assert met(judged(goal, said, (1, "Ruth", "I lied"), (2, "Ruth", "I am sorry"))) == [1, 2]


def test_a_stage_direction_in_the_goals_own_words_proves_nothing() -> None:
    line = QuotableLine("Ruth Calloway", "admits that her father paid her to lie", 1, deed=True)
    asked = {"goals": [{"id": 1, "met": True, "speaker": "Ruth", "quote": line.text}]}
    goals = split_goal("Ruth admits that her father paid her to lie", CAST)
    verdict = check_judgement(Judgement.model_validate(asked), goals, [line], cast=CAST)
    assert verdict.refused[0].reason == "the words only repeat the goal"


def test_a_deed_in_plain_sight_counts() -> None:
    line = QuotableLine("Sam Pike", "lays his revolver on the bar and steps back", 4, deed=True)
    asked = {"goals": [{"id": 1, "met": True, "speaker": "Sam", "quote": "lays his revolver on the bar"}]}
    verdict = check_judgement(
        Judgement.model_validate(asked), split_goal("Sam gives up his gun", CAST), [line], cast=CAST
    )
    assert [(one.goal, one.line) for one in verdict.met] == [(1, 4)]


@pytest.mark.parametrize(
    ("goal", "line", "shown"),
    [
        ("Sam bids 40", "I bid forty.", True),
        ("Sam bids 40", "I bid thirty-nine.", False),
        ("Sam bids at least 40", "Fifty-five, and not a penny more.", True),
        ("Sam bids at least 40", "Twenty, take it or leave it.", False),
        ("Sam bids more than 40", "Forty, and that is my word.", False),
        ("Sam bids more than 40", "Forty-one, then, if I must.", True),
        ("Sam bids under 40", "Forty, and that is my word.", False),
        ("Sam bids no more than 40", "Forty, and that is my word.", True),
        ("Sam bietet mehr als 40", "Vierzig, und keinen Pfennig mehr.", False),
        ("Sam nennt 312 als Preis", "Dreihundertzwölf, mein letztes Wort.", True),
        ("Sam names a price", "You will not like it: two hundred.", True),
        ("Sam names a price", "You will not like the price at all.", False),
        ("Sam tells how old he is", "I am older than the bridge.", False),
        ("Sam pays 1,200", "Twelve hundred, count it.", True),
        ("Sam chooses a name for the dog", "We will call him Biscuit.", True),
        ("Sam chooses a name for the dog", "We will call him something nice.", False),
        ("Sam names the thief", "It was Lena who took it.", True),
        ("Sam names the thief", "You know very well who took it.", False),
        ("Sam offers at least 40 crowns", "I will give you 12 crowns, and 40 reasons to take them.", False),
        ("Sam offers at least 40 crowns", "Twelve crowns was a joke. Forty-five crowns, Ruth.", True),
        ("Sam offers at least 40 crowns", "Fifty, and you know it.", True),
        ("Sam chooses Lisbon", "I choose the other city, the one with the trams.", False),
        ("Sam chooses Lisbon", "Lisbon it is, then.", True),
        ("Sam chooses Lena", "It is you that I choose.", True),
        ("They agree to meet on Thursday", "Agreed, Tuesday it is, we shall meet then.", False),
        ("They agree to meet on Thursday", "Not Tuesday. Thursday, then.", True),
        ("They agree to meet on Thursday", "Agreed, I will be there.", True),
        ("Sie verabreden sich für Donnerstag", "Gut, dann Dienstag.", False),
        ("Sam hands over the keys", "Sam hands over the keys.", False),
        ("Sam hands over the keys", "I hand over the keys, Ruth. Take them.", True),
        ("Sam ofrece 250 pesos", "Te doy 250 y nada más.", True),
        ("Samは三百円を払う", "三百円でどうだ。", True),
    ],
)
def test_what_the_sub_goal_asks_for_is_said(goal: str, line: str, shown: bool) -> None:
    assert bool(met(judged(goal, [("Sam Pike", line)], (1, "Sam", line)))) is shown


def test_what_must_not_happen_is_not_met_by_a_sentence() -> None:
    said = [("Ruth Calloway", "Nobody opens that door."), ("Sam Pike", "Then I take my hat.")]
    goal = "Sam leaves; nobody opens the door"
    early = judged(goal, said[:1], (2, "Ruth", "Nobody opens that door"))
    assert (met(early), early.held, early.progress) == ([], (2,), 0.0)
    late = judged(goal, said, (1, "Sam", "Then I take my hat"), (2, "", ""))
    assert (met(late), late.complete) == ([1], True)
    broken = judged(goal, said, (1, "Sam", "Then I take my hat"))
    assert not broken.complete


def test_a_scene_that_must_only_not_do_something_is_not_over_at_once() -> None:
    assert not judged("nobody opens the door", [("Sam Pike", "Quiet.")], (1, "", "")).complete


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("three hundred and twelve men", (312,)),
        ("1.200 Euro und 3,50", (1200, 3.5)),
        ("zweiundvierzig", (42,)),
        ("twelve hundred", (1200,)),
        ("二万三千円", (23000,)),
        ("nothing at all", ()),
        ("a thousand and two", (1002,)),
    ],
)
def test_numbers_are_read_in_figures_and_in_words(text: str, numbers: tuple[float, ...]) -> None:
    assert numbers_in(text) == numbers


def test_the_entry_of_the_words_is_recorded() -> None:
    said = [("Sam Pike", "I accept that."), ("Ruth Calloway", "Good."), ("Sam Pike", "Yes, I accept that.")]
    assert judged("Sam accepts", said, (1, "Sam", "I accept that")).met[0].line == 3


@pytest.mark.parametrize(
    ("goal", "line", "quote"),
    [
        ("Ruth apologizes", "I will never apologize to you.", "apologize to you"),
        ("Ruth apologizes", "Listen. I am not sorry for one word of it.", "I am not sorry for one word of it"),
        ("Ruth agrees to the terms", "No, I do not agree to any of this.", "I do not agree to any of this"),
        ("Ruth forgives Sam", "I won't forgive you, Sam, not this year.", "I won't forgive you, Sam"),
        ("Ruth promises to stay", "I never promised you anything.", "I never promised you anything"),
    ],
)
def test_words_that_deny_the_deed_do_not_show_it(goal: str, line: str, quote: str) -> None:
    verdict = judged(goal, [("Ruth Calloway", line)], (1, "Ruth", quote))
    assert met(verdict) == []
    assert verdict.refused[0].reason == "the words deny what the sub-goal asks for"


@pytest.mark.parametrize(
    ("goal", "line", "quote"),
    [
        ("Ruth apologizes", "I won't apologize. No. Wait, Sam. I am sorry.", "I am sorry"),
        ("Ruth apologizes", "I can't say how sorry I am about the letter.", "how sorry I am about the letter"),
        ("Ruth agrees to the terms", "I could not agree more, write it down.", "I could not agree more"),
        ("Ruth refuses to sign", "I will not sign it, Sam.", "I will not sign it"),
        ("Ruth promises never to lie again", "I promise you, I will never lie again.", "I will never lie again"),
        ("Ruth admits that she never posted it", "I never posted it, Sam.", "I never posted it"),
    ],
)
def test_a_denial_of_something_else_denies_nothing(goal: str, line: str, quote: str) -> None:
    assert met(judged(goal, [("Ruth Calloway", line)], (1, "Ruth", quote))) == [1]


@pytest.mark.parametrize(
    ("goal", "said", "is_shown"),
    [
        ("Ruth withdraws the paper", "I understand that the visa rules are a significant factor.", False),
        ("Ruth withdraws the paper", "Then the paper stays in my drawer.", True),
        ("Sam hands over the reins of the mare", "I won her at cards! I won her at cards!", False),
        ("Sam hands over the reins of the mare", "Take the reins, she was never mine.", True),
        ("Sam gibt zu, dass er den Ofen verkauft hat", "I need to explain something.", False),
        ("Sam gibt zu, dass er den Ofen verkauft hat", "Ja, ich habe den Ofen verkauft.", True),
        ("Ruth apologizes", "I am so sorry for all of it.", True),
        ("Ruth apologizes", "We should keep the file for our records.", False),
    ],
)
def test_a_judge_that_follows_poorly_is_not_taken_at_its_word(goal: str, said: str, is_shown: bool) -> None:
    who = goal.split()[0]
    line = QuotableLine("Ruth Calloway" if who == "Ruth" else "Sam Pike", said, 1)
    claim = Judgement.model_validate({"goals": [{"id": 1, "met": True, "speaker": who, "quote": said}]})
    strict = check_judgement(claim, split_goal(goal, CAST), [line], cast=CAST, literally=True)
    assert met(strict) == ([1] if is_shown else [])
    assert met(check_judgement(claim, split_goal(goal, CAST), [line], cast=CAST)) == [1]
