"""Prompt files of one concern: ours, or the project's own in a folder below `prompts/`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.prompts.template import load_template


class ProjectPrompts:
    """The files in `prompts/<folder>/` of a project, and behind them those that come with dramaturg."""

    def __init__(self, project: Path, folder: str) -> None:
        self._project = project
        self._own = project / "prompts" / folder
        self._ours = files("dramaturg.workshop") / "prompts" / folder

    @property
    def own(self) -> Path:
        return self._own

    def text(self, name: str, **values: object) -> str:
        """A filled prompt. Raises PromptError for a file that leads out of the project."""
        own = self._own / f"{name}.md"
        if own.is_file():
            if leads_out(own, self._project):
                raise PromptError(f"{own} is a link out of the project. Copy the file itself there.", file=own.name)
            return load_template(self._own, f"{name}.md").render(**values).strip()
        return load_template(self._ours, f"{name}.md").render(**values).strip()
