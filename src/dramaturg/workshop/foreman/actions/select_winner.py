"""The passage that the writer chose. It opens the labels of the line-up, so the writer confirms it."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench
from dramaturg.workshop.voice.selection import Selection


class WinnerParams(Params):
    letter: str = Field("", max_length=2, description="its letter in the line-up")
    agent_id: str = Field("", max_length=200)
    strategy: str = Field("", max_length=80)
    variant_index: int = Field(0, ge=0, le=1000)
    voice_notes: str = Field("", max_length=4000)
    dislikes: Items = Field((), description="what the writer did not like")


async def select(bench: Workbench, wanted: WinnerParams) -> Outcome:
    if not wanted.letter and not (wanted.agent_id and wanted.strategy):
        raise InvalidConfig("select_winner: give the letter in the line-up, or agent_id and strategy.")
    named = f"passage {wanted.letter.upper()}" if wanted.letter else f"{wanted.agent_id} by {wanted.strategy}"
    if not bench.is_writers:
        return Outcome(said=f"Choose {named} and open the labels of the line-up.", awaits_yes=True)
    selected = await bench.voice.selected(
        Selection(
            letter=wanted.letter,
            agent="" if wanted.letter else wanted.agent_id,
            strategy="" if wanted.letter else wanted.strategy,
            notes=wanted.voice_notes,
            dislikes=wanted.dislikes[:20],
        )
    )
    return Outcome(said=selected.said, decisions=selected.decisions, chose_voice=selected.is_new)


ACTION = ForemanAction(
    name="select_winner",
    description="The passage the writer chose, by letter or by who wrote it.",
    modes=frozenset({Mode.VOICE_CALIBRATION}),
    params=WinnerParams,
    example={"letter": "C", "voice_notes": "The dry counting."},
    do=select,
)
