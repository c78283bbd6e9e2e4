"""Sessions of episodes, turn by turn: what was said, what the stream sent, and the view that the server then had."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from dramaturg.episodes.events import Persona
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAYER = Persona(id="anna", name="Anna")
FLIRT = (
    "Good evening.", "I like the lamp.", "You are funny.", "Tell me about the record.", "Really?",
    "I want to kill myself.", "One song, then.", "choice:ask_her", "Good night, Juno.",
)  # fmt: skip
TALKS = {
    "the-flirt-test": ("the-flirt-test", FLIRT),
    "closing-time": ("the-flirt-test", ("It is me again.", "What does the record mean?", "Play it.", "Thank you.")),
    "the-accusation": ("the-missing-ledger", ("Who was here last night?", "Show me the shelf.", "It was the baker.")),
}
"""An episode, the example it belongs to, and what the player says."""


async def write_sessions(workplace: Path, folder: Path) -> None:
    """One file for each talk."""
    folder.mkdir(parents=True, exist_ok=True)
    for episode, (example, lines) in TALKS.items():
        project = workplace / episode
        shutil.copytree(EXAMPLES / example, project, ignore=shutil.ignore_patterns("data"))
        async with Studio.open(read_settings(project, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
            made = await _talk(studio, episode, lines)
        (folder / f"{episode}.json").write_text(json.dumps(made), encoding="utf-8")


async def _talk(studio: Studio, episode: str, lines: tuple[str, ...]) -> dict[str, Any]:
    opened = await studio.episodes.open(episode, PLAYER)
    turns = [await _turn(studio, opened.id, Mark.read(opened.mark), None)] if opened.busy else []
    for line in lines:
        offered = (await studio.episodes.view(opened.id)).choices
        wanted = line.removeprefix("choice:")
        client_id = new_id(0)
        if any(one.id == wanted for one in offered):
            mark = await studio.episodes.pick(opened.id, wanted, client_id)
        else:
            mark = await studio.episodes.send(opened.id, wanted, client_id)
        turns.append(await _turn(studio, opened.id, mark, client_id))
    return {"opened": opened.model_dump(mode="json"), "turns": turns}


async def _turn(studio: Studio, session: str, mark: Mark, client_id: str | None) -> dict[str, Any]:
    """A turn to its end. Where the character speaks first, the player has said nothing."""
    events = [event async for event in studio.episodes.turn(session, mark, client_id)]
    await studio.episodes.settle(session)
    view = await studio.episodes.view(session)
    said = [one.content for one in view.messages if one.role == "player"]
    return {
        "said": said[-1] if client_id else "",
        "events": [event.model_dump(mode="json") for event in events],
        "view": view.model_dump(mode="json"),
    }
