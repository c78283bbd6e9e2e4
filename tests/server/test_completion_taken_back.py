"""An edit that takes the reason away takes the completion back, and with it what only a complete episode may do."""

from __future__ import annotations

from pathlib import Path

from tests.episodes.staging import FLIRT, house
from tests.server.players import begin, played_by, types, write_episode
from tests.server.visitor import served

OBJECTIVE = {
    **FLIRT,
    "completion_mode": "objective",
    "turn_budget": None,
    "completion_criteria": {"objective_key": "accused", "keywords": ["it was you"]},
}


async def test_an_edited_accusation_leaves_the_episode_open_and_nothing_to_evaluate(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", OBJECTIVE)) as visitor:
        played_by(visitor, house())
        anna = await begin(visitor)
        assert "episode_complete" in types(await anna.say("So it was you."))
        mine = next(one["id"] for one in (await anna.now())["messages"] if one["role"] == "player")
        assert (await anna.ask("POST", "/evaluations")).status != 422
        assert (await anna.ask("PATCH", f"/messages/{mine}", {"text": "So it was the cat."})).status == 200
        now = await anna.now()
        assert (now["status"], now["completion_trigger"]) == ("open", None)
        refused = await anna.ask("POST", "/evaluations")
        assert refused.status == 422
        assert "not complete" in refused.json["error"]["message"]
        await anna.ask("PATCH", f"/messages/{mine}", {"text": "No, it was you."})
        assert (await anna.now())["status"] == "complete"
        assert (await anna.ask("POST", "/evaluations")).status != 422
