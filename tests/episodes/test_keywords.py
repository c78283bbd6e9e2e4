"""Keywords end nothing by themselves: it takes the act, told in a sentence."""

from __future__ import annotations

import pytest

from dramaturg.episodes.director import PlayerExchange, direct
from dramaturg.episodes.keywords import meant, spoken, stated
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.template import EpisodeTemplate, template_from
from tests.episodes.staging import FLIRT
from tests.episodes.told_keywords import TOLD, UNSAID

SORRY = ("sorry", "apologise", "apologize")
PROMISE = ("prometo", "te lo prometo")
DONE = (
    ("I'm sorry.", SORRY),
    ("Sorry.", SORRY),
    ("Mina, I apologise for last night.", SORRY),
    ("I am so very sorry about the glass.", SORRY),
    ("I do apologize.", SORRY),
    ("Swordfish.", ("swordfish",)),
    ("The word is swordfish.", ("swordfish",)),
    ("Fine. I will stay with you.", ("i will stay",)),
    ("It was you!", ("it was you",)),
    ("*kisses her hand*", ("kisses her",)),
    ("Es tut mir leid, Mina.", ("tut mir leid",)),
    ("Je te pardonne.", ("je te pardonne",)),
    ("Te lo prometo.", PROMISE),
    ("No te preocupes, te lo prometo.", PROMISE),
    ("Ich verspreche es dir.", ("verspreche", "verspreche es")),
    ("Keine Sorge, ich verspreche es.", ("verspreche",)),
    ("Je te le promets.", ("promets", "te le promets")),
    ("Thank you.", ("thank", "thank you")),
)
NOT_DONE = (
    ("I'm not sorry.", SORRY),
    ("Why should I apologise?", SORRY),
    ("You should apologise.", SORRY),
    ("I refuse to apologise.", SORRY),
    ("He never said sorry.", SORRY),
    ("If I were sorry, I would say so.", SORRY),
    ("sorry, apologise, apologize", SORRY),
    ("Sorry apologise.", SORRY),
    ("Do you want me to apologise?", SORRY),
    ("She apologised, they say, but would you apologise?", SORRY),
    ("Is the word swordfish?", ("swordfish",)),
    ("I don't know any swordfish.", ("swordfish",)),
    ("Maybe I will stay.", ("i will stay",)),
    ("They say it was you.", ("it was you",)),
    ("Es tut mir nicht leid.", ("leid",)),
    ("Tut es dir leid?", ("leid",)),
    ("Je ne te pardonne pas.", ("te pardonne",)),
    ("Yeah right, I'm sorry.", SORRY),
    ("I'd rather die than apologise.", SORRY),
    ("Better safe than sorry.", SORRY),
    ("Nunca prometo.", PROMISE),
    ("Ni lo prometo ni lo niego.", PROMISE),
    ("Ella dice que te lo prometo.", PROMISE),
    ("Prometo, te lo prometo.", PROMISE),
    ("Nie verspreche ich das.", ("verspreche",)),
    ("Nigdy nie przyrzekam.", ("przyrzekam",)),
)


@pytest.mark.parametrize(("said", "keywords"), DONE)
def test_a_keyword_counts_where_the_player_means_it(said: str, keywords: tuple[str, ...]) -> None:
    assert meant(said, keywords) is not None


@pytest.mark.parametrize(("said", "keywords"), NOT_DONE)
def test_a_word_is_not_the_act(said: str, keywords: tuple[str, ...]) -> None:
    assert meant(said, keywords) is None


def test_a_player_tells_a_thing_in_a_sentence_and_a_character_in_any_way() -> None:
    assert stated("So there are two keys, and she has one.", ("two keys",)).mentioned is False
    assert stated("two keys", ("two keys",)).mentioned is True
    assert stated("Tell me about the two keys.", ("two keys",)) is None
    assert stated("Two keys, a parcel, some flour.", ("two keys",), ("parcel", "flour")) is None
    assert spoken("Flour.", ("flour",)).sentence == "Flour."
    assert spoken("Flour? What flour?", ("flour",), said="There was flour here.") is None


@pytest.mark.parametrize(("answered", "keyword"), TOLD)
def test_a_character_tells_a_keyword_whatever_else_the_sentence_denies(answered: str, keyword: str) -> None:
    assert spoken(answered, (keyword,)) is not None


@pytest.mark.parametrize(("answered", "keyword"), UNSAID)
def test_a_keyword_that_a_character_asks_or_denies_is_not_told(answered: str, keyword: str) -> None:
    assert spoken(answered, (keyword,)) is None


def gated(**more: object) -> EpisodeTemplate:
    beats = [
        {"beat": beat, "detection": "keyword", "keywords": [word], "deadline": 30}
        for beat, word in (("complication", "flour"), ("escalation", "stairs"), ("pivot", "two keys"))
    ]
    return template_from(
        {
            **FLIRT,
            "completion_mode": "beat_gated",
            "turn_budget": 30,
            "completion_criteria": {"required_beat": "pivot"},
            "beats": beats,
            "evaluation": None,
            **more,
        }
    )


def talk(*said: str, answered: str = "Hm.") -> list[PlayerExchange]:
    return [PlayerExchange(f"m{number}", text, answered) for number, text in enumerate(said)]


@pytest.mark.parametrize(
    "said",
    [
        ("flour stairs two keys",),
        ("flour, stairs, two keys",),
        ("flour", "stairs", "two keys"),
        ("Two keys!", "TWO KEYS", "two keys two keys"),
        ("Flour. Stairs. Two keys.",),
        ("I say flour, stairs and two keys.",),
        ("Tell me about flour.", "Tell me about the stairs.", "Tell me about the two keys."),
        ("I know all about the two keys.",),
    ],
)
def test_nobody_finishes_a_story_by_listing_its_keywords(said: tuple[str, ...]) -> None:
    assert direct(gated(), talk(*said)).completion_trigger is None


def test_a_story_goes_on_when_its_character_tells_it() -> None:
    assert direct(gated(), talk("Go on.", answered="There are two keys.")).completion_trigger == "beat_complete"


def test_a_player_who_works_it_out_step_by_step_reaches_the_end() -> None:
    steps = ("There was flour on the shelf.", "You heard somebody on the stairs.", "So there are two keys to it?")
    assert direct(gated(), talk(*steps)).completion_trigger == "beat_complete"


@pytest.mark.parametrize(
    "answered", ["There are not two keys, never were.", "Two keys? Nonsense.", "Are there two keys?"]
)
def test_a_beat_is_not_played_by_what_its_character_denies_or_asks(answered: str) -> None:
    assert direct(gated(), talk("Go on.", answered=answered)).completion_trigger is None


@pytest.mark.parametrize(
    ("said", "reached"),
    [
        ("Flour.", True),
        ("Flour? Nonsense.", False),
        ("Is there flour?", False),
        ("There is no flour here.", False),
        ("So there was flour on the shelf?", True),
    ],
)
def test_a_player_who_denies_or_asks_a_keyword_plays_no_beat_either(said: str, reached: bool) -> None:
    free = gated(completion_mode="open", completion_criteria={})
    assert (direct(free, talk(said)).mark(StoryBeat.COMPLICATION) is not None) is reached


@pytest.mark.parametrize(
    ("keyword", "answered"),
    [
        ("a book I can't read", "You think I took a book I can't read?"),
        ("nunca supe leer", "¿Cómo iba a robarlo, si nunca supe leer?"),
    ],
)
def test_a_keyword_that_denies_something_itself_is_told_in_a_question_too(keyword: str, answered: str) -> None:
    assert spoken(answered, (keyword,)) is not None
