"""Laws of a scene that hold for all inputs."""

import string

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.cut import cut_line
from dramaturg.scenes.response import ParsedResponse, parse_response, render_response

WORDS = st.text(alphabet=string.ascii_letters + "äéßñ ,.!?'-", min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)
NAMES = st.sampled_from(["Alice", "Bob", "Mr. Grey", "Zoë"])
FIELD = st.text(alphabet=string.ascii_lowercase + " ", min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()) or "plain"
)
SPOKEN = WORDS.filter(lambda text: any(char.isalpha() for char in text) and "as an ai" not in text.lower())


@st.composite
def responses(draw: st.DrawFn) -> ParsedResponse:
    action = draw(st.sampled_from(["speak", "interrupt", "silent", "react"]))
    gesture = draw(FIELD) if action == "react" or draw(st.booleans()) else None
    if action in ("silent", "react"):
        tone = draw(FIELD) if action == "react" else "neutral"
        return ParsedResponse(action=action, tone=tone, nonverbal=gesture)
    return ParsedResponse(
        action=action,
        target=draw(st.none() | NAMES),
        tone=draw(FIELD),
        content=draw(SPOKEN),
        interrupt_after=draw(FIELD) if action == "interrupt" else None,
        nonverbal=gesture,
    )


@given(responses())
def test_what_is_rendered_is_read_back(response: ParsedResponse) -> None:
    assert parse_response(render_response(response), me="Charlie", cast=("Charlie",)) == (response, ())


@given(st.text(max_size=400) | st.text(alphabet='[]*",:;{}<>“”\n TOSILENTINTERRUPTafter', max_size=400))
def test_any_text_at_all_is_read_as_some_response(raw: str) -> None:
    parsed, _ = parse_response(raw, me="Bob", cast=("Alice", "Bob"))
    assert parsed.action in ("speak", "interrupt", "silent", "react")
    if parsed.action in ("silent", "react"):
        assert parsed.content == ""


@given(SPOKEN, SPOKEN)
def test_a_cut_line_is_a_beginning_of_the_line_and_loses_no_word(content: str, phrase: str) -> None:
    cut = cut_line(content, phrase)
    if cut is not None:
        assert content.startswith(cut.said.removesuffix("—"))
        assert content.rstrip().endswith(cut.unsaid)
        kept = [char for char in cut.said + cut.unsaid if char.isalnum()]
        assert kept == [char for char in content if char.isalnum()]
