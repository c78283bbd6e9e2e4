"""The Foreman's prompt files, cut to a tier. A project may have its own in `prompts/`; they are reread every time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.prompts.template import Template, load_template
from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.action_list import action_list
from dramaturg.workshop.foreman.actions.action import ForemanAction
from dramaturg.workshop.foreman.budgets import BUDGETS

OWN = "prompts"
"""The folder of a project whose files replace the built-in ones."""
SHORT = "In short"
HERE = "<available_actions/>"
"""Where the actions are listed, until it is known how much room there is for them."""
_SECTION = re.compile(r"^## ++(.+)$", re.M)

# The sections of a mode's rules that a tier keeps. No tier loses the actions or the guardrails.
MODE_SECTIONS: Mapping[Tier, tuple[str, ...]] = {
    "full": (
        "Focus",
        "Persona",
        "Required artifacts",
        "How you work here",
        "Available actions",
        "Guardrails",
        "Advancement",
    ),
    "medium": ("Focus", "Persona", "Available actions", "Guardrails", "Advancement"),
    "minimal": (SHORT,),
}
PROTOCOL_SECTIONS: Mapping[Tier, tuple[str, ...]] = {
    "full": ("The tags", "An answer", "Rules", "Manners"),
    "medium": ("The tags", "An answer", "Rules"),
    "minimal": (SHORT,),
}
KNOWN_SECTIONS = frozenset((SHORT, *MODE_SECTIONS["full"], *PROTOCOL_SECTIONS["full"]))
"""The headings that tiers choose from. Any other heading is a project's own, and what is under it is always kept."""


class PromptFiles:
    """Prompt files by name: the project's own if there is one, else the built-in one."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._own = project / OWN / "foreman"
        self._ours = files("dramaturg.workshop") / "prompts"

    def identity(self, tier: Tier) -> str:
        text = self._text("identity")
        return _short(text) if tier == "minimal" else _without_short(text)

    def process_map(self, tier: Tier) -> str:
        """In full, in short, or empty, by tier."""
        text = self._text("process_map")
        return {"full": _without_short(text), "medium": _short(text), "minimal": ""}[tier]

    def mode_rules(self, book: Book, tier: Tier, actions: Sequence[ForemanAction[Any]]) -> str:
        """The rules of a book's mode, with these actions and its guardrails in every tier."""
        name = f"modes/{book.mode.value.lower()}"
        kept = _only(self._text(name, actions=HERE), MODE_SECTIONS[tier])
        if tier == "minimal":
            kept = f"{kept}\n\n{HERE}"
        elif HERE not in kept:
            raise PromptError(f"{name}.md does not use its variable 'actions'.")
        room = BUDGETS[tier].mode_rules - message_tokens(kept)
        return kept.replace(HERE, action_list(actions, book, room, in_full=tier == "full"))

    def guardrails(self, mode: Mode, tier: Tier) -> str:
        """What prose must not do; empty in modes without prose."""
        if not mode.rules.has_prose:
            return ""
        patterns = self._text("guardrails/voice_antipatterns")
        if tier == "minimal":
            return patterns.partition("Deduction:")[0].strip()
        return f"{patterns}\n\n{self._text('guardrails/continuity_rules')}"

    def protocols(self, tier: Tier) -> str:
        return _only(self._text("protocols"), PROTOCOL_SECTIONS[tier])

    def reinforcement(self) -> str:
        return self._text("reinforcement")

    def gemini(self) -> str:
        return self._text("gemini")

    def go_on(self) -> str:
        """The request after a notebook was read."""
        return self._text("go_on")

    def extraction(self, **values: str) -> str:
        """The instructions for reading facts out of a passage."""
        return self._text("extraction", **values)

    def assisted(self, name: str, **values: str) -> str:
        """What a model is asked that only finds words or fills in a form."""
        return self._text(f"assisted/{name}", **values)

    def _text(self, name: str, **values: str) -> str:
        return self._template(name).render(**values).strip()

    def _template(self, name: str) -> Template:
        if (own := self._own / f"{name}.md").is_file():
            if leads_out(own, self._project):
                raise PromptError(f"{own} is a link out of the project. Copy the file itself there.", file=own.name)
            return load_template(self._own, f"{name}.md")
        return load_template(self._ours, f"{name}.md")


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the sections by heading."""
    pieces = _SECTION.split(text)
    return pieces[0].strip(), {pieces[at].rstrip(): pieces[at + 1].strip() for at in range(1, len(pieces), 2)}


def _short(text: str) -> str:
    """The 'In short' section; a project's own file without one is used in full."""
    head, sections = _parts(text)
    title = head.splitlines()[0] if head else ""
    return f"{title}\n\n{sections[SHORT]}" if SHORT in sections else _without_short(text)


def _without_short(text: str) -> str:
    head, sections = _parts(text)
    return _joined(head, ((name, held) for name, held in sections.items() if name != SHORT))


def _only(text: str, wanted: tuple[str, ...]) -> str:
    head, sections = _parts(text)
    own = [(name, held) for name, held in sections.items() if name not in KNOWN_SECTIONS]
    if wanted == (SHORT,):
        return _joined(_short(text), own) if SHORT in sections else _short(text)
    return _joined(head, [*((name, sections[name]) for name in wanted if name in sections), *own])


def _joined(head: str, sections: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(filter(None, [head, *(f"## {name}\n\n{held}" for name, held in sections)]))
