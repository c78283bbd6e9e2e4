"""The Foreman's protocol is read from whatever a model writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.answer_reader import read_answer

SAVE = '<action type="save_decision"><category>character</category><key>flaw</key><value>pride</value></action>'
TABLE: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "answers.yaml").read_text(encoding="utf-8"))
CASES = [pytest.param(case, id=f"{kind}: {name}") for kind, cases in TABLE.items() for name, case in cases.items()]


def carried_out(answer: ForemanAnswer) -> tuple[list[dict[str, Any]], list[str]]:
    """The actions whose parameters their schema accepts, as they would be called, and the names of the others."""
    done, refused = [], []
    for asked in answer.actions:
        try:
            read = ACTIONS[asked.type].read(asked.params)
        except (InvalidConfig, KeyError):
            refused.append(asked.type)
        else:
            done.append({asked.type: json.loads(read.model_dump_json(exclude_unset=True, by_alias=True))})
    return done, refused


@pytest.mark.parametrize("case", CASES)
def test_an_answer_is_read(case: dict[str, Any]) -> None:
    answer = read_answer(case["answer"], KNOWN)
    assert answer.message.split() == case.get("said", "").split()
    done, refused = carried_out(answer)
    assert done == case.get("did", [])
    assert refused == case.get("refused", [])
    assert {update.target: update.text for update in answer.updates} == case.get("wrote", {})
    if "thought" in case:
        assert answer.thinking.split() == case["thought"].split()
    assert list(dict.fromkeys(oddity.kind for oddity in answer.oddities)) == case.get("odd", [])


def test_there_are_enough_malformed_cases_of_every_kind() -> None:
    malformed = {kind: cases for kind, cases in TABLE.items() if kind != "by the book"}
    assert sum(map(len, malformed.values())) >= 60
    assert min(map(len, malformed.values())) >= 2


def test_prose_that_broke_off_is_marked() -> None:
    update = read_answer('<content_update target="a">She ran to', KNOWN).updates[0]
    assert not update.whole


def test_a_hundred_kilobytes_of_junk_are_read() -> None:
    for junk in ("<" * 100_000, "<action " * 12_000, "<thinking>" * 10_000, "<message>" * 10_000, "{" * 100_000):
        read_answer(junk, KNOWN)


PIECES = st.sampled_from(
    [
        "<thinking>", "</thinking>", "<think>", "</think>", "<message>", "</message>", SAVE, "</action>",
        '<action type="save_decision">', "<action", "<key>", "</key>", "flaw", "<value>007</value>",
        '<content_update target="a">', "</content_update>", "```xml\n", "\n```\n", "`", "&lt;message&gt;", "&amp;",
        "<b>", "</b>", '{"key": "flaw"}', "words and words. ", "<![CDATA[", "]]>", "<save_decision/>", "\n",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=8), max_size=25).map("".join))
def test_any_text_is_read_and_nothing_in_closed_reasoning_runs(text: str) -> None:
    read_answer(text, KNOWN)
    inside = read_answer(f"<thinking>{text.replace('think', 'thunk')}</thinking><message>Hi</message>", KNOWN)
    assert not inside.actions
    assert inside.message == "Hi"


WORD = st.text("abcdefg", min_size=3, max_size=6)


@given(st.lists(WORD, min_size=1, max_size=6), st.lists(PIECES.filter(lambda p: "think" not in p), max_size=8))
def test_no_word_of_prose_is_lost(words: list[str], pieces: list[str]) -> None:
    marked = [f"W{word}{place}" for place, word in enumerate(words)]
    text = "".join(f"{word} {piece} " for word, piece in zip(marked, [*pieces, *[""] * len(marked)], strict=False))
    answer = read_answer(text, KNOWN)
    kept = " ".join(
        [answer.message, answer.thinking]
        + [action.raw for action in answer.actions]
        + [update.text for update in answer.updates]
        + [oddity.quote for oddity in answer.oddities]
    )
    for word in marked:
        assert word in kept
