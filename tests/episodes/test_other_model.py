"""A session that another model plays from now on: it came without one, or its player wants another."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.models.port import Model
from tests.episodes.staging import ANNA, FLIRT, house, say, spoken, studio_of
from tests.one_model import OneModel

GROUP = {"name": "two-at-the-bar", "characters": ["mina", "jonas"], "opening_line": "We're closed."}


class TwoModels(OneModel):
    """The usual model, and another one by its name."""

    def open(self, name: str) -> Model:
        return house(spoken("Another.")) if name == "attic/other" else house(spoken("The usual."))


@pytest.mark.parametrize("episode", ["last-orders", "two-at-the-bar"])
async def test_another_model_plays_on_also_after_a_restart(
    episode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.episodes.staging.OneModel", TwoModels)
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / ".claude" / "agents" / "jonas.md").write_text("# Jonas\n", encoding="utf-8")
    async with studio_of(tmp_path, house(), FLIRT, GROUP) as studio:
        session = (await studio.episodes.open(episode, ANNA)).id
        await say(studio, session, "Good evening, Mina.")
        assert "The usual." in (await studio.episodes.view(session)).messages[-1].content
        await studio.episodes.set_model(session, "attic/other")
        await say(studio, session, "Still there, Mina?")
        assert "Another." in (await studio.episodes.view(session)).messages[-1].content
    async with studio_of(tmp_path, house(), FLIRT, GROUP) as studio:
        await say(studio, session, "And now, Mina?")
        assert "Another." in (await studio.episodes.view(session)).messages[-1].content
