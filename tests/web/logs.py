"""Logs that the server wrote, each with the scene that the server's own fold makes of it: for the studio's fold."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from dramaturg.kernel.models.port import Usage
from dramaturg.kernel.runs.costs import answers, cost_of
from dramaturg.kernel.runs.events import Entry, ModelAnswered
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import SceneEvent, SceneRun
from dramaturg.scenes.question_keys import character_of
from dramaturg.scenes.revision.changes import Edit, Strike
from dramaturg.scenes.scene import SceneConfig, named_scene
from dramaturg.scenes.wire import document_of
from dramaturg.studio import Studio
from tests.web.ensemble_logs import write_ensembles
from tests.web.session_logs import write_sessions

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"
SCENE = "the-apology"


NAMED_AS_THE_DIRECTOR = {"alice": "director", "bob": "judge", "charlie": "event"}
"""Cards with the names of what the director is, and of what it asks."""


def recorded(run_id: str, entries: Sequence[Entry[SceneEvent]]) -> dict[str, Any]:
    """The whole log as the author's stream sends it, the document of the scene, and what each part has spent."""
    sent = [entry.model_dump(mode="json", by_alias=True) for entry in entries]
    document = document_of(run_id, entries).model_dump(mode="json", by_alias=True)
    return {"entries": sent, "document": document, "spent": spent_by_part(entries)}


def spent_by_part(entries: Sequence[Entry[Any]]) -> dict[str, Any]:
    """Tokens and money by character; under no name, the director's."""
    groups: dict[str, list[ModelAnswered]] = {}
    for answered in answers(entries):
        groups.setdefault(character_of(answered.who, answered.key), []).append(answered)
    costs = {part: cost_of(group) for part, group in groups.items()}
    return {part: {"tokens": cost.total_tokens, "usd": cost.usd} for part, cost in costs.items()}


def priced(entries: Sequence[Entry[SceneEvent]]) -> list[Entry[SceneEvent]]:
    """A log of the rehearsal company as if it had to be paid; nobody knows what the second character's model costs."""

    def paid(entry: Entry[SceneEvent]) -> Entry[SceneEvent]:
        if not isinstance(answered := entry.event, ModelAnswered):
            return entry
        known = character_of(answered.who, answered.key) != NAMED_AS_THE_DIRECTOR["bob"]
        usage = Usage(input_tokens=entry.seq**2, output_tokens=entry.seq)
        answer = answered.answer.model_copy(update={"usage": usage, "cost_usd": entry.seq / 4 if known else None})
        return entry.model_copy(update={"event": answered.model_copy(update={"answer": answer})})

    return [paid(entry) for entry in entries]


async def scenes(project: Path) -> AsyncIterator[tuple[str, SceneRun]]:
    """Scenes of the rehearsal company: as it was played, revised by its author, and forked with another goal.

    In the last, the cards have the names of the director and its questions.
    """
    cards = project / ".claude" / "agents"
    for card, name in NAMED_AS_THE_DIRECTOR.items():
        shutil.copyfile(cards / f"{card}.md", cards / f"{name}.md")
    async with Studio.open(read_settings(project, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        run = await studio.scenes.open(named_scene(project, SCENE))
        await studio.start(run)
        run = await studio.scenes.open_run(run.id)
        yield "played", run
        spoken = [line.number for line in document_of(run.id, run.entries).lines if line.kind == "line"]
        await studio.scenes.revisions.revise(run.id, str(spoken[3]), Edit("I would rather not say."))
        await studio.scenes.revisions.revise(run.id, str(spoken[5]), Strike())
        yield "revised", await studio.scenes.open_run(run.id)
        forked = await studio.scenes.fork(run.id, 4, goal="Bob gives sincere apology. Charlie leaves the room.")
        await studio.start(forked)
        yield "forked", await studio.scenes.open_run(forked.id)
        cast = tuple(NAMED_AS_THE_DIRECTOR.values())
        named = SceneConfig(name="named", prompt="They agree on who pays.", characters=cast, max_beats=4)
        run = await studio.scenes.open(named)
        await studio.start(run)
        yield "named", await studio.scenes.open_run(run.id)


async def write(folder: Path) -> None:
    """One file for each log."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        project = Path(made) / "story"
        shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
        async for name, run in scenes(project):
            entries = priced(run.entries) if name == "named" else run.entries
            (folder / f"{name}.json").write_text(json.dumps(recorded(run.id, entries)), encoding="utf-8")
        await write_sessions(Path(made), folder / "sessions")
        await write_ensembles(Path(made), folder / "ensembles")


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
