"""Goals of many kinds, with cards that tell nearly nothing: each scene arrives, and by words that really do it."""

from __future__ import annotations

import re

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.director.goals import split_goal
from dramaturg.scenes.rehearsal.deeds import deeds_of
from dramaturg.scenes.rehearsal.inventions import invention_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.verdicts import findings
from tests.scenes.rehearsal.small_stage import Played, play

SCENES = """
refuse | A developer wants the orchard. | Ruth refuses to sell the orchard | Ruth, Dev | won't sell|^No\\.
choose | Two letters offer Lena two posts. | Lena chooses Rome | Lena, Otto | Rome|I've decided
lie | Sam is late. | Sam lies about where he was, Nora catches him in the lie | Nora, Sam | ^I was |lie|lying|not true
sell | Old Hector has a barometer. | Hector sells the barometer to Lucy | Hector, Lucy | yours|[Ss]old|sell it
goodbye | The train leaves in ten minutes. | Emil and Vera say goodbye | Emil, Vera | [Gg]oodbye|Farewell
invite | Nobody knows the new neighbour yet. | Hana invites Rolf to dinner | Hana, Rolf | dinner
warn | The ice on the lake is thin. | Olga warns Pim about the ice | Olga, Pim | warn|careful|[Ww]atch
help | The roof leaks. | Ben asks Thea for help with the roof | Ben, Thea | help|ask|roof
price | Somebody wants the painting. | Iris names a price for the painting | Iris, Walter | hundred|thousand|crowns
crate | A crate came off the boat. | Joss reveals what is in the crate | Mab, Joss | In the crate there's an?\\b
person | Nobody has seen Edda since Friday. | Karin reveals where Edda is | Karin, Leo | Edda is (?:at|on|in)\\b
hire | The bakery needs a baker. | Rosa hires Finn | Rosa, Finn | hired|job|position
breakup | They were happy once. | Lio breaks up with Maya | Maya, Lio | over|leaving you|finished|end it|go on|breaking
welcome | A new doctor has arrived. | Brit welcomes Dr. Amadi | Brit, Dr. Amadi | [Ww]elcome|[Cc]ome in
bet | It is dry. | Gus bets Lotte that it will rain, Lotte takes the bet | Gus, Lotte | bet|wager|All|Fine|[Yy]es
first | The rope bridge holds one at a time. | They decide who goes first | Ulf, Sina, Ole | [Aa]greed
secret | Both saw the mayor take the money. | Dana and Piet agree to keep the secret | Dana, Piet | [Aa]greed
"""
ROWS = {row.split(" | ")[0]: row.split(" | ")[1:] for row in SCENES.strip().splitlines()}
FAULTS = re.compile(r"[{}]|\b(?:the the|a an|you to dinner)\b|\bI is\b|\byou is\b")


def book(name: str, seed: int) -> Playbook:
    prompt, goal, cast, _ = ROWS[name]
    names = cast.split(", ")
    parts = tuple(Part(one, "", (("Personality", ("Direct",)),)) for one in names)
    goals = tuple(part.text for part in split_goal(goal, names))
    return Playbook(name, prompt, goals, parts, names[0], seed=seed, max_beats=30)


@pytest.mark.parametrize("seed", [1, 2, 3, 5])
@pytest.mark.parametrize("name", ROWS)
async def test_it_arrives_soon_and_by_words_that_do_it(name: str, seed: int) -> None:
    played: Played = await play(book(name, seed))
    assert played.achieved, played.script()
    assert 4 <= played.beats <= 12, played.script()
    for goal in played.verdict["goals"]:
        assert re.search(ROWS[name][3], goal["quote"]), goal
    spoken = [line.content for line in played.spoken]
    assert not [
        text for text in spoken if re.search(r"[{}]|\b(?:the the|a an|you to dinner)\b|\bI is\b|\byou is\b", text)
    ]


@pytest.mark.parametrize("seed", range(1, 9))
def test_what_is_invented_is_the_same_for_everybody_and_for_every_beat(seed: int) -> None:
    one, again = (book("crate", seed) for _ in range(2))
    told = invention_of(one, deeds_of(one)[0])
    assert told == invention_of(again, deeds_of(again)[0])
    assert told is not None
    assert told.told.startswith("In the crate there's a")


def test_another_seed_invents_something_else() -> None:
    assert len({invention_of(one, deeds_of(one)[0]) for seed in range(20) for one in (book("crate", seed),)}) > 4


def test_what_the_prompt_tells_is_not_invented() -> None:
    told = book("crate", 1)
    known = Playbook("crate", "The crate holds a stuffed bear. Joss knows.", told.goals, told.cast, "Mab")
    assert invention_of(known, deeds_of(known)[0]).told == "In the crate there's a stuffed bear."


def met(goal: str, cast: str, who: str, said: str) -> bool:
    names = cast.split(", ")
    goals = tuple(part.text for part in split_goal(goal, names))
    staged = Playbook("judged", "", goals, tuple(Part(name) for name in names), names[0])
    return bool(findings(staged, (HeardLine(0, "line", who, "speak", said),)))


JUDGED = """
Joss reveals what is in the crate | It's my father's clock, in pieces. | I'll tell you what is in the crate. I should.
Joss reveals what is in the crate | There are forty letters in it. | There's nothing in the crate.
Joss reveals what is in the crate | It's full of rifles. | It's the truth, and I'm ashamed.
Joss reveals who rang the bell | It was the sexton's boy. | I know who rang the bell.
Joss reveals where the money is | It's under the floor of the shed. | I'll tell you where the money is.
Joss sells the boat to Mab | Sold. It's yours for sixty. | You want me to sell the boat to you.
Joss names a price for the boat | Four hundred. | You want me to name a price for the boat.
Joss invites Mab to dinner | Come to dinner on Sunday. | I need you to eat more.
Joss catches Mab in the lie | You're lying, Mab. | I need you to lie about where you were.
Joss breaks up with Mab | It's over between us. | It isn't over between us.
Joss hires Mab | You're hired. | I can't hire you.
Joss chooses Rome | I choose Rome. | I've decided.
Joss warns Mab about the ice | Be careful, the ice is thin. | Be careful with the soup.
Joss says goodbye | Goodbye, Mab. | It is not so long ago that I saw you.
Joss juggles seven oranges | I'm juggling seven oranges. | You want me to juggle seven oranges.
"""


@pytest.mark.parametrize(("goal", "yes", "no"), [row.split(" | ") for row in JUDGED.strip().splitlines()])
def test_the_judge_takes_the_deed_and_not_the_talk_about_it(goal: str, yes: str, no: str) -> None:
    assert met(goal, "Mab, Joss", "Joss", yes)
    assert not met(goal, "Mab, Joss", "Joss", no)


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("Emil and Vera say goodbye", ["Emil and Vera say goodbye"]),
        ("Emil, Vera and Tom part as friends", ["Emil and Vera and Tom part as friends"]),
        ("Emil thanks Vera, and Vera and Tom agree", ["Emil thanks Vera", "Vera and Tom agree"]),
        ("Emil welcomes Dr. Vera. Tom leaves.", ["Emil welcomes Dr. Vera", "Tom leaves"]),
        ("Emil apologizes, Vera accepts", ["Emil apologizes", "Vera accepts"]),
    ],
)
def test_two_subjects_of_one_verb_are_one_goal(goal: str, parts: list[str]) -> None:
    assert [part.text for part in split_goal(goal, ["Emil", "Vera", "Tom"])] == parts
