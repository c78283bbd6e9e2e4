"""The prompts of a tournament: ours, or the project's own in `prompts/voice/`. A strategy is a prompt file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import is_text
from dramaturg.workshop.calibration.tournament.scores import DIMENSIONS
from dramaturg.workshop.project_prompts import ProjectPrompts
from dramaturg.workshop.voice.rules import Rule

OWN = Path("prompts") / "voice"
HOUSE = ("ACTION", "CHARACTER", "DIALOGUE", "BALANCED")
MOST_BANNED = 24


class VoicePrompts:
    """The prompt files of one project."""

    def __init__(self, project: Path) -> None:
        self._files = ProjectPrompts(project, OWN.name)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies by name: the four, and the project's own in alphabetical order."""
        folder = self._files.own / "strategies"
        own = sorted(path.stem.upper() for path in folder.glob("*.md") if is_text(path.name)) if folder.is_dir() else []
        return tuple(dict.fromkeys((*HOUSE, *own)))

    def strategy_named(self, typed: str) -> str:
        """The strategy that is meant: 'character depth' is CHARACTER. Raises InvalidConfig with those there are."""
        name = "_".join(typed.replace("-", " ").split()).upper()
        known = self.strategies
        if name in known:
            return name
        near = [one for one in known if name.startswith(f"{one}_")]
        if not near:
            raise InvalidConfig(
                f"There is no strategy '{typed}' (known here: {', '.join(known)}). "
                f"Your own is a prompt file: {OWN.as_posix()}/strategies/{name.lower() or 'name'}.md",
                strategy=typed,
            )
        return near[0]

    def strategy(self, name: str) -> str:
        """The instruction of a strategy."""
        return self._text(f"strategies/{name.lower()}", {})

    def passage(self, book: Mapping[str, str], words: int, strategy: str, rules: Sequence[Rule]) -> str:
        """The system prompt for a passage."""
        banned = [f"- {rule.says}" for rule in rules if rule.severity == "zero_tolerance"][:MOST_BANNED]
        values = {**book, "words": words, "strategy": self.strategy(strategy), "banned": "\n".join(banned)}
        return self._text("passage", values)

    def request(self, test_prompt: str, context: str) -> str:
        return self._text("request", {"test_prompt": test_prompt, "context": context})

    def judge(self) -> str:
        """The system prompt of the judge."""
        told = "\n".join(f"- `{name}`: {says.partition(': ')[2]}" for name, says in DIMENSIONS.items())
        return self._text("judge", {"dimensions": told})

    def company(self, test_prompt: str, passages: Sequence[str]) -> str:
        """The passages of a company for its judge, without their authors."""
        told = "\n\n".join(f'<passage id="P{place}">\n{text}\n</passage>' for place, text in enumerate(passages, 1))
        return self._text("company", {"test_prompt": test_prompt, "passages": told})

    def _text(self, name: str, values: Mapping[str, object]) -> str:
        return self._files.text(name, **values)
