"""Laws of what comes from elsewhere: any bytes are a card, a book or a chat, or one typed error; nothing is lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.characters import load_card, parse_card
from dramaturg.characters.decorators import read_decorators, split_decorators
from dramaturg.characters.exchange import export_card, import_card
from dramaturg.characters.fields import unreadable
from dramaturg.characters.lorebook import book_as, book_from, read_book
from dramaturg.characters.lorebook.activation import activate
from dramaturg.characters.lorebook.pattern import UnusablePatternError, compiled, marked
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings, LoreState, LoreSurroundings
from dramaturg.characters.lorebook.work import StepBudget
from dramaturg.characters.tavern.card import tavern_card
from dramaturg.characters.tavern.file import charx_file, json_file, members_of, png_file, read_card_file
from dramaturg.characters.tavern.macros import MacroContext, expand_macros
from dramaturg.characters.tavern.markdown import markdown_of
from dramaturg.characters.tavern.versions import converted
from dramaturg.episodes.tavern_chat import read_chat, read_date, write_chat
from dramaturg.kernel.errors import CharacterLoadError
from tests.characters.foreign import V2, V3, card_png, charx, png
from tests.laws import examples

refuse = partial(unreadable, "mara")
TEXT = st.text(max_size=30) | st.lists(
    st.sampled_from(
        ["{{char}}", "{{user}}", "{{random:a,b}}", "{{", "}}", "<BOT>", "# ", "\n", "```", "- ", "x", "---\n"]
    ),
    max_size=8,
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
OBJECT = st.dictionaries(st.text(max_size=8), JSON, max_size=4)
V1_CARD = st.fixed_dictionaries(
    dict.fromkeys(("name", "description", "personality", "scenario", "first_mes", "mes_example"), TEXT)
)
ENTRY = st.fixed_dictionaries(
    {
        "keys": st.lists(st.text("abc/+*()", max_size=6), max_size=3),
        "content": st.lists(
            st.sampled_from(["@@depth 1\n", "@@@role user\n", "@@odd\n", "word ", "a"]), max_size=5
        ).map("".join),
        "extensions": st.fixed_dictionaries(
            {},
            optional={
                "probability": st.integers(0, 100),
                "group": st.sampled_from(["", "g", "g,h"]),
                "sticky": st.integers(0, 4),
                "cooldown": st.integers(0, 4),
                "delay": st.integers(0, 3),
                "selectiveLogic": st.integers(0, 3),
                "delay_until_recursion": st.booleans() | st.integers(0, 3),
                "exclude_recursion": st.booleans(),
                "ignore_budget": st.booleans(),
                "other": JSON,
            },
        ),
        "enabled": st.booleans(),
        "insertion_order": st.integers(0, 5),
    },
    optional={
        "secondary_keys": st.lists(st.sampled_from("abc"), max_size=2),
        "selective": st.booleans(),
        "constant": st.booleans(),
        "priority": st.integers(0, 5),
        "use_regex": st.booleans(),
        "name": st.text(max_size=4),
    },
)
BOOK = st.fixed_dictionaries(
    {"entries": st.lists(ENTRY, max_size=8), "extensions": OBJECT},
    optional={"name": st.text(max_size=5), "token_budget": st.integers(0, 60), "recursive_scanning": st.booleans()},
)
V2_DATA = st.builds(
    lambda fields, book, extra, more: {
        **{key: value for key, value in extra.items() if key not in V3["data"]},
        **fields,
        "alternate_greetings": more,
        "tags": [],
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "creator": "",
        "character_version": "",
        "extensions": {key: value for key, value in extra.items() if key != "dramaturg"},
        "character_book": book,
    },
    V1_CARD,
    BOOK,
    OBJECT,
    st.lists(TEXT, max_size=2),
)
SECOND = V2_DATA.map(lambda data: {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})


@st.composite
def third(draw: st.DrawFn) -> dict[str, Any]:
    data = dict(draw(V2_DATA))
    data["character_book"] = {
        **data["character_book"],
        "entries": [{"use_regex": False, **entry} for entry in data["character_book"]["entries"]],
    }
    own = {
        "nickname": draw(st.text("Ab ", min_size=1, max_size=5)),
        "group_only_greetings": draw(st.lists(TEXT, max_size=2)),
    }
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**data, **own}}


def broken(data: bytes) -> st.SearchStrategy[bytes]:
    """A good file with some of its bytes changed, missing or repeated."""
    places = st.integers(0, len(data))
    changed = st.builds(lambda at, piece: data[:at] + piece + data[at + len(piece) :], places, st.binary(max_size=6))
    cut = places.map(lambda at: data[:at])
    twice = st.builds(lambda at, to: data[:at] + data[min(at, to) :], places, places)
    return changed | cut | twice


GOOD_FILES = [json.dumps(V2).encode(), card_png(V3, "ccv3"), charx(V3, ("assets/a.png", png())), charx(V3, stored=True)]
FILES = (
    st.binary(max_size=300)
    | st.one_of([broken(data) for data in GOOD_FILES])
    | JSON.map(lambda value: json.dumps(value).encode())
    | JSON.map(lambda value: card_png(value))
    | st.binary(max_size=60).map(lambda text: png(("chara", text)))
    | OBJECT.map(lambda data: json.dumps({"spec": "chara_card_v3", "data": data}).encode())
    | JSON.map(lambda value: charx(value))
)


@given(FILES)
@examples(150)
def test_any_bytes_are_a_foreign_card_or_a_character_load_error(data: bytes) -> None:
    try:
        file = read_card_file(data, refuse)
        members_of(file, refuse)
    except CharacterLoadError:
        return
    parse_card("mara", markdown_of(file.card, "mara"))
    assert read_card_file(json_file(file.card), refuse).card.source == file.card.source


@given(V1_CARD | SECOND | third())
@examples(40)
def test_a_card_of_any_version_is_the_same_after_every_container(source: dict[str, Any]) -> None:
    card = tavern_card(source, refuse)
    assert read_card_file(json_file(card), refuse).card == card
    assert read_card_file(png_file(card, png(("parameters", b"x")), refuse), refuse).card == card
    if card.version == 3:
        assert read_card_file(charx_file(card, ()), refuse).card == card


@given(third())
@examples(40)
def test_down_to_v2_and_up_again_is_the_same_card(source: dict[str, Any]) -> None:
    second = converted(tavern_card(source, refuse), 2, refuse)
    for entry in second.source["data"]["character_book"]["entries"]:  # type: ignore[index,call-overload,union-attr]
        assert split_decorators(entry["content"])[0] == ""  # type: ignore[index,call-overload,arg-type]
    assert converted(second, 3, refuse).source == source


@given(V1_CARD, OBJECT)
@examples(80)
def test_up_from_v1_and_down_again_is_the_same_card(fields: dict[str, str], extra: dict[str, Any]) -> None:
    source = {**{key: value for key, value in extra.items() if key not in ("spec", "data")}, **fields}
    assert converted(converted(tavern_card(source, refuse), 3, refuse), 1, refuse).source == source


@given(V1_CARD | SECOND | third())
@examples(25)
def test_import_and_export_lose_nothing(source: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        project = Path(folder)
        import_card(project, json.dumps(source).encode(), stem="x", name="mara")
        assert json.loads(export_card(project, "mara", "json").data) == source
        assert load_card(project, "mara").display_name.strip()


@given(TEXT, st.text(max_size=8), st.text(max_size=8))
@examples(80)
def test_speaking_never_fails_is_settled_by_its_seed_and_leaves_no_name_unspoken(
    text: str, char: str, user: str
) -> None:
    speech = MacroContext(char, user, seed="s", turn=2)
    assert expand_macros(text, speech) == expand_macros(text, speech)
    if "{" not in char + user and "<" not in char + user:
        assert "{{char}}" not in expand_macros(text.replace("{{", "").replace("}}", "") + "{{char}}", speech)


@given(
    st.lists(
        st.sampled_from(["@@", "@@@", "depth", "role", " ", "4", "user", "\n", "activate", ",", "é"]), max_size=20
    ).map("".join)
)
@examples(80)
def test_any_content_has_decorators_and_a_rest(content: str) -> None:
    above, below = split_decorators(content)
    assert content.startswith(above)
    assert content.endswith(below)
    decorators, text = read_decorators(content)
    assert read_decorators(text)[0].unknown == () or text.startswith("@@")
    assert decorators.depth is None or isinstance(decorators.depth, int)


@given(st.text("ab()[]{}*+?|\\^$.-,0123bdwsuxpk/<>=!:", max_size=14), st.text("ab0 \n", max_size=12))
@examples(80)
def test_any_pattern_is_searched_for_or_unusable(pattern: str, text: str) -> None:
    try:
        found = compiled(pattern).found_in(marked(text), StepBudget())
    except UnusablePatternError:
        return
    assert isinstance(found, bool)


@given(BOOK, st.lists(st.text("abc ", max_size=12), max_size=6), st.integers(0, 80), st.booleans(), st.integers(0, 2))
@examples(60)
def test_a_scan_is_settled_keeps_its_budget_and_its_order_and_tells_nothing_disabled(
    source: dict[str, Any], said: list[str], budget: int, recursive: bool, least: int
) -> None:
    book = book_from(source, refuse)
    messages = [LoreMessage(text=text) for text in said]
    how = LoreSettings(budget_tokens=budget, recursive=recursive, min_activations=least)
    around = LoreSurroundings(seed="s", char="Mara", user="Ann")
    state = LoreState()
    for length in range(len(messages) + 1):
        scan = activate([book], messages[:length], state, how, around)
        assert scan == activate([book], messages[:length], state, how, around)
        assert all(one.entry.enabled and one.text and one.reason for one in scan.told)
        assert [one.entry.order for one in scan.told] == sorted(one.entry.order for one in scan.told)
        paid = sum(one.tokens for one in scan.told if not one.entry.ignore_budget)
        assert paid <= min(budget, budget if book.token_budget is None else book.token_budget)
        told = [one.entry.uid for one in scan.told]
        assert len(set(told)) == len(told)
        assert not set(told) & {one.uid for one in scan.untold}
        assert LoreState.model_validate_json(scan.state.model_dump_json()) == scan.state
        state = scan.state


@given(BOOK)
@examples(40)
def test_a_book_in_another_form_and_back_is_the_same_book(source: dict[str, Any]) -> None:
    book = book_from(source, refuse)
    for form in ("standalone", "world"):
        assert book_as(book_from(book_as(book, form), refuse), "card") == source


@given(
    st.binary(max_size=200)
    | OBJECT.map(lambda value: json.dumps(value).encode())
    | JSON.map(lambda value: json.dumps({"entries": value}).encode())
    | OBJECT.map(lambda value: json.dumps({"entries": [value]}).encode())
)
@examples(80)
def test_any_bytes_are_a_book_or_a_typed_error(data: bytes) -> None:
    try:
        book = read_book(data, refuse)
    except CharacterLoadError:
        return
    activate([book], [LoreMessage(text="a b c")])


MESSAGE = st.builds(
    lambda known, extra: {**extra, **known},
    st.fixed_dictionaries(
        {"mes": st.text(max_size=12) | OBJECT, "name": st.text(max_size=5), "is_user": st.booleans()},
        optional={
            "extra": st.none() | OBJECT,
            "send_date": st.none()
            | st.text(max_size=12)
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False),
            "swipes": st.lists(st.text(max_size=5), max_size=3),
            "swipe_id": st.integers(-2, 4),
            "swipe_info": st.lists(
                OBJECT.map(lambda one: {f"x{key}": value for key, value in one.items()}), max_size=2
            ),
        },
    ),
    st.dictionaries(st.text(max_size=6).map(lambda key: f"x_{key}"), JSON, max_size=3),
)


@examples(50)
@given(st.booleans(), st.lists(MESSAGE, min_size=1, max_size=4), OBJECT)
def test_a_chat_is_the_same_after_reading_and_writing(
    headed: bool, messages: list[dict[str, Any]], metadata: dict[str, Any]
) -> None:
    lines: list[dict[str, Any]] = (
        [{"user_name": "A", "character_name": "B", "chat_metadata": metadata}] if headed else []
    )
    lines += messages
    chat = read_chat("\n".join(json.dumps(line) for line in lines).encode(), refuse)
    written = write_chat(chat)
    assert [json.loads(line) for line in written.split(b"\n") if line] == lines
    assert read_chat(written, refuse) == chat
    for message in chat.messages:
        assert 0 <= message.shown < len(message.answers)
        assert message.sent_at is None or message.sent_at.tzinfo


@given(st.binary(max_size=120) | JSON.map(lambda value: json.dumps(value).encode()))
@examples(80)
def test_any_bytes_are_a_chat_or_a_typed_error(data: bytes) -> None:
    try:
        read_chat(data, refuse)
    except CharacterLoadError:
        return


@given(st.text(max_size=24) | st.floats() | st.integers() | st.datetimes().map(lambda moment: moment.isoformat()))
@examples(80)
def test_any_stamp_is_a_moment_or_none(stamp: str | float) -> None:
    moment = read_date(stamp)
    assert moment is None or moment.astimezone(UTC) >= datetime.min.replace(tzinfo=UTC)
