"""What the tools return, as values: the client sees their schema beside each tool."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.runs.costs import CostRow
from dramaturg.kernel.values import Value


class SceneEntry(Value):
    """A scene of the project. `problem` says why it cannot be played, if it cannot."""

    name: str = Field(description="pass it to play_scene")
    title: str = ""
    characters: list[str] = Field(default_factory=list)
    problem: str = ""


class SceneEntries(Value):
    """The scenes of the project."""

    scenes: list[SceneEntry]


class CharacterEntry(Value):
    """A character of the project."""

    name: str = Field(description="pass it to talk_to_character")
    display_name: str = ""
    problem: str = ""


class CharacterEntries(Value):
    """The characters of the project."""

    characters: list[CharacterEntry]


class RunEntry(Value):
    """A run: one performance, with its log."""

    run: str = Field(description="the run's id; pass it to the other tools")
    kind: str
    name: str
    status: str = Field(description="playing, ended, stopped or failed")


class RunEntries(Value):
    """Runs, newest first."""

    runs: list[RunEntry]


class RunProgress(Value):
    """What happened in a run since the last look. Call follow_run again with `after` for more, until `is_over`."""

    run: str
    status: str
    is_over: bool
    after: int = Field(description="pass it to the next call")
    lines: list[str] = Field(description="what is new, as text")


class RunTranscript(Value):
    """A run as text."""

    run: str
    status: str
    text: str
    goal_achieved: bool | None = Field(None, description="of a scene that has ended")
    reason: str = Field("", description="why a scene ended")


class RunCosts(Value):
    """What a run has used. `usd` is null if a price is not known."""

    run: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    by_role: list[CostEntry]


class CostEntry(Value):
    """What one part of a run has used: a character or the director, for a purpose."""

    who: str
    purpose: str
    calls: int
    tokens: int
    usd: float | None

    @classmethod
    def of(cls, row: CostRow) -> CostEntry:
        return cls(who=row.who, purpose=row.purpose or "", calls=row.calls, tokens=row.total_tokens, usd=row.usd)


class CharacterAnswer(Value):
    """What a character answered."""

    session: str = Field(description="pass it with the next message to go on with this talk")
    answer: str
    remark: str = Field("", description="that no model plays, if none does")


class EnsembleAnswer(Value):
    """What the voices of the ensemble said, in three turns."""

    run: str
    text: str


class ForemanAnswer(Value):
    """What the Foreman answered, and what he did."""

    turn: int
    answer: str
    actions: list[str] = Field(default_factory=list, description="what was done or refused, and what waits for a yes")
