"""An answer in the Foreman's protocol, built tag by tag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

LONGEST_VALUE = 3900


@dataclass(slots=True)
class ForemanReply:
    """What the Foreman says, the actions it requests, why, and the note it leaves for itself.

    `stands` where the words hold names, commands or lists that nobody should put in other words.
    """

    said: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    why: str = ""
    note: str = ""
    stands: bool = False

    def text(self) -> str:
        thinking = " ".join(filter(None, (self.why, self.note)))
        message = "\n\n".join(filter(None, self.said))
        parts = [f"<thinking>\n{thinking}\n</thinking>", f"<message>\n{message}\n</message>", *self.actions]
        return "\n\n".join(parts)

    def save(self, category: str, key: str, value: str) -> None:
        """Save one of the writer's decisions."""
        said = {"category": category, "key": key, "value": value[:LONGEST_VALUE], "source": "writer"}
        self.act("save_decision", said)

    def write(self, template: str, fields: Mapping[str, str]) -> None:
        """Write fields of the story bible."""
        content = "".join(f"\n    <{name}>{escape(text)}</{name}>" for name, text in fields.items())
        self.actions.append(
            f'<action type="write_template">\n  <template>{template}</template>\n'
            f"  <content>{content}\n  </content>\n</action>"
        )

    def act(self, name: str, params: Mapping[str, str]) -> None:
        rows = "".join(f"\n  <{key}>{escape(value)}</{key}>" for key, value in params.items())
        self.actions.append(f'<action type="{name}">{rows}\n</action>')
