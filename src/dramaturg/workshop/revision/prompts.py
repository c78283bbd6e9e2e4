"""The prompts of revision: ours, or the project's own in `prompts/revision/`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.prompts.template import load_template

OWN = Path("prompts") / "revision"


class RevisionPrompts:
    """The prompt files of one project."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._own = project / OWN
        self._ours = files("dramaturg.workshop") / "prompts" / "revision"

    def analysis(self, question: str, yardstick: str) -> str:
        """The system prompt of a judge of one dimension."""
        return self._text("analysis", question=question, yardstick=yardstick)

    def patches(self, pass_name: str, *, yardstick: str, issues: str, earlier: str) -> str:
        """The system prompt of a pass."""
        task = self._text(f"passes/{pass_name}")
        return self._text("patches", task=task, yardstick=yardstick, issues=issues, earlier=earlier)

    def scene(self, path: str, scene: str) -> str:
        return self._text("scene", path=path, scene=scene)

    def _text(self, name: str, **values: object) -> str:
        own = self._own / f"{name}.md"
        if own.is_file():
            if leads_out(own, self._project):
                raise PromptError(f"{own} is a link out of the project. Copy the file itself there.", file=own.name)
            return load_template(self._own, f"{name}.md").render(**values).strip()
        return load_template(self._ours, f"{name}.md").render(**values).strip()
