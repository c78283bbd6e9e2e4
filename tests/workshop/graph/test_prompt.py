"""The facts around the scene at hand are in the Foreman's prompt, and what did not fit is a blind spot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.modes import Mode
from tests.workshop.graph.stories import scene, the_book
from tests.workshop.workroom import at_work


async def test_the_prompt_tells_what_is_around_the_scene_and_lists_the_rest_by_distance(tmp_path: Path) -> None:
    the_book(tmp_path)
    facts = "".join(f"  - {{subject: Marcus, predicate: has_trait, object: quirk {n}}}\n" for n in range(20))
    scene(tmp_path, "ch04-sc01", f"cast: [Marcus]\nfacts:\n{facts}".rstrip())
    async with at_work(tmp_path) as foreman:
        await foreman.change_mode(Mode.VOICE_CALIBRATION, force=True)
        await foreman.change_mode(Mode.DIRECTOR, force=True)
        view = await foreman.prompt("Go on.", active=ActiveContext(file="manuscript/ch01-sc01.md"))
        stored = await foreman.graph.read()
    assert "Marcus has the trait quirk 19" in view.system
    assert len(stored.intake.change.facts) > 40
    spots = [one for one in view.blind_spots if "from the scene at hand" in one]
    assert any("quirk 0" in one for one in spots)
    distances = [float(one.partition(" from the scene")[0].split()[-1].lstrip("(")) for one in spots]
    assert len(distances) > 10
    assert distances == sorted(distances)


async def test_a_prompt_without_the_extra_has_everything_but_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_book(tmp_path)
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    async with at_work(tmp_path) as foreman:
        view = await foreman.prompt("Go on.", active=ActiveContext(file="manuscript/ch01-sc01.md"))
    assert "trusts nobody" in view.system
    assert not [one for one in view.blind_spots if "from the scene at hand" in one]
