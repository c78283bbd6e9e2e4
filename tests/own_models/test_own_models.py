"""Models that a program brings along: they play under their names, and what goes wrong in them is an error of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg import Model, ModelAnswer, ModelRequest, Persona, ScriptedModel, Studio, Usage
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import (
    InvalidConfig,
    InvalidSettings,
    KeyRejected,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.settings import BudgetSettings, ModelSettings
from dramaturg.own_models import OwnModel
from dramaturg.scenes.wire import SceneResult
from tests.own_models.house import SCENE, House, settings

REQUEST = ModelRequest(key="beat-0/ann", purpose="acting", system="", messages=(), max_tokens=400)


async def played(studio: Studio, model: str | None = None) -> SceneResult:
    run = await studio.scenes.open(SCENE, model=model)
    await studio.start(run)
    return studio.scenes.result(run)


async def test_a_model_of_the_program_plays_under_the_name_it_was_given(tmp_path: Path) -> None:
    async with Studio.open(settings(tmp_path), models={"house": House()}) as studio:
        result = await played(studio)
    assert "PLAYED BY: house" in result.transcript
    assert 'Ann [TONE: calm] "The tide is out, and so is the boat."' in result.transcript
    assert result.metadata.costs.total_tokens > 0


async def test_a_program_exports_a_scene_in_the_formats_of_the_command_line(tmp_path: Path) -> None:
    async with Studio.open(settings(tmp_path), models={"house": House()}) as studio:
        run = await studio.scenes.open(SCENE)
        await studio.start(run)
        assert studio.scenes.export(run, "txt") == studio.scenes.result(run).transcript
        assert "ANN" in studio.scenes.export(run, "fountain")
        with pytest.raises(InvalidConfig, match="There is no format 'pdf'; known are fountain"):
            studio.scenes.export(run, "pdf")


async def test_it_plays_where_no_other_is_named_and_beside_others(tmp_path: Path) -> None:
    models: dict[str, Model] = {"house": House(), "double": ScriptedModel(lambda _: '[TONE: dry] "As written."')}
    async with Studio.open(settings(tmp_path, None), models=models) as studio:
        assert (await studio.choose()).name == "house"
        assert "As written." in (await played(studio, "double")).transcript
        assert studio.price("house") is None
        with pytest.raises(InvalidSettings, match="nobody"):
            await studio.scenes.open(SCENE, model="nobody")


async def test_a_person_talks_with_it(tmp_path: Path) -> None:
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "talk.yaml").write_text(
        "name: talk\ncharacter: ann\nopening_line: Ahoy.\n", encoding="utf-8"
    )
    async with Studio.open(settings(tmp_path), models={"house": House('"Low tide at nine."')}) as studio:
        session = await studio.episodes.open("talk", Persona(id="eve", name="Eve"))
        said = [one.content async for one in studio.episodes.say(session.id, "When?") if one.type == "message_complete"]
    assert said == ['"Low tide at nine." ']


@pytest.mark.parametrize(
    ("given", "raised", "says"),
    [
        (ValueError("a bug of theirs"), ModelError, "house failed (ValueError: a bug of theirs)"),
        (ConnectionResetError("by peer"), ModelUnavailable, "house cannot be reached (ConnectionResetError: by peer)"),
        (TimeoutError(), ModelUnavailable, "house cannot be reached (TimeoutError"),
        (asyncio.CancelledError(), ModelUnavailable, "house cancelled its own answer"),
        (ModelRejected("Not this one."), ModelRejected, "Not this one."),
        (None, ModelUnreadable, "house gave NoneType and not a ModelAnswer"),
        (b"bytes", ModelUnreadable, "house gave bytes and not a ModelAnswer"),
        (ModelAnswer(text="x", model="x", usage=Usage(input_tokens=-1)), ModelUnreadable, "house counts -1 tokens"),
        (ModelAnswer(text="x", model="x", cost_usd=-0.5), ModelUnreadable, "house charges -0.5 dollars"),
    ],
)
async def test_what_goes_wrong_in_it_is_an_error_that_names_it(
    given: object, raised: type[Exception], says: str
) -> None:
    with pytest.raises(raised) as error:
        await OwnModel("house", House(given)).complete(REQUEST)
    assert says in str(error.value)
    if not isinstance(given, bytes | ModelAnswer) and given is not None:
        with pytest.raises(raised):
            [piece async for piece in OwnModel("house", House(given)).stream(REQUEST)]


async def test_a_stream_ends_with_its_answer_and_has_only_text_before_it() -> None:
    class Odd(House):
        async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
            for piece in self.given:  # type: ignore[attr-defined]
                yield piece

    for given, says in ((("a", "b"), "without a ModelAnswer as its last item"), ((b"a",), "bytes"), ((), "without")):
        with pytest.raises(ModelUnreadable, match=says):
            [piece async for piece in OwnModel("house", Odd(given)).stream(REQUEST)]


async def test_a_cancelled_reader_is_cancelled_and_the_model_is_not_blamed() -> None:
    class Slow(House):
        async def complete(self, request: ModelRequest) -> ModelAnswer:
            await asyncio.sleep(3600)
            raise AssertionError

    task = asyncio.create_task(OwnModel("house", Slow()).complete(REQUEST))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_failing_model_costs_its_line_and_not_the_run(tmp_path: Path) -> None:
    models: dict[str, Model] = {"house": House(), "broken": House(ValueError("a bug of theirs"))}
    own = settings(tmp_path).model_copy(
        update={"models": ModelSettings(default="house", characters={"Bob": "broken"}, retries=0)}
    )
    async with Studio.open(own, models=models) as studio:
        result = await played(studio)
    assert "[SYSTEM: Bob unable to respond]" in result.transcript
    assert [one.error for one in result.metadata.errors][:1] == [
        "broken failed (ValueError: a bug of theirs). It is a model of this program; the log has the traceback."
    ]


async def test_what_passes_is_retried_as_for_any_model(tmp_path: Path) -> None:
    house = House(ConnectionError("gone"))
    own = settings(tmp_path).model_copy(update={"models": ModelSettings(default="house", retries=2)})
    async with Studio.open(own, StillClock(), models={"house": house}) as studio:
        with pytest.raises(ModelUnavailable):
            await studio.gateway.open("house").complete(REQUEST)
    assert house.asked == 3


async def test_a_budget_in_dollars_needs_answers_with_a_price(tmp_path: Path) -> None:
    async with Studio.open(settings(tmp_path, budget=BudgetSettings(usd=1.0)), models={"house": House()}) as studio:
        run = await studio.scenes.open(SCENE)
        with pytest.raises(InvalidSettings, match="The price of house is unknown"):
            await studio.start(run)


async def test_the_rehearsal_company_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="'rehearsal' is the rehearsal company"):
        async with Studio.open(settings(tmp_path), models={"rehearsal": House()}):
            pass


async def test_a_key_can_still_be_given_to_a_provider(tmp_path: Path) -> None:
    async with Studio.open(settings(tmp_path), models={"house": House()}) as studio:
        studio.gateway.open("house")
        with pytest.raises(KeyRejected):
            studio.gateway.open("openai/gpt-4o")
        studio.gateway.give_key("openai/gpt-4o", "sk-test")
        assert studio.gateway.open("openai/gpt-4o").name == "openai/gpt-4o"
        with pytest.raises(InvalidSettings, match="house needs no key"):
            studio.gateway.give_key("house", "sk-test")
