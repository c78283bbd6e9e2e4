"""What an author writes is performed: lines of cards in any form and language, and the lines of a scene file."""

from __future__ import annotations

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.outline import Step, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.script import card_lines, is_lines_heading, read_script
from tests.scenes.rehearsal.small_stage import play


def part(name: str, *rows: str, heading: str = "Lines") -> Part:
    return Part(name, "", ((heading, rows),))


def book(goals: tuple[str, ...], *cast: Part, seed: int = 1) -> Playbook:
    return Playbook("own", "They meet.", goals, cast, cast[0].name, seed=seed, max_beats=40)


def said(steps: tuple[Step, ...]) -> list[str]:
    return [step.text for step in steps if step.text]


@pytest.mark.parametrize(
    ("row", "key", "text"),
    [
        ('When pressing: "Three times."', "When pressing", "Three times."),
        ('"Just a line."', "", "Just a line."),
        ("Just a line without marks.", "", "Just a line without marks."),
        ("“Curly, she said.”", "", "Curly, she said."),
        ("When cornered: I have dates.", "When cornered", "I have dates."),
        ("Listen: I know.", "", "Listen: I know."),
        ("Wenn er gesteht: „Ich war es.“", "Wenn er gesteht", "Ich war es."),
        ("Quand elle part : « Adieu. »", "Quand elle part", "Adieu."),
        ("謝るとき：「ごめん。」", "謝るとき", "ごめん。"),
        ("「もういいよ。」", "", "もういいよ。"),
        ('At the end: [TONE: dry, *bows*] "Well."', "At the end", "Well."),
    ],
)
def test_a_line_of_a_card_is_keyed_or_plain_in_any_quotation_marks(row: str, key: str, text: str) -> None:
    (line,) = card_lines([row])
    assert (line.key, line.text) == (key, text)


def test_a_key_on_a_row_of_its_own_is_the_key_of_the_rows_below() -> None:
    lines = card_lines(["When cornered:", "I have dates.", '"And names."'])
    assert [(line.key, line.text) for line in lines] == [
        ("When cornered", "I have dates."),
        ("When cornered", "And names."),
    ]


@pytest.mark.parametrize("heading", ["Lines", "Sample lines", "Sätze", "Répliques", "台詞", "Example Dialogue"])
def test_the_section_may_have_its_name_in_the_language_of_the_card(heading: str) -> None:
    assert is_lines_heading(heading)


async def test_every_line_of_the_cards_is_said_once_whatever_its_form() -> None:
    ann = part("Ann", '"Plain one."', 'When pressing: "Keyed one."', "At the end: Last one.", "Unmarked one.")
    ben = part("Ben", '"Another."', 'When startled: "Startled."')
    for seed in range(5):
        scene = await play(book(("Ann leaves",), ann, ben, seed=seed))
        wanted = {"Plain one.", "Keyed one.", "Last one.", "Unmarked one.", "Another.", "Startled."}
        assert {line.content for line in scene.spoken} == wanted
        assert len(scene.spoken) == len(wanted)
        assert scene.spoken[-1].content == "Last one."


@pytest.mark.parametrize(
    ("goal", "name", "row"),
    [
        ("Ann apologizes to Ben", "Ann", 'When apologizing: "I am sorry, Ben."'),
        ("Karl gesteht den Diebstahl", "Karl", "Wenn er gesteht: „Ich habe es genommen.“"),
        ("健太が謝る", "健太", "謝るとき：「ごめんなさい、本当に。」"),
        ("Lucía confiesa la verdad", "Lucía", "Cuando confiesa: «Fui yo quien lo vendió.»"),
        ("Ann sells the boat", "Ann", 'Goal 1: "She is yours, mind the leak."'),
    ],
)
async def test_a_line_keyed_with_words_of_the_goal_reaches_it(goal: str, name: str, row: str) -> None:
    scene = await play(book((goal,), part(name, row), part("Ben", '"Well."')))
    assert scene.achieved, scene.script()


async def test_a_deed_that_no_sub_goal_asks_for_is_left_to_the_scene_it_was_written_for() -> None:
    ann = part("Ann", 'When forgiving: "I forgive you, Ben."', 'When pressing: "Well?"')
    scene = await play(book(("Ann sells the boat",), ann, part("Ben", '"A fair price."')))
    assert {line.content for line in scene.spoken} == {"Well?", "A fair price."}


async def test_a_line_for_something_else_reaches_nothing() -> None:
    scene = await play(book(("Ann apologizes",), part("Ann", '"Nice weather."'), part("Ben", '"Is it?"')))
    assert not scene.achieved
    walked = [line for line in scene.lines if line.action == "react"]
    assert [(line.speaker, line.nonverbal) for line in walked] == [("Ann", "apologizes")]


def test_a_script_takes_lines_from_the_cards_and_adds_to_them() -> None:
    moments = read_script([("the end", 1, ['Ann [TO: Ben, TONE: low] (giving way) "I am sorry."'])], ["Ann", "Ben"])
    own = Playbook(
        "x", "", ("Ann apologizes",), (part("Ann", 'When giving way: "All right."'), part("Ben")), "Ann",
        script=tuple(moments),
    )  # fmt: skip
    (step,) = outline_of(own)
    assert (step.text, step.tone, step.target, step.deed) == ("All right. I am sorry.", "low", "Ben", True)


def test_sub_goals_without_lines_are_walked_through_at_their_turn() -> None:
    moments = read_script([("", 2, ['Ben: "I accept."'])], ["Ann", "Ben"])
    cast = (part("Ann"), part("Ben"))
    goals = ("Ann apologizes", "Ben accepts", "they shake hands")
    steps = outline_of(Playbook("x", "", goals, cast, "Ann", script=tuple(moments)))
    assert [(step.goal, step.walked) for step in steps] == [(1, True), (2, False), (3, True)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('Zed: "Hello."', "'Zed' is not in the cast"),
        ("Ann", "'Ann' is not a line. Write it so: "),
        ('Ann: "I can explain it."\nBen [INTERRUPT after "apples", TONE: hot] "No!"', "not in the line before"),
    ],
)
def test_a_script_that_cannot_be_played_says_why(row: str, problem: str) -> None:
    with pytest.raises(InvalidConfig, match=problem):
        read_script([("", None, [row])], ["Ann", "Ben"])


def test_a_line_is_remembered_only_by_who_remembers() -> None:
    rows = ('When remembering the frost: "You said before the frost."', '"Good evening."')
    assert "You said before the frost." not in said(outline_of(book(("Ben leaves",), part("Ann", *rows), part("Ben"))))
    knows = Part("Ann", "", (("Lines", rows), ("Memories", ("Ben promised you: “Before the frost.”",))))
    assert "You said before the frost." in said(outline_of(book(("Ben leaves",), knows, part("Ben"))))


@pytest.mark.parametrize(
    "goal", ["Walter leaves the room in tears", "Walter leaves", "Walter geht", "Walter se va", "Walter s'en va"]
)
def test_who_goes_off_has_said_everything_before(goal: str) -> None:
    walter = part("Walter", '"I am late."', 'At the end: "I go by the river."', '"Well."')
    steps = outline_of(book((goal, "Iris sits down"), part("Iris", 'At the end: "So quiet."'), walter))
    gone = next(place for place, step in enumerate(steps) if step.walked and step.speaker == "Walter")
    assert [step.speaker for step in steps[gone + 1 :]] == ["Iris", "Iris"]
    assert len(said(steps)) == 4


def test_who_leaves_something_behind_stays() -> None:
    walter = part("Walter", 'At the end: "I go by the river."')
    steps = outline_of(book(("Walter leaves the letter on the bench",), part("Iris", '"Hm."'), walter))
    assert steps[-1].text == "I go by the river."
