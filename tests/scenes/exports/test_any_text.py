"""Laws of every export: whatever is said survives, nothing is read as markup, any scene gives a valid file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.exports import render_fountain, render_html, render_markdown, render_vtt
from dramaturg.scenes.exports.script import Playscript, plain, speaker_of, words_of
from dramaturg.scenes.line import Line
from tests.scenes.exports.fountain_reader import read_fountain
from tests.scenes.exports.sample import script_with
from tests.scenes.exports.test_html_page import Page
from tests.scenes.exports.test_markdown import inline, shown
from tests.scenes.exports.vtt_reader import Subtitle, read_vtt

JOINER = "\N{WORD JOINER}"
MARKUP = "*_~!@#=>.([])<>&|`\\/-+^{}:;\"'$%0123456789 \n\tabINTEXTTOw—"
TEXT = st.text(max_size=60) | st.text(alphabet=MARKUP, max_size=40)
SPEAKERS = st.sampled_from(["Nora", "Jonas", "Mr. Grey", "Zoë", "A & <B>", "黒澤", "*^_", "x^", "(he)"])
MAYBE = st.none() | TEXT


@st.composite
def scripts(draw: st.DrawFn) -> Playscript:
    lines = []
    company = st.sampled_from(draw(st.lists(SPEAKERS, min_size=2, max_size=3, unique=True)))
    for number in range(1, draw(st.integers(1, 6)) + 1):
        kind = draw(st.sampled_from(["line", "line", "line", "event", "system"]))
        speaker = draw(company) if kind == "line" else ""
        lines.append(
            Line(
                number=number,
                beat=draw(st.integers(0, 3)),
                kind=kind,
                speaker=speaker,
                action=draw(st.sampled_from(["speak", "interrupt", "react"])),
                content=draw(TEXT),
                tone=draw(TEXT),
                target=draw(MAYBE),
                nonverbal=draw(MAYBE),
                gloss=draw(MAYBE),
                language=draw(MAYBE),
                aside=draw(st.booleans()),
                cut_by=draw(st.none() | company),
            )
        )
    arrivals = draw(st.dictionaries(st.integers(1, 6), st.floats(1, 60)))
    texts = {name: draw(TEXT) for name in ("setting", "goal", "played_by", "end")}
    return script_with(*lines, arrivals=arrivals, title=draw(TEXT) or "A", **texts)


def spoken(script: Playscript) -> list[tuple[str, str]]:
    return [(speaker_of(line), words_of(line)) for line in script.lines if line.kind == "line" and words_of(line)]


def bare(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without the joiner, which Fountain's escapes are made of and which nobody sees; names in capitals."""
    return [(who.replace(JOINER, "").strip().upper(), words.replace(JOINER, "").strip()) for who, words in pairs]


@given(scripts())
def test_a_screenplay_gives_every_speaker_and_every_word_back(script: Playscript) -> None:
    screenplay = read_fountain(render_fountain(script))
    assert bare(screenplay.dialogue) == bare(spoken(script))
    assert {element.kind for element in screenplay.elements[1:]} <= {"dialogue", "action"}
    assert screenplay.elements[0].kind == "heading"


@given(scripts())
def test_subtitles_are_valid_and_give_every_speaker_and_every_word_back(script: Playscript) -> None:
    cues = read_vtt(render_vtt(script)).cues
    shown: dict[str, list[Subtitle]] = {}
    for cue in cues:
        shown.setdefault(cue.id.partition("-")[0], []).append(cue)
    found = [own for _, own in sorted(shown.items(), key=lambda one: int(one[0])) if any(cue.voice for cue in own)]
    expected = spoken(script)
    assert [own[0].voice for own in found] == [who for who, _ in expected]
    for own, (_, words) in zip(found, expected, strict=True):
        rows = "".join("".join(row for cue in own if cue.voice for row in cue.rows).split())
        assert "".join(words.split()) in rows
    assert len(shown) == sum(line.kind != "system" for line in script.lines)


@given(scripts())
def test_markdown_gives_every_speaker_and_every_word_back(script: Playscript) -> None:
    rows = [shown(token) for token in inline(render_markdown(script))]
    found = [(row[0], row[1]) for row in rows if len(row) > 1]
    expected = spoken(script)
    assert [words for _, words in found] == [words for _, words in expected]
    assert all(head.startswith(who) for (head, _), (who, _) in zip(found, expected, strict=True))


@given(scripts())
def test_a_page_gives_every_word_back(script: Playscript) -> None:
    page = Page(render_html(script))
    assert page.of_class("words") == [words for _, words in spoken(script)]
    assert page.of_class("gloss") == [
        plain(line.gloss or "")
        for line in script.lines
        if words_of(line) and line.kind == "line" and plain(line.gloss or "")
    ]


@given(st.text(max_size=80))
def test_plain_text_is_one_line_and_loses_no_letter(text: str) -> None:
    made = plain(text)
    assert made == " ".join(made.split())
    assert [char for char in made if char.isalnum()] == [char for char in text if char.isalnum()]


@pytest.mark.parametrize("render", [render_fountain, render_vtt, render_markdown, render_html])
def test_a_scene_without_a_line_is_a_file_too(render: object) -> None:
    assert render(script_with()).endswith("\n")
