"""Lines over HTTP: takes, a choice, an edit, a strike, and what is refused."""

import pytest

from tests.model_server import ModelServer
from tests.server.visitor import Visitor


async def ended(visitor: Visitor) -> str:
    run = await visitor.play()
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    return run


async def test_a_line_is_edited_and_its_takes_are_listed(visitor: Visitor) -> None:
    line = f"/v1/runs/{await ended(visitor)}/lines/1"
    answer = await visitor.post(f"{line}/edit", {"text": "Good evening to nobody."})
    assert answer.status == 200
    assert answer.json["fork"] is None
    assert "Good evening to nobody." in answer.json["revised"]["text"]
    assert answer.json["revised"]["revisions"][0]["how"] == "edited"
    takes = (await visitor.get(f"{line}/takes")).json
    assert (takes["stands"], [take["by"] for take in takes["takes"]]) == (2, ["cast", "author"])
    back = await visitor.post(f"{line}/choose", {"take": 1})
    assert back.json["revised"]["revisions"] == []


async def test_a_change_that_is_played_on_is_a_run_of_its_own(visitor: Visitor) -> None:
    run = await ended(visitor)
    before = (await visitor.get(f"/v1/runs/{run}/result")).json["transcript"]
    answer = await visitor.post(f"/v1/runs/{run}/lines/1/edit", {"text": "Good evening to nobody.", "playOn": True})
    assert answer.status == 202
    fork = answer.json["fork"]["run"]
    assert answer.headers["location"] == f"/v1/runs/{fork}"
    await visitor.to_the_end(fork)
    assert (await visitor.get(f"/v1/runs/{run}/result")).json["transcript"] == before
    assert "Good evening to nobody." in (await visitor.get(f"/v1/runs/{fork}/result")).json["transcript"]


async def test_a_model_is_asked_again_and_if_it_fails_nothing_changes(guest: Visitor, models: ModelServer) -> None:
    run = await ended(guest)
    before = len(models.requests)
    takes = await guest.post(f"/v1/runs/{run}/lines/1/takes", {"takes": 2})
    assert takes.status == 200
    assert len(models.requests) - before == 2
    assert [take["take"] for take in takes.json["takes"]] == [1, 2, 3]
    assert (await guest.get(f"/v1/runs/{run}")).json["status"] == "ended"


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("99/edit", {"text": "Yes."}, 404, "No line '99'"),
        ("1/edit", {"text": ""}, 422, "no words"),
        ("1/edit", {"text": "[TONE: loud] Yes."}, 422, "An edit changes the words"),
        ("1/choose", {"take": 9}, 404, "no take 9"),
        ("1/takes", {"takes": 99}, 422, ""),
        ("0/strike", {}, 422, ""),
    ],
)
async def test_what_cannot_be_is_refused(
    visitor: Visitor, path: str, body: dict[str, object], status: int, words: str
) -> None:
    answer = await visitor.post(f"/v1/runs/{await ended(visitor)}/lines/{path}", body)
    assert answer.status == status
    assert words in answer.json["error"]["message"]
