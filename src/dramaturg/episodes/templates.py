"""The prompt files of the episodes. Notes to a character are prompts too: `prompts/notes/`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from dramaturg.kernel.prompts import Template, load_template


@cache
def episode_template(name: str) -> Template:
    """A prompt file by its name. Raises PromptError."""
    return load_template(files("dramaturg.episodes") / "prompts", f"{name}.md")


def note_text(name: str, /, **values: object) -> str:
    """A note of the director's, with its variables filled in."""
    return episode_template(f"notes/{name}").render(**values)
