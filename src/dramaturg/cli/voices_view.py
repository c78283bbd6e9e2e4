"""Voices in a terminal: the list, and how each sounds in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.voices.audition import Audition
from dramaturg.voices.engines import EngineState
from dramaturg.voices.profiles import CHANGES, VoiceProfile


def print_voices(states: Iterable[EngineState], profiles: Iterable[VoiceProfile]) -> None:
    """Engines with their voices, and the profiles."""
    console = stdout()
    for state in states:
        console.print(_heading(state), soft_wrap=True)
        console.print(Text(f"  {CHANGES[state.engine]}", style="dim"), soft_wrap=True)
        if state.voices:
            console.print(_listed({voice.name: voice.description for voice in state.voices}))
    console.print("\nProfiles, for --profile and for agents that choose how a line is said:")
    console.print(_listed({one.name: one.about for one in profiles}))


def _heading(state: EngineState) -> Text:
    text = Text(state.engine, style="bold")
    mark, style = ("usable", "green") if state.usable else ("not usable", "yellow")
    return text.append(f"  {mark}: {state.reason}", style)


def _listed(rows: Mapping[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for name, about in rows.items():
        table.add_row(name, Text(about, style="dim"))
    return table


def audition_row(one: Audition) -> Text:
    text = Text(f"{one.engine:8} {one.voice:12}")
    if one.duration_ms:
        peak = f"{one.peak_db:5.1f} dBTP" if one.peak_db is not None else "    no peak"
        text.append(
            f" {one.duration_ms / 1000:5.2f} s  {loudness(one.lufs)}  {peak}  "
            f"{one.cpu:6.3f} CPU s per second  {one.words:2} words"
        )
    return text.append(f"  FAULT: {one.fault}", "bold red") if one.fault else text


def loudness(lufs: float | None) -> str:
    return f"{lufs:5.1f} LUFS" if lufs is not None else "too short to measure"
