"""A model of a program's own, and a story for it to play in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from dramaturg import ModelAnswer, ModelProfile, ModelRequest, SceneConfig, Usage
from dramaturg.kernel.settings import ModelSettings, SceneSettings, Settings

SCENE = SceneConfig(
    name="the-boat", prompt="Scene goal: Bob admits that he sold the boat.", characters=("ann", "bob"), max_beats=2
)
LINE = '[TONE: calm] "The tide is out, and so is the boat."'
PROFILE = ModelProfile(
    id="house",
    provider="house",
    context_window=32_000,
    tier="full",
    xml_reliability="high",
    instruction_following="high",
)


class House:
    """A model of the program's own. What it gives for a line is an answer, an exception, or something else."""

    name = "whatever"
    profile = PROFILE

    def __init__(self, given: object = LINE) -> None:
        self.given, self.asked = given, 0

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.asked += 1
        if isinstance(self.given, BaseException):
            raise self.given
        if isinstance(self.given, str):
            return ModelAnswer(text=self.given, model="house", usage=Usage(input_tokens=7, output_tokens=3))
        return self.given  # type: ignore[return-value]

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        answer = await self.complete(request)
        for word in answer.text.split(" "):
            yield f"{word} "
        yield answer


def story(folder: Path) -> Path:
    agents = folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    for name in ("ann", "bob"):
        (agents / f"{name}.md").write_text(f"# {name.title()} - Sailor\n\n## Personality\n- Dry\n", encoding="utf-8")
    return folder


def settings(folder: Path, default: str | None = "house", **more: object) -> Settings:
    retries = ModelSettings(default=default, retries=0)
    return Settings(project=story(folder), models=retries, scenes=SceneSettings(timeout=5), **more)  # type: ignore[arg-type]
