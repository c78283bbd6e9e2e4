"""Markdown to read, to print or to put into a repository: CommonMark, nothing else."""

from __future__ import annotations

import re

from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.exports.script import (
    Playscript,
    at_once,
    deed_of,
    directions,
    goal_lines,
    plain,
    sentence,
    speaker_of,
    words_of,
)
from dramaturg.scenes.line import Line

_INLINE = re.compile(r"[\\`*_\[\]<>&~|$^@]")
_BARE_LINK = re.compile(r"(?<=[A-Za-z])(?=://)|(?<=www)(?=\.)", re.IGNORECASE)
_BLOCK_START = re.compile(r"^(?:(?=[#+\-=:])|(\d+)(?=[.)]))")


def render_markdown(script: Playscript) -> str:
    """Speakers bold, gestures in italics, events as quotations."""
    blocks = [f"# {_text(script.title)}"]
    if setting := plain(script.setting):
        blocks.append(_emphasis(setting))
    blocks += [_cast(script), f"**Goal:** {_inline(plain(script.goal))}", "---"]
    together = at_once(script)
    blocks += [_block(line, script, together=line.number in together) for line in script.lines]
    blocks += ["---", _outcome(script)]
    played = f"Played on {script.played_at:%Y-%m-%d} by {script.played_by}, {counted(script.beats, 'beat')}."
    blocks.append(_emphasis(plain(played)))
    return "\n\n".join(blocks) + "\n"


def _cast(script: Playscript) -> str:
    shown = (
        f"**{_inline(plain(member.display_name))}**" + (f", {_inline(plain(member.role))}" if member.role else "")
        for member in script.cast
    )
    return "\n".join(f"- {member}" for member in shown)


def _block(line: Line, script: Playscript, *, together: bool) -> str:
    if line.kind == "event":
        return f"> {_text(sentence(line.content))}"
    if line.kind == "system":
        return f"> {_emphasis(sentence(line.content))}"
    words = words_of(line)
    if not words:
        return _emphasis(deed_of(line))
    parts = [f"**{_inline(speaker_of(line))}**"]
    if manner := "; ".join(directions(line, script, together=together)):
        parts.append(f"({_inline(manner)})")
    if line.nonverbal and plain(line.nonverbal):
        parts.append(_emphasis(plain(line.nonverbal)))
    said = f"{' '.join(parts)}\\\n{_text(words)}"
    return f"{said}\\\n{_emphasis(plain(line.gloss))}" if line.gloss and plain(line.gloss) else said


def _outcome(script: Playscript) -> str:
    return "\n".join(
        (f"**{_inline(plain(script.end))}**", "", *(f"- {_text(row)}" for row in goal_lines(script)))
    ).strip()


def _emphasis(text: str) -> str:
    return f"*{_inline(text)}*"


def _text(text: str) -> str:
    """Text that begins a line: nothing in it opens a heading, a list, a rule or a link."""
    return _BLOCK_START.sub(r"\1\\", _inline(text), count=1)


def _inline(text: str) -> str:
    """What Markdown would read is escaped; addresses stay text and become no links."""
    return _BARE_LINK.sub(r"\\", _INLINE.sub(r"\\\g<0>", text))
