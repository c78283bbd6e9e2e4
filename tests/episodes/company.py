"""A group for tests: three cards, one episode, and a model that answers as whoever is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.models.port import Model, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.studio import Studio
from tests.episodes.staging import house, kind_of, spoken, studio_of

CARDS = {
    "ada": "# Ada - Innkeeper\n\n## Personality\n- Plain and warm\n",
    "bo": "# Bo - Ferryman\n\n## Personality\n- Few words\n",
    "cleo": "# Cleo Marsh - Painter\n\n## Personality\n- Never quiet\n",
}
TABLE: dict[str, object] = {
    "name": "three-at-a-table",
    "characters": ["ada", "bo", "cleo"],
    "title": "Three at a table",
    "opening_line": "Sit down with us.",
    "completion_mode": "open",
}


def asked_of(request: ModelRequest) -> str:
    """Whose answer a request asks for."""
    return next(name for name in CARDS if f"You are {name.title()}" in request.system)


def answers(requests: list[ModelRequest], who: str | None = None) -> list[ModelRequest]:
    found = [one for one in requests if kind_of(one) == "answer"]
    return found if who is None else [one for one in found if asked_of(one) == who]


def sent_to(requests: list[ModelRequest], who: str) -> str:
    """Everything a character's model was ever sent."""
    return "\n".join(f"{one.system}\n{[message.text for message in one.messages]}" for one in answers(requests, who))


def table(
    lines: Mapping[str, str] | None = None,
    *,
    extraction: Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer = "{}",
    evaluation: Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer = "{}",
) -> ScriptedModel:
    """A model that answers with the line of whoever is asked."""
    said = {"ada": "Ada has heard it.", "bo": "Bo nods.", "cleo": "Cleo laughs."} | dict(lines or {})
    return house(
        lambda request: spoken(said[asked_of(request)], action=""), extraction=extraction, evaluation=evaluation
    )


def write_cards(project: Path, cards: Mapping[str, str] = CARDS) -> None:
    (project / ".claude" / "agents").mkdir(parents=True, exist_ok=True)
    for name, text in cards.items():
        (project / ".claude" / "agents" / f"{name}.md").write_text(text, encoding="utf-8")


@asynccontextmanager
async def at_table(
    project: Path, model: Model, template: Mapping[str, object] = TABLE, cards: Mapping[str, str] = CARDS
) -> AsyncIterator[Studio]:
    write_cards(project, cards)
    async with studio_of(project, model, template) as studio:
        yield studio


def speakers(events: list[StreamEvent]) -> list[str]:
    """Who completed a message, in order."""
    return [event.speaker for event in events if event.type == "message_complete"]
