"""A why that is tested: asked again without one cause at a time, compared, ranked, and kept in a run of its own."""

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelUnavailable
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.kernel.runs import Kinds, ModelAnswered, Recorded, Run, RunLibrary
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import Store
from dramaturg.scenes.insight.ablation import Ablation, ablation_of, estimate_of, questioned, questions, try_causes
from dramaturg.scenes.insight.account import find_line, occasion_of_line
from dramaturg.scenes.kind import WhyKind
from tests.scenes.insight.played import the_cup

SAID = '[TONE: low] "The cup is broken. I broke it."'


@pytest.fixture
async def scene(tmp_path: Path) -> Run:
    return await the_cup(tmp_path / "scene")


@pytest.fixture
async def why(local_store: Store, scene: Run) -> Run:
    run = await RunLibrary(local_store, StillClock(), Kinds.of([WhyKind(None, None)])).create("why", "the-cup, line 6")
    await run.append(questioned(scene.id, scene.entries, find_line(scene.entries, "I broke it"), again=2))
    return run


async def find_out(scene: Run, why: Run, model: ScriptedModel) -> Ablation | None:
    occasion = occasion_of_line(scene.entries, why.entries[0].event.line)
    await try_causes(why, occasion, Recorded(model, why, "bob"), read_settings(Path("nowhere"), {}))
    return ablation_of(why.entries)


def by_cause(request: ModelRequest) -> ScriptedAnswer:
    """Says the line while it was asked by Alice, something else without her, nothing without the secret."""
    if "the last of six" not in request.system:
        return "[SILENT]"
    if 'Alice [INTERRUPT after "cups go"' not in request.messages[-1].text:
        return '[TONE: airy] "What cup?"'
    return "The cup is broken. I broke it."


async def test_causes_are_ranked_by_how_far_the_line_moves_without_them(scene: Run, why: Run) -> None:
    found = await find_out(scene, why, ScriptedModel(by_cause))
    assert found is not None
    assert [(effect.cause.key, found.stands_out(effect)) for effect in found.effects] == [
        ("secret-0", True),
        ("line-4", True),
        ("event-5", False),
        ("section-0", False),
    ]
    assert found.effects[0].movement.moved == 1.0
    assert 0 < found.effects[1].movement.moved < 1
    assert found.effects[2].movement.moved == found.floor == 0.0


async def test_a_line_that_moves_by_itself_hides_causes_that_move_it_less(scene: Run, why: Run) -> None:
    wild = ScriptedModel(lambda request: f'[TONE: low] "{request.key}"' if "again-2" in request.key else SAID)
    found = await find_out(scene, why, wild)
    assert found is not None
    assert found.floor > 0.5
    assert not any(found.stands_out(effect) for effect in found.effects)


async def test_every_answer_is_in_the_log_of_the_test_and_the_scene_is_as_it_was(scene: Run, why: Run) -> None:
    before = tuple(scene.entries)
    model = ScriptedModel(by_cause)
    await find_out(scene, why, model)
    keys = [entry.event.key for entry in why.entries if isinstance(entry.event, ModelAnswered)]
    assert keys == [request.key for request in model.requests]
    assert keys == [
        "beat-2/bob#again-1", "beat-2/bob#again-2", "beat-2/bob#without-line-4", "beat-2/bob#without-event-5",
        "beat-2/bob#without-section-0", "beat-2/bob#without-secret-0",
    ]  # fmt: skip
    assert tuple(scene.entries) == before


async def test_a_test_that_was_broken_off_asks_only_what_is_missing(scene: Run, why: Run) -> None:
    class Killed(Exception):
        pass

    def dies(request: ModelRequest) -> ScriptedAnswer:
        return Killed() if "without-secret" in request.key else by_cause(request)

    first, second = ScriptedModel(dies), ScriptedModel(by_cause)
    with pytest.raises(Killed):
        await find_out(scene, why, first)
    assert ablation_of(why.entries) is None
    assert await find_out(scene, why, second) is not None
    assert [request.key for request in second.requests] == ["beat-2/bob#without-secret-0"]


async def test_a_cause_that_could_not_be_asked_stays_unknown(scene: Run, why: Run) -> None:
    def sulks(request: ModelRequest) -> ScriptedAnswer:
        return ModelUnavailable("gone for lunch") if "section" in request.key else by_cause(request)

    found = await find_out(scene, why, ScriptedModel(sulks))
    assert found is not None
    assert (found.effects[-1].cause.kind, found.effects[-1].failed) == ("section", "gone for lunch")
    assert found.effects[-1].movement is None
    assert not found.stands_out(found.effects[-1])


async def test_where_nothing_can_be_asked_the_test_fails(scene: Run, why: Run) -> None:
    with pytest.raises(ModelUnavailable):
        await find_out(scene, why, ScriptedModel(lambda request: ModelUnavailable("down")))


async def test_the_estimate_counts_the_calls_and_knows_when_it_does_not_know_the_price(scene: Run, why: Run) -> None:
    asked = why.entries[0].event
    asking = questions(asked, occasion_of_line(scene.entries, asked.line), read_settings(Path("nowhere"), {}))
    priced = estimate_of(asking, SAID, Price(input_usd=1.0, output_usd=2.0))
    assert priced.calls == 6
    assert priced.usd == pytest.approx((priced.input_tokens + 2 * priced.output_tokens) / 1e6)
    assert estimate_of(asking, SAID, None).usd is None
