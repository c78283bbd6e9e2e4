"""An answer is cut where it enters, whole or streamed; one that breaks its reader costs no more than itself."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.errors import ModelRejected, ModelUnreadable
from dramaturg.kernel.models.bounds import Bounded, read_answer_with, readable
from dramaturg.kernel.models.port import Message, ModelAnswer, ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile, profile_of
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.model_notes.loose_json import load_json
from dramaturg.workshop.notebooks.sources import read_source
from tests.hostile.meter import metered

REQUEST = ModelRequest("beat-1/alice", "acting", "", (Message("user", "Go."),), max_tokens=10)


class Talker:
    """A model that says too much."""

    name = "local/talker"

    @property
    def profile(self) -> ModelProfile:
        return profile_of(self.name)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return ModelAnswer(text="x" * 1000, model=self.name)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        for _ in range(100):
            yield "x" * 10
        yield await self.complete(request)


async def test_an_answer_is_cut_at_sixteen_characters_a_token_and_that_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        answer = await Bounded(Talker()).complete(REQUEST)
    assert (answer.text, answer.finish) == ("x" * 160, "length")
    assert "the answer to beat-1/alice has 1000 characters; the first 160 are used" in caplog.text


async def test_a_stream_is_cut_at_the_same_place() -> None:
    *pieces, last = [piece async for piece in Bounded(Talker()).stream(REQUEST)]
    assert isinstance(last, ModelAnswer)
    assert "".join(str(piece) for piece in pieces) == last.text == "x" * 160


def test_what_a_reader_raises_is_an_unreadable_answer_with_its_name() -> None:
    def breaks() -> str:
        raise RecursionError

    with pytest.raises(ModelUnreadable, match="cannot be read as a letter"):
        read_answer_with("a letter", breaks, key="k")
    assert readable("a letter", breaks) == ""


def test_but_an_error_of_ours_stays_what_it_is() -> None:
    def declines() -> str:
        raise ModelRejected("no")

    with pytest.raises(ModelRejected):
        read_answer_with("a letter", declines)


def test_json_is_read_to_a_limited_depth() -> None:
    assert load_json("[" * 40 + "]" * 40) is not None
    assert [load_json("[" * deep + "]" * deep) for deep in (60, 900, 100_000)] == [None] * 3


def test_open_brackets_cost_no_more_than_the_levels_that_are_allowed() -> None:
    def work(brackets: int) -> int:
        with metered(10_000_000) as meter, pytest.raises(MalformedTextError, match="more than 50 levels"):
            parse_yaml("[" * brackets)
        return meter.work

    assert work(1000) <= 2 * work(100)


def test_a_small_docx_of_nested_paragraphs_is_read_once(tmp_path: Path) -> None:
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    deep = "<w:p>" * 5000 + "<w:r><w:t>Said once.</w:t></w:r>" + "</w:p>" * 5000
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{name}">{deep}</w:document>')
    path = tmp_path / "small.docx"
    path.write_bytes(packed.getvalue())
    with metered(1_000_000):
        assert [one.text for one in read_source(path)] == ["Said once."]
