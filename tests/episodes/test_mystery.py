"""A mystery is judged by its ledger: who did it, what proves it, and what came out in earlier parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.episodes.template import template_from
from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable
from dramaturg.kernel.models.port import ModelRequest
from tests.episodes.staging import ANNA, FLIRT, house, kind_of, say, spoken, studio_of, types, write_project

LEDGER = {
    "crime": "emptied the till",
    "clues": [
        {"id": "keys", "text": "There are two keys to the till", "keywords": ["two keys"]},
        {"id": "boots", "text": "Wet boots stood by the cellar stairs", "keywords": ["wet boots"]},
        {"id": "hand", "text": "Ida cannot lift the drawer", "keywords": ["cannot lift"]},
    ],
    "suspects": [
        {"name": "Ida", "cleared_by": ["hand"]},
        {"name": "Mina", "guilty": True, "proven_by": ["keys", "boots"]},
    ],
    "solution": "Mina took it to pay for the roof.",
}
FIRST = {
    **FLIRT,
    "name": "the-till",
    "title": "The till",
    "turn_budget": 2,
    "evaluation": "mystery_progress",
    "clue_ledger": {"clues": LEDGER["clues"]},
}
LAST = {
    **FLIRT,
    "name": "the-name",
    "completion_mode": "objective",
    "turn_budget": 8,
    "evaluation": "mystery_progress",
    "completion_criteria": {"objective_key": "accused", "detection": "accusation"},
    "clue_ledger": LEDGER,
}
SERIES = {"name": "tills", "title": "Tills", "episodes": ["the-till", "the-name"]}


def told(request: ModelRequest) -> str:
    """The first part brings out the keys, the second the boots."""
    return spoken("There are two keys to it." if "The till" in request.system else "Mind the wet boots by the stairs.")


async def accuse(tmp_path: Path, *said: str, extraction: str = "{}") -> dict[str, object] | None:
    async with studio_of(tmp_path, house(told, extraction=extraction), LAST) as studio:
        view = await studio.episodes.open("the-name", ANNA)
        for text in said:
            events = await say(studio, view.id, text)
    return next((one.evaluation for one in events if one.type == "episode_complete"), None)


async def test_a_right_and_a_wrong_accusation_get_different_verdicts_with_their_evidence(tmp_path: Path) -> None:
    right = await accuse(tmp_path / "right", "Who was here?", "You emptied the till, Mina.")
    wrong = await accuse(tmp_path / "wrong", "Ida cannot lift that drawer, you said.", "I accuse Ida.")
    assert (right["verdict"], wrong["verdict"]) == ("right_unproven", "wrong")
    assert right["accusation"] == {"suspects": ["Mina"], "quote": "You emptied the till, Mina."}
    assert right["verdict_text"] == "You were right about Mina, but you cannot prove it: 1 of 2 proofs came out."
    assert [(one["id"], one["quote"]) for one in right["proofs"]] == [("boots", "Mind the wet boots by the stairs.")]
    assert right["solution"] == LEDGER["solution"]
    assert wrong["accusation"]["suspects"] == ["Ida"]
    assert wrong["verdict_text"].startswith("You were wrong about Ida.")
    assert "Mina" not in json.dumps(wrong), "who it was stays open"


async def test_clues_of_earlier_parts_count_and_the_next_part_knows_what_was_said(tmp_path: Path) -> None:
    write_project(tmp_path, FIRST, LAST, series=SERIES)
    model = house(told)
    async with studio_of(tmp_path, model, FIRST, LAST) as studio:
        first = await studio.episodes.open("the-till", ANNA)
        await say(studio, first.id, "Hello.")
        second = await studio.episodes.open("the-name", ANNA)
        await say(studio, second.id, "What about the stairs?")
        events = await say(studio, second.id, "It was you.")
        stranger = await studio.episodes.open("the-name", ANNA.model_copy(update={"id": "ben"}))
        await say(studio, stranger.id, "Hm?")
        other = await say(studio, stranger.id, "It was you.")
    result = next(one.evaluation for one in events if one.type == "episode_complete")
    assert result["verdict"] == "right", "the keys came out in the first part, which was never finished"
    assert [(one["id"], one.get("episode")) for one in result["proofs"]] == [("keys", "The till"), ("boots", None)]
    assert next(one.evaluation for one in other if one.type == "episode_complete")["verdict"] == "right_unproven"
    asked = [one.messages[-1].text for one in model.requests if kind_of(one) == "answer"]
    assert '<previously>What came out: "There are two keys to it."</previously>' in asked[1]
    assert "<previously>" not in asked[-1]
    sent = "\n".join(
        text
        for one in model.requests
        if kind_of(one) == "answer"
        for text in (one.system, *(m.text for m in one.messages))
    )
    assert "Ida cannot lift the drawer" not in sent, "the ledger is for the house alone"


async def test_every_earlier_part_is_told_oldest_first(tmp_path: Path) -> None:
    summary = json.dumps({"summary": "They met.", "key_moments": [{"text": "x", "quote": "two keys to it"}]})
    parts = [
        {**FIRST, "name": f"part-{n}", "title": f"Part {n}", "turn_budget": 1, "evaluation": None} for n in range(3)
    ]
    write_project(tmp_path, *parts, series={"name": "p", "episodes": ["part-0", "part-1", "part-2"]})
    model = house(spoken("There are two keys to it."), evaluation=summary)
    async with studio_of(tmp_path, model, *parts) as studio:
        for number in range(3):
            view = await studio.episodes.open(f"part-{number}", ANNA)
            await say(studio, view.id, "Hello.")
    last = [one.messages[-1].text for one in model.requests if kind_of(one) == "answer"][-1]
    assert "<previously>Part 0: They met." in last
    assert "Part 1: They met." in last


@pytest.mark.parametrize(
    "said", ["I don't believe it was you.", "Was it you?", "Teo says it was you.", "Maybe Ida did it."]
)
async def test_what_is_no_accusation_ends_nothing(said: str, tmp_path: Path) -> None:
    assert await accuse(tmp_path, said) is None


def claim(suspect: str, quote: str, asserted: bool = True) -> str:
    return json.dumps({"accusation": {"suspect": suspect, "asserted": asserted, "quote": quote}})


@pytest.mark.parametrize(
    ("said", "extraction", "verdict"),
    [
        ("Du hast die Kasse geleert, Mina.", claim("Mina", "Du hast die Kasse geleert"), "right_unproven"),
        ("Es war Ida, ganz sicher.", claim("ida", "Es war Ida"), "wrong"),
        ("C'est toi qui as vidé la caisse.", claim("Mina", "C'est toi qui as vidé la caisse"), "right_unproven"),
        ("Hast du die Kasse geleert?", claim("Mina", "Hast du die Kasse geleert"), None),
        ("Es war jemand anders, das weiß ich.", claim("Ida", "Es war jemand anders"), None),
        ("Ich glaube nicht, dass du es warst.", claim("Mina", "du es warst", asserted=False), None),
        ("Ich glaube nicht, dass du es warst.", claim("Mina", "du es warst"), None),
        ("Ida dice que fuiste tú.", claim("Mina", "fuiste tú"), None),
        ("Si fuiste tú, dilo.", claim("Mina", "fuiste tú"), None),
        ("Das ist schön hier.", claim("Mina", "Du hast die Kasse geleert"), None),
        ("I don't believe it was you, Mina.", claim("Mina", "it was you"), None),
    ],
)
async def test_in_other_languages_a_model_reads_it_and_its_quote_is_checked(
    said: str, extraction: str, verdict: str | None, tmp_path: Path
) -> None:
    result = await accuse(tmp_path, said, extraction=extraction)
    assert (result["verdict"] if result else None) == verdict


async def test_a_verdict_needs_no_model(tmp_path: Path) -> None:
    def broken(request: ModelRequest) -> Exception:
        return ModelUnavailable("down", provider="x")

    async with studio_of(tmp_path, house(told, evaluation=broken), LAST) as studio:
        view = await studio.episodes.open("the-name", ANNA)
        events = await say(studio, view.id, "I accuse Ida.")
    complete = next(one for one in events if one.type == "episode_complete")
    assert complete.evaluation["verdict"] == "wrong"


async def test_a_choice_says_whom_it_accuses_in_any_language(tmp_path: Path) -> None:
    choice = {"id": "ida", "label": "Ida", "text": "Ida war es.", "accuses": "Ida"}
    offered = {**LAST, "beats": [{"beat": "complication", "target_turn": 1, "choices": [choice]}]}
    async with studio_of(tmp_path, house(told), offered) as studio:
        view = await studio.episodes.open("the-name", ANNA)
        await say(studio, view.id, "Hello.")
        mark = await studio.episodes.pick(view.id, "ida", "c1")
        events = [event async for event in studio.episodes.turn(view.id, mark, "c1")]
    assert "episode_complete" in types(events)
    assert next(one for one in events if one.type == "episode_complete").evaluation["verdict"] == "wrong"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"suspects": [{"name": "Ida", "proven_by": ["keys"]}]}, "is not guilty"),
        ({"suspects": [{"name": "Ida", "guilty": True, "proven_by": ["kyes"]}]}, "Did you mean 'keys'"),
        ({"suspects": []}, "there is none"),
    ],
)
def test_a_ledger_that_cannot_judge_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        template_from({**LAST, "clue_ledger": {**LEDGER, **change}})
