"""One entry of a transcript."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import WireValue, construct
from dramaturg.scenes.response import ParsedResponse, ResponseAction

TranscriptKind = Literal["line", "event", "system", "direction"]


class Line(WireValue):
    """An entry of the transcript, numbered from 1: a line, a world event, a stage direction or a system line.

    `speaker` is the character's display name, empty if the entry is not a line. A line that was cut
    ends in a dash and names who cut it. `unheard_by` are those of the cast who could not hear it, `foreign_to`
    those who heard a language they do not understand; `gloss` translates it for the reader. A line that is
    told in two parts is `still_speaking` in the first, and `goes_on` in the second; in the transcript it is neither.
    """

    number: int
    beat: int
    kind: TranscriptKind = "line"
    speaker: str = ""
    action: ResponseAction = "speak"
    target: str | None = None
    tone: str = ""
    content: str = ""
    interrupt_after: str | None = None
    nonverbal: str | None = None
    cut_by: str | None = None
    aside: bool = False
    language: str | None = None
    gloss: str | None = None
    unheard_by: tuple[str, ...] = ()
    foreign_to: tuple[str, ...] = ()
    still_speaking: bool = Field(False, exclude=True)
    goes_on: bool = Field(False, exclude=True)

    @classmethod
    def spoken(cls, number: int, beat: int, speaker: str, parsed: ParsedResponse) -> Line:
        return construct(
            cls,
            {
                "number": number,
                "beat": beat,
                "kind": "line",
                "speaker": speaker,
                "action": parsed.action,
                "target": parsed.target,
                "tone": parsed.tone,
                "content": parsed.content,
                "interrupt_after": parsed.interrupt_after,
                "nonverbal": parsed.nonverbal,
                "cut_by": None,
                "aside": parsed.aside,
                "language": parsed.language,
                "gloss": None,
                "unheard_by": (),
                "foreign_to": (),
                "still_speaking": False,
                "goes_on": False,
            },
        )

    def rendered(self) -> str:
        """The line as the transcript prints it."""
        if self.kind == "event":
            return f"[EVENT: {self.content}]"
        if self.kind == "direction":
            return f"[STAGE: {self.content}]"
        if self.kind == "system":
            return f"[SYSTEM: {self.content}]"
        words = f' "{self.content}"' if self.content else ""
        if self.gloss:
            words += f' ("{self.gloss}")'
        if self.goes_on:
            return f"{self.speaker} goes on:{words}"
        if self.still_speaking:
            words += " (still speaking)"
        return f"{self.speaker} [{', '.join(self.fields())}]{words}"

    def fields(self) -> list[str]:
        """The fields inside the bracket."""
        fields: list[str] = []
        if self.action == "react":
            fields.append("REACT")
        if self.action == "interrupt":
            fields.append(f'INTERRUPT after "{self.interrupt_after}"')
        if self.target:
            fields.append(f"{'ASIDE TO' if self.aside else 'TO'}: {self.target}")
        if self.tone:
            fields.append(f"TONE: {self.tone}")
        if self.language:
            fields.append(f"IN: {self.language}")
        if self.nonverbal:
            fields.append(f"*{self.nonverbal}*")
        return fields
