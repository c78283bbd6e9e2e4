"""The prompts of revision: ours, or the project's own in `prompts/revision/`."""

from __future__ import annotations

from pathlib import Path

from dramaturg.workshop.project_prompts import ProjectPrompts


class RevisionPrompts:
    """The prompt files of one project."""

    def __init__(self, project: Path) -> None:
        self._text = ProjectPrompts(project, "revision").text

    def analysis(self, question: str, yardstick: str) -> str:
        """The system prompt of a judge of one dimension."""
        return self._text("analysis", question=question, yardstick=yardstick)

    def patches(self, pass_name: str, *, yardstick: str, issues: str, earlier: str) -> str:
        """The system prompt of a pass."""
        task = self._text(f"passes/{pass_name}")
        return self._text("patches", task=task, yardstick=yardstick, issues=issues, earlier=earlier)

    def scene(self, path: str, scene: str) -> str:
        return self._text("scene", path=path, scene=scene)
