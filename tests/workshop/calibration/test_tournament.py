"""A tournament of voices: what fails costs itself, and nobody learns who wrote what before the choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig, ModelUnavailable, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.kernel.runs import BudgetRaised, Limits
from dramaturg.workshop.calibration.tournament.scores import DIMENSIONS
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.voice.lineup import Choice
from dramaturg.workshop.voice.selection import Selection
from tests.workshop.workroom import at_work
from tests.workshop.works.cases import copy_book

AGENTS = ("alpha/one", "beta/two", "gamma/three")
REQUEST: dict[str, Any] = {"agents": list(AGENTS), "strategies": ["ACTION", "DIALOGUE"], "test_prompt": "Ruth counts."}


def passage(request: ModelRequest) -> str:
    """A passage that names its cell in a word of its own, so that a leak can be found."""
    cell = request.key.split()[0].replace("passage-", "cell")
    return f"Zyx{cell} counted the crates. " + "The rain came in from the harbour and stayed on the sill. " * 12


def judgement(request: ModelRequest) -> str:
    shown = request.messages[-1].text.split("<passage id=")[1:]
    told = [
        {
            "passage": f"P{place}",
            "scores": [
                {"dimension": name, "score": 6, "reason": "Plain.", "quote": text.split(">", 1)[1].split(".")[0]}
                for name in DIMENSIONS
            ],
        }
        for place, text in enumerate(shown, start=1)
    ]
    return orjson.dumps({"passages": told}).decode()


def script(request: ModelRequest) -> ScriptedAnswer:
    return passage(request) if request.purpose == "writing" else judgement(request)


async def played(foreman: Workshop, request: dict[str, Any] | None = None, limits: Limits | None = None) -> str:
    asked = foreman.works.read("tournament", REQUEST if request is None else request)
    run = await foreman.works.start("tournament", asked, limits or Limits())
    await foreman.works.wait(run.id)
    return run.id


async def test_every_agent_writes_with_every_strategy_and_is_judged_twice(tmp_path: Path) -> None:
    model = ScriptedModel(script)
    async with at_work(copy_book(tmp_path), model) as foreman:
        run = await played(foreman)
        result = (await foreman.works.detail(run)).result
        assert result is not None
        assert (result["passages"], result["missing"], result["unscored"]) == (6, 0, 0)
        report = await foreman.voice.select(Selection(agent="two", strategy="ACTION"))
        assert (report.winner.agent, report.winner.strategy) == ("beta/two", "ACTION")
        judged = report.winner.judged
        assert judged is not None
        assert judged.overall == 6
        assert {one.seen for one in judged.dimensions} == {2}
    asked = [request for request in model.requests if request.purpose == "judging"]
    assert not any(agent in request.messages[-1].text for request in asked for agent in AGENTS), "the judge is blind"


async def test_a_provider_that_is_down_costs_its_own_cells(tmp_path: Path) -> None:
    def third_is_down(request: ModelRequest) -> ScriptedAnswer:
        return ModelUnavailable("gamma is down.") if "gamma" in request.key else script(request)

    async with at_work(copy_book(tmp_path), third_is_down) as foreman:
        run = await played(foreman)
        detail = await foreman.works.detail(run)
        assert detail.status == "ended"
        assert detail.result is not None
        assert (detail.result["passages"], detail.result["missing"]) == (4, 2)
        assert set(detail.failures.values()) == {"gamma is down."}
        report = await foreman.voice.select(Selection(agent="alpha/one", strategy="ACTION"))
        assert all(one.judged and one.judged.is_scored for one in report.passages)
        with pytest.raises(NotFound, match="gamma"):
            await foreman.voice.select(Selection(agent="gamma/three", strategy="ACTION"))


@pytest.mark.parametrize("answer", ["They are all rather good, I think.", "", '{"passages": "no"}', "[]"])
async def test_a_judge_that_answers_in_prose_leaves_everything_unscored(tmp_path: Path, answer: str) -> None:
    async with at_work(
        copy_book(tmp_path), lambda asked: passage(asked) if asked.purpose == "writing" else answer
    ) as foreman:
        run = await played(foreman)
        detail = await foreman.works.detail(run)
        assert detail.status == "ended"
        assert "unscored" in detail.said
        report = await foreman.voice.select(Selection(agent="alpha/one", strategy="ACTION"))
        assert all(one.judged and one.judged.overall is None for one in report.passages)
        assert report.unscored


async def test_a_judge_that_makes_its_quotes_up_scores_nothing(tmp_path: Path) -> None:
    def liar(request: ModelRequest) -> ScriptedAnswer:
        return passage(request) if request.purpose == "writing" else judgement(request).replace("crates", "stars")

    async with at_work(copy_book(tmp_path), liar) as foreman:
        run = await played(foreman)
        result = (await foreman.works.detail(run)).result
        assert result is not None
        assert result["scored"] == 0
        report = await foreman.voice.select(Selection(agent="alpha/one", strategy="ACTION"))
        assert report.winner.judged is not None
        assert {why for one in report.winner.judged.dimensions for why in one.refused} == {
            "the quote is not in the passage"
        }


async def test_over_budget_half_way_it_stops_and_a_raised_budget_finishes_it(tmp_path: Path) -> None:
    model = ScriptedModel(script)
    async with at_work(copy_book(tmp_path), model) as foreman:
        asked = foreman.works.read("tournament", REQUEST | {"strategies": []})
        run = await foreman.works.start("tournament", asked, Limits(6000))
        with pytest.raises(BudgetExceeded):
            await foreman.works.wait(run.id)
        written = len([one for one in model.requests if one.purpose == "writing"])
        assert 0 < written <= 12
        engine = foreman._resources.engine
        performance = await engine.adopt(run.id)
        await performance.write(BudgetRaised(tokens=1_000_000))
        await engine.start(performance)
        result = (await foreman.works.detail(run.id)).result
        assert result is not None
        assert result["passages"] == 12
    keys = [one.key for one in model.requests]
    assert len(keys) == len(set(keys)), "nothing was asked twice"


async def test_before_the_choice_no_face_shows_who_wrote_what(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    (project / "mine.md").write_text("My own page about the harbour.\n" * 30)
    async with at_work(project, script) as foreman:
        run_id = await played(foreman)
        runs = foreman._resources.runs
        run = await runs.open(run_id)
        kind = foreman.works.kind("tournament")
        lineup = await foreman.voice.lineup(own="mine.md", way="pairs")
        await foreman.voice.choose(Choice(pair=1, letter=lineup.pairs[0].left))
        shown = [
            lineup.model_dump_json(),
            kind.show(run),
            kind.debug(run),
            *(json.dumps(one, default=str) for one in kind.documents(run)),
            *(kind.logged(entry).model_dump_json() for entry in run.entries),
            *[entry.model_dump_json() async for entry in runs.tail(run_id)],
            (await foreman.works.detail(run_id)).model_dump_json(),
            (await foreman.view()).model_dump_json(),
            *(path.read_text(errors="replace") for path in project.rglob("*.md")),
        ]
        book = await runs.open(foreman._hold.run_id)
        shown += [foreman.kind.show(book), foreman.kind.debug(book)]
        for text in shown:
            told = "Zyxcell" in text
            assert not (told and any(agent in text for agent in AGENTS)), "a passage beside the name of an agent"
            assert not (told and '"cell"' in text), "a passage beside its cell"
        with pytest.raises(NotFound, match="labels stay closed"):
            await foreman.voice.report()
        report = await foreman.voice.select(Selection(letter="A"))
        assert any(agent in report.model_dump_json() for agent in AGENTS)


async def test_labels_that_are_open_take_no_more_choices_and_a_new_lineup_is_blind_no_more(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path), script) as foreman:
        await played(foreman)
        await foreman.voice.lineup(seed=1)
        first = await foreman.voice.select(Selection(letter="b", notes="Dry."))
        assert first.choosing is not None
        assert first.choosing.blind
        with pytest.raises(InvalidConfig, match="labels of this line-up are open"):
            await foreman.voice.choose(Choice(letter="A"))
        again = await foreman.voice.select(Selection(letter="A"))
        assert again.choosing is not None
        assert not again.choosing.blind
        kept = {one.key: one for one in await foreman.decisions()}
        assert kept["voice_notes"].value == "Dry."
        assert kept["voice_notes"].category == "voice"
        assert again.winner.agent in kept["voice_winner"].value


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"strategies": ["SLAPSTICK"]}, "no strategy 'SLAPSTICK'"),
        ({"agents": [f"model-{n}" for n in range(7)]}, "26 are the most"),
        ({"words": 5}, "words"),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused_before_anything_is_sent(
    tmp_path: Path, request_: dict[str, Any], says: str
) -> None:
    model = ScriptedModel(script)
    async with at_work(copy_book(tmp_path), model) as foreman:
        with pytest.raises(InvalidConfig, match=says):
            await foreman.works.price("tournament", foreman.works.read("tournament", request_))
    assert model.requests == []


async def test_a_project_adds_a_strategy_as_a_prompt_file(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    (project / "prompts/voice/strategies").mkdir(parents=True)
    (project / "prompts/voice/strategies/letters.md").write_text("---\nvariables: []\n---\nAs a letter never sent.\n")
    model = ScriptedModel(script)
    async with at_work(project, model) as foreman:
        await played(foreman, {"strategies": ["letters", "character depth"]})
    systems = [one.system for one in model.requests if one.purpose == "writing"]
    assert "As a letter never sent." in systems[0]
    assert "By character" in systems[1]


async def test_the_price_counts_the_passages_and_the_companies(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path), script) as foreman:
        price = await foreman.works.price("tournament", foreman.works.read("tournament", REQUEST), Limits(None, 2.5))
        assert (price.least_questions, price.most_questions) == (6, 10)
        assert price.ceiling_usd == 2.5
        assert price.needs_yes


async def test_the_rehearsal_company_writes_passages_of_their_length_and_quotes_truly(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        run = await played(foreman, {})
        detail = await foreman.works.detail(run)
        assert "stand-ins" in detail.said
        await foreman.voice.lineup()
        report = await foreman.voice.select(Selection(letter="A"))
        assert len({one.text for one in report.passages}) == 4
        assert all(450 <= one.words <= 600 for one in report.passages)
        assert all(one.judged and one.judged.is_scored for one in report.passages)
        assert report.winner.judged is not None
        assert "not read" in report.winner.judged.dimensions[0].reasons[0]
