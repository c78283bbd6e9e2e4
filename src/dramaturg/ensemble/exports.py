"""A session as a file that other programs read: Markdown, plain text, JSON, subtitles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

from dramaturg.ensemble.events import TURNS, EnsembleRun, TurnIndex
from dramaturg.ensemble.manifest import manifest_of
from dramaturg.ensemble.programme import programme_of
from dramaturg.ensemble.state import EnsembleState, ensemble_state, in_order
from dramaturg.ensemble.transcript import TITLES, session_text, why_skipped
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.voices.captions import render_captions, render_subrip
from dramaturg.voices.programme import timeline

SessionFormat = Literal["md", "txt", "json", "vtt", "srt"]
SESSION_FORMATS: tuple[SessionFormat, ...] = get_args(SessionFormat)
_MARKUP = re.compile(r"[\\`*_\[\]<>&~|#]")


def export_text(run: EnsembleRun, form: str) -> str:
    """A session in one format, as far as it got. Raises InvalidConfig for a format that sessions do not have."""
    state = ensemble_state(run.entries)
    match form:
        case "md":
            return "\n\n".join(_markdown(state)) + "\n"
        case "txt":
            return f"{state.request.message}\n{session_text(state)}"
        case "json":
            return manifest_of(run.id, run.record.created_at, state).model_dump_json(indent=2, by_alias=True) + "\n"
        case "vtt" | "srt":
            return _subtitles(run, state, form)
    raise InvalidConfig(
        f"A session has no format '{form[:20]}'; known are {', '.join(SESSION_FORMATS)}.", provided=form[:20]
    )


def _subtitles(run: EnsembleRun, state: EnsembleState, form: str) -> str:
    programme = programme_of(state)
    if not programme.passages:
        raise InvalidConfig("This session was not spoken, so its lines have no times for subtitles.", run=run.id)
    placed = timeline(programme)
    return render_captions(programme, placed) if form == "vtt" else render_subrip(placed)


def _markdown(state: EnsembleState) -> Iterator[str]:
    yield f"# {_plain(state.request.message)}"
    for turn in TURNS:
        if turn in state.skipped:
            if why := why_skipped(state, turn):
                yield f"*{_plain(why)}*"
        elif turn in state.opened_turns:
            yield f"## {TITLES[turn]}"
            yield from _turn(state, turn)


def _turn(state: EnsembleState, turn: TurnIndex) -> Iterator[str]:
    for _, slot in in_order([place for place in state.lines if place[0] == turn]):
        line = state.lines[turn, slot]
        to = f" to {_plain(state.seat(line.target).name)}" if line.target is not None else ""
        yield f"**{_plain(state.seat(slot).name)}**{to}: {_plain(line.text)}"
    for _, slot in in_order([place for place in state.failures if place[0] == turn]):
        yield f"*{_plain(state.seat(slot).name)} could not answer: {_plain(state.failures[turn, slot].told)}*"


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda mark: f"\\{mark[0]}", " ".join(text.split()))
