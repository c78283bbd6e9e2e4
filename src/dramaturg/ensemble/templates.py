"""The prompt files of the ensemble."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from dramaturg.kernel.prompts import Template, load_template


@cache
def ensemble_template(name: str) -> Template:
    """A prompt file by its name. Raises PromptError."""
    return load_template(files("dramaturg.ensemble") / "prompts", f"{name}.j2")
