"""Laws of the model gateway, for all inputs."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelError, ModelOverloaded, ModelUnreadable
from dramaturg.kernel.models.catalogue import model_ref
from dramaturg.kernel.models.forms import form_of
from dramaturg.kernel.models.port import Finish, Usage
from dramaturg.kernel.models.prices import tariff_of
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.providers.faults import Source, refusal, retry_after
from dramaturg.kernel.models.providers.http_pool import server_sent
from dramaturg.kernel.models.providers.partial_answer import MOST_TOKENS, PartialAnswer
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.models.wrappers import Retrying
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import json_values, read
from tests.model_server.asking import question

# A slow machine proves nothing against a law.


class Note(Value):
    text: str
    weight: float
    marks: tuple[str, ...] = ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NOTES = st.builds(Note, text=st.text(), weight=st.floats(0, 1), marks=st.lists(st.text()).map(tuple))
# Prose as models write it: words, quotation marks and stray punctuation, but no JSON of its own and no thoughts.
PROSE = st.text(st.characters(codec="utf-8", exclude_characters="[]{}<`"), max_size=80)
AROUND = st.sampled_from(
    ["{}", "```json\n{}\n```", "```\n{}```", "JSON: {} [sic]", "{{so}} {}", "<think>{{1}}</think>{}"]
)


@given(st.dictionaries(st.text(), JSON, min_size=1) | st.lists(JSON, min_size=1), PROSE, PROSE, AROUND, st.booleans())
def test_any_json_is_found_in_any_prose_or_fence(
    value: object, before: str, after: str, around: str, spread: bool
) -> None:
    told = json.dumps(value, indent=2 if spread else None, ensure_ascii=False)
    if "```" in told or "think" in told:
        return
    assert value in json_values(before + around.format(told) + after)


@given(NOTES, PROSE, PROSE, AROUND)
def test_any_form_is_read_from_any_prose_or_fence(note: Note, before: str, after: str, around: str) -> None:
    told = note.model_dump_json()
    if "```" in told or "think" in told:
        return
    assert read(before + around.format(told) + after, Note) == note


@given(st.text() | st.text('{}[]":,0e-\\ntru <think/>`'))
def test_any_junk_is_a_form_or_unreadable_and_nothing_else(text: str) -> None:
    with suppress(ModelUnreadable):
        assert isinstance(read(text, Note), Note)


@given(NOTES)
def test_what_fits_the_model_fits_its_form(note: Note) -> None:
    schema = form_of(Note).schema
    assert set(note.model_dump()) == set(schema["properties"])  # type: ignore[call-overload]


@given(st.lists(st.floats(0, 120), min_size=1, max_size=5), st.integers())
async def test_no_wait_is_shorter_than_what_the_provider_asked_for(asked: list[float], seed: int) -> None:
    clock = StillClock()
    faults = [ModelOverloaded("busy", retry_after=wait) for wait in asked]
    model = Retrying(ScriptedModel([*faults, "there"]), clock, retries=len(asked), chance=random.Random(seed))
    assert (await model.complete(question())).text == "there"
    assert all(waited >= wait for waited, wait in zip(clock.waits, asked, strict=True))


@given(st.text(st.sampled_from("ab\n"), max_size=30), st.lists(st.text("ab\n", min_size=1, max_size=4)), st.data())
def test_a_stream_is_cut_where_the_whole_would_be(text: str, stops: list[str], data: st.DataObject) -> None:
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    partial = PartialAnswer(question(), "m", tuple(stops))
    said = "".join(partial.add(text[a:b]) for a, b in zip([0, *edges], [*edges, len(text)], strict=True))
    said += partial.flush()
    first = min(((text.index(stop) + len(stop), text.index(stop)) for stop in stops if stop in text), default=None)
    assert said == partial.to_answer(0.0).text == (text[: first[1]] if first else text)


ENDINGS = st.sampled_from(["stop", "length", "refusal"])


@given(
    st.lists(st.text("ab\n", max_size=6) | ENDINGS.map(lambda ending: (ending,)), max_size=12),
    st.lists(st.text("ab\n", min_size=1, max_size=3), max_size=2),
)
def test_what_is_shown_of_an_answer_is_the_answer_and_of_a_refusal_only_what_came_before(
    told: list[str | tuple[Finish]], stops: list[str]
) -> None:
    partial = PartialAnswer(question(), "m", tuple(stops))
    shown, refused = "", False
    for one in told:
        if isinstance(one, str):
            piece = partial.add(one)
            assert not (piece and refused)
            shown += piece
        else:
            partial.end(one[0])
            refused = refused or partial.finish == "refusal"
    shown += partial.flush()
    answer = partial.to_answer(0.0)
    assert (answer.finish == "refusal") is refused
    assert answer.text.startswith(shown) if refused else answer.text == shown


COUNTS = st.integers(-5, 2_000) | st.just(MOST_TOKENS + 1)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_whatever_usage_a_provider_reports_an_answer_never_earns_money(
    given: int, said: int, read: int, written: int
) -> None:
    partial = PartialAnswer(question(), "m")
    partial.usage = Usage(input_tokens=given, output_tokens=said, cache_read_tokens=read, cache_write_tokens=written)
    for model in ("openai", "openai/gpt-4.1", "anthropic"):
        tariff = tariff_of(model_ref(model, Settings()))
        assert tariff is not None
        assert tariff(partial.to_answer(0.0).usage) >= 0


@given(st.lists(st.text("abc: é", min_size=1).map(str.strip).filter(bool)), st.sampled_from(["\n", "\r\n"]), st.data())
async def test_events_are_the_same_however_the_bytes_fall(told: list[str], end: str, data: st.DataObject) -> None:
    raw = "".join(f"event: x{end}data: {line}{end}: a comment{end}{end}" for line in told).encode()
    edges = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=8)))

    async def chunks() -> AsyncIterator[bytes]:
        for a, b in zip([0, *edges], [*edges, len(raw)], strict=True):
            yield raw[a:b]

    assert [event.decode() async for event in server_sent(chunks())] == told


@given(st.integers(300, 599), st.binary() | JSON.map(lambda value: json.dumps(value).encode()), st.text())
def test_any_refusal_is_a_typed_error_without_the_key(status: int, body: bytes, wait: str) -> None:
    source = Source("acme", "wonder", "http://acme", ("ACME_KEY",), "s3cret-of-acme")
    error = refusal(source, status, body + b" s3cret-of-acme", {"retry-after": wait}, 0.0)
    assert isinstance(error, ModelError)
    assert "s3cret" not in str(error)
    assert "acme/wonder" in str(error)


@given(st.text())
def test_any_text_to_wait_is_a_time_or_none(text: str) -> None:
    wait = retry_after({"retry-after": text}, 0.0)
    assert wait is None or wait >= 0


@given(st.text(), st.text())
def test_tokens_are_counted_for_any_text(one: str, other: str) -> None:
    assert 0 <= estimate_tokens(one) <= 2 * len(one.encode()) + 1
    assert (estimate_tokens(one) == 0) == (one == "")


@given(st.text())
def test_any_name_has_a_profile(name: str) -> None:
    assert profile_of(name).context_window > 0


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "1e999"])
def test_odd_numbers_are_no_time_to_wait_for(text: str) -> None:
    wait = retry_after({"retry-after": text}, 0.0)
    assert wait is None or 0 <= wait < float("inf")
