"""A long work of the book, as a command starts it and waits for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.cli.foreman_chat import ForemanChat
from dramaturg.cli.foreman_work import do_work, print_works
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio
from tests.workshop.works.cases import TABLE
from tests.workshop.works.reading import ReadingRequest


async def test_a_work_shows_its_price_and_its_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with Studio.open(Settings(project=tmp_path), works=TABLE) as studio:
        run = await do_work(studio, "reading", ReadingRequest(), yes=True, json=False)
        assert run is not None
        shown = capsys.readouterr()
        assert "3 to 4 questions" in shown.err
        assert "It will not look at: the story bible" in shown.err
        assert shown.out.startswith("Read 3 scenes: A gloomy book.\n")
        print_works(await studio.workshop.works.rows(), json=False)
        assert run.id in capsys.readouterr().out


async def test_with_json_the_result_is_one_line_and_a_price_needs_a_yes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Studio.open(Settings(project=tmp_path), works=TABLE) as studio:
        with pytest.raises(InvalidConfig, match="--yes"):
            await do_work(studio, "reading", ReadingRequest(), yes=False, json=True)
        assert await studio.runs.find() == []
        await do_work(studio, "reading", ReadingRequest(scenes=1), yes=True, json=True)
        (line,) = capsys.readouterr().out.splitlines()
        assert json.loads(line)["result"]["moods"] == {"scene-1": "dark 1"}


async def test_a_work_of_one_question_is_not_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with Studio.open(Settings(project=tmp_path), works=TABLE) as studio:
        assert await do_work(studio, "reading", ReadingRequest(scenes=0), yes=False, json=True) is not None


async def test_a_chat_that_is_left_waits_for_the_work_it_started_and_shows_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Studio.open(Settings(project=tmp_path), works=TABLE) as studio:
        talk = ForemanChat(studio, model=None, file="", thinking=False, json=False)
        run = await studio.workshop.works.start("reading", ReadingRequest())
        await talk.wait_for_works()
        shown = capsys.readouterr()
        assert f"dramaturg runs resume {run.id}" in shown.err
        assert "gloomy" in shown.out
        assert studio.workshop.works.playing == ()
        assert (await studio.runs.get(run.id)).status == "ended"
        await talk.send("What came of it?")
        assert f"reading ({run.id}): Read 3 scenes: A gloomy book." in capsys.readouterr().out
