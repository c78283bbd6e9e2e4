"""The screenplay: what a writing program reads back is what was played."""

from pathlib import Path

import pytest

from dramaturg.scenes.exports import render_fountain
from dramaturg.scenes.line import Line
from tests.scenes.exports.fountain_reader import Element, Screenplay, read_fountain
from tests.scenes.exports.sample import SCRIPT, script_with

GOLDEN = Path(__file__).parent / "golden" / "pilot.fountain"


def read(*lines: Line, **changes: object) -> Screenplay:
    return read_fountain(render_fountain(script_with(*lines, **changes)))


def said(content: str, speaker: str = "Nora", **fields: object) -> Line:
    return Line.model_validate({"number": 1, "beat": 0, "speaker": speaker, "content": content, **fields})


def only(screenplay: Screenplay) -> Element:
    heading, element = screenplay.elements
    assert heading.kind == "heading"
    return element


def test_the_sample_is_written_as_it_stands_in_the_golden_file() -> None:
    assert render_fountain(SCRIPT) == GOLDEN.read_text(encoding="utf-8")


def test_the_dialogue_is_found_again_in_order_with_its_speakers() -> None:
    assert read_fountain(render_fountain(SCRIPT)).dialogue == [
        (line.speaker.upper(), line.content) for line in SCRIPT.lines if line.kind == "line" and line.content
    ]


def test_an_interruption_and_words_in_the_same_instant_stand_beside_the_line_before() -> None:
    dual = [(e.speaker, e.text) for e in read_fountain(render_fountain(SCRIPT)).elements if e.dual]
    assert dual == [("JONAS", "You had *radar*!"), ("MR. GREY", "So was I.")]


def test_a_third_voice_stands_below_the_pair() -> None:
    lines = [said("Me!", name, number=number) for number, name in enumerate(("Nora", "Jonas", "Mr. Grey"), 1)]
    shown = read(*lines, arrivals={1: 5.0, 2: 5.0, 3: 5.01})
    assert [element.dual for element in shown.elements[1:]] == [False, True, False]


def test_an_interruption_that_cut_nothing_stands_alone() -> None:
    first = said("I am done.", number=1)
    missed = said("Wait!", "Jonas", number=2, action="interrupt", interrupt_after="radar")
    assert [element.dual for element in read(first, missed).elements[1:]] == [False, False]


def test_a_cut_line_always_ends_in_a_dash() -> None:
    assert only(read(said("I only", cut_by="Jonas"))).text == "I only—"


@pytest.mark.parametrize(
    ("setting", "heading"),
    [
        ("Office conference room, late afternoon", ".OFFICE CONFERENCE ROOM - LATE AFTERNOON"),
        ("Inside the lighthouse, night", "INT. THE LIGHTHOUSE - NIGHT"),
        ("EXT. BEACH - DAY", "EXT. BEACH - DAY"),
        ("Outside, by the bins", "EXT. BY THE BINS"),
        ("Interview room, after lunch", ".INTERVIEW ROOM, AFTER LUNCH"),
        ("INT./EXT. CAR - NIGHT", "INT./EXT. CAR - NIGHT"),
        ("A bridge in the rain", ".A BRIDGE IN THE RAIN"),
        ("... somewhere #9#", ".\N{WORD JOINER}... SOMEWHERE ＃9＃"),
        ("", ".THE PILOT"),
    ],
)
def test_the_heading_says_inside_or_outside_only_where_the_setting_does(setting: str, heading: str) -> None:
    assert render_fountain(script_with(setting=setting)).split("\n\n")[1] == heading


def test_what_the_setting_says_after_the_hour_stands_below_the_heading() -> None:
    text = render_fountain(script_with(setting="A studio, under the roof, late afternoon, rain on the skylight"))
    assert text.split("\n\n")[1:3] == [".A STUDIO, UNDER THE ROOF - LATE AFTERNOON", "Rain on the skylight."]


@pytest.mark.parametrize(
    ("speaker", "cue"),
    [
        ("Nora", "NORA"),
        ("Mr. Grey", "MR. GREY"),
        ("R2D2", "R2D2"),
        ("Zoë", "@ZOË"),
        ("23", "@23"),
        ("Int. Revenue", "@INT. REVENUE"),
        ("Anne_Marie*", r"@ANNE\_MARIE\*"),
    ],
)
def test_a_name_that_would_not_be_taken_for_one_is_forced(speaker: str, cue: str) -> None:
    text = render_fountain(script_with(said("Hello.", speaker)))
    assert text.split("\n\n")[2] == f"{cue}\nHello."
    assert only(read_fountain(text)).speaker == speaker.upper()


@pytest.mark.parametrize(
    "words",
    ["(all in brackets)", "~ la la", "!no", "@home", "#1", "=", "> go <", ".hidden", "[[note]]", "/* cut */", "\\*",
     "INT. HOUSE - DAY", "CUT TO:", "...and then", "*a* _b_ **c**"],
)  # fmt: skip
def test_words_that_look_like_markup_stay_words(words: str) -> None:
    element = only(read(said(words)))
    assert (element.kind, element.text, element.parentheticals) == ("dialogue", words, [])


@pytest.mark.parametrize("happening", ["THE LIGHTS FAIL", "CUT TO:", "Int. gate opens", "#1 is called", "> a bell <"])
def test_an_event_is_action_whatever_it_looks_like(happening: str) -> None:
    element = only(read(Line(number=1, beat=1, kind="event", content=happening)))
    assert (element.kind, element.text.removesuffix(".")) == ("action", happening)


def test_the_end_and_each_sub_goal_stand_in_a_note() -> None:
    assert read_fountain(render_fountain(SCRIPT)).notes[-1] == (
        "SCENE END - Maximum length reached\n"
        "met: Nora admits she was afraid (Nora: “I was afraid.”)\n"
        "open: Jonas apologizes"
    )
