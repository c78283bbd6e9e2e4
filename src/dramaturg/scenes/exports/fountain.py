"""A screenplay in Fountain 1.1 (fountain.io): opens in Highland, Slugline, Fade In, Beat, Final Draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dramaturg.scenes.exports.script import (
    Playscript,
    at_once,
    cuts,
    deed_of,
    directions,
    goal_lines,
    plain,
    revision_text,
    sentence,
    speaker_of,
    words_of,
)
from dramaturg.scenes.line import Line

JOINER = "\N{WORD JOINER}"
"""Parts what would be read as markup where Fountain knows no escape: it has no width and is never printed."""

_PLAIN_NAME = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9 .'\-]*")
_HEADING = re.compile(r"(?:int|ext|est|i/e|e/i)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"(?P<int>int\.(?!/)|interior\b|inside\b|indoors\b)|(?P<ext>ext\.|exterior\b|outside\b|outdoors\b)", re.IGNORECASE
)
_BOTH = re.compile(r"(?:int\.?/ext|i/e|est)[. ]", re.IGNORECASE)
_HOUR = re.compile(
    r"\b(?:day|night|morning|noon|afternoon|evening|dawn|dusk|midnight|sunrise|sunset|midday|twilight)\b",
    re.IGNORECASE,
)
_LONGEST_HOUR = 4
_MARKED_START = tuple("~!@#=>.(")


def render_fountain(script: Playscript) -> str:
    """Title page, one scene heading, dialogue and action, and the goal's fate as a note."""
    return render_scenes(script, (script,))


def render_scenes(whole: Playscript, scenes: Sequence[Playscript]) -> str:
    """One title page for several scenes, each with its own heading."""
    return "\n\n".join((_title_page(whole), *(block for scene in scenes for block in _scene(scene)))) + "\n"


def _scene(script: Playscript) -> list[str]:
    right = _right_halves(script)
    blocks = [_heading(script)]
    revised = {one.line: one for one in script.revisions if one.how != "struck"}
    for line in script.lines:
        blocks.append(_block(line, script, dual=line.number in right))
        if (revision := revised.get(line.number)) is not None:
            blocks.append(_note(revision_text(revision)))
    blocks += [_note(revision_text(one)) for one in script.revisions if one.how == "struck"]
    blocks.append(_note("\n".join((script.end, *goal_lines(script)))))
    return blocks


def _title_page(script: Playscript) -> str:
    names = ", ".join(plain(member.display_name) for member in script.cast)
    rows = [
        ("Title", script.title),
        ("Credit", "played by"),
        ("Author", script.played_by),
        ("Draft date", f"{script.played_at:%Y-%m-%d}"),
        ("Notes", f"Characters: {names}. Goal: {script.goal}"),
    ]
    return "\n".join(f"{key}: {_inline(plain(value))}" for key, value in rows)


def _heading(script: Playscript) -> str:
    """INT. or EXT. only where the setting says so in its first word; anything else is a forced heading.

    Anything in the setting after the time of day is not part of the heading and follows it as action.
    """
    setting = plain(script.setting) or plain(script.title)
    found = _PLACE.match(setting)
    rest = setting[found.end() :].strip(" .,:-") if found else ""
    place, below = _parted_at_the_hour(rest or setting)
    # A number between hashes would be taken for the scene's number.
    text = _inline(place.rstrip(" .").replace("#", "＃").upper() or "A SCENE")
    if found and rest:
        heading = f"{'INT.' if found['int'] else 'EXT.'} {text}"
    else:
        heading = ("" if _BOTH.match(text) else ".") + (JOINER if text.startswith(".") else "") + text
    return f"{heading}\n\n{_action(sentence(below[0].upper() + below[1:]))}" if below else heading


def _parted_at_the_hour(setting: str) -> tuple[str, str]:
    """ "A studio, late afternoon, rain" is the heading "A studio - late afternoon", and rain."""
    parts = setting.split(", ")
    for place, part in enumerate(parts[1:], 1):
        if _HOUR.search(part) and len(part.split()) <= _LONGEST_HOUR:
            return f"{', '.join(parts[:place])} - {part}", ", ".join(parts[place + 1 :])
    return setting, ""


def _block(line: Line, script: Playscript, *, dual: bool) -> str:
    if line.kind == "system":
        return _note(line.content)
    if line.kind == "event":
        return _action(sentence(line.content))
    words = words_of(line)
    if not words:
        return _action(deed_of(line))
    rows = [_cue(line, dual=dual)]
    if manner := _parenthetical(line, script):
        rows.append(manner)
    return "\n".join((*rows, _spoken(words)))


def _cue(line: Line, *, dual: bool) -> str:
    """The name in capitals; forced where Fountain would not take it for a name. `^` puts it beside the last one."""
    name = speaker_of(line).upper()
    if not _PLAIN_NAME.fullmatch(name) or _HEADING.match(name):
        name = "@" + _inline(name) + (JOINER if name.endswith("^") else "")
    return f"{name} ^" if dual else name


def _parenthetical(line: Line, script: Playscript) -> str:
    parts = list(directions(line, script))
    if line.aside and line.target:
        parts = [f"aside to {plain(line.target).upper()}" if part.startswith("aside to ") else part for part in parts]
    if line.nonverbal and plain(line.nonverbal):
        parts.append(plain(line.nonverbal))
    if line.gloss and plain(line.gloss):
        parts.append(f"subtitled “{plain(line.gloss)}”")
    return f"({_inline('; '.join(parts))})" if parts else ""


def _spoken(words: str) -> str:
    """Words are words, whatever sign they begin with. Dots that trail in ("...and then") force nothing."""
    guarded = words.startswith(_MARKED_START) and not words.startswith("..")
    return (JOINER if guarded else "") + _inline(words)


def _action(text: str) -> str:
    """Forced with `!` where it could be taken for a name, a heading, a transition or any other element."""
    looks_like_another = (
        text.startswith(_MARKED_START) or _HEADING.match(text) or text == text.upper() or text.endswith("TO:")
    )
    return ("!" if looks_like_another else "") + (_inline(text) or JOINER)


def _note(text: str) -> str:
    rows = (_parted(plain(row), "[[", "]]", "/*", "*/") for row in text.splitlines())
    inside = "\n".join(row for row in rows if row)
    # A bracket at either end would touch the note's own.
    return f"[[{JOINER if inside.startswith('[') else ''}{inside}{JOINER if inside.endswith(']') else ''}]]"


def _inline(text: str) -> str:
    """Stars and underscores escaped, which also keeps `/*` from opening a boneyard; notes kept from opening."""
    return _parted(re.sub(r"([*_])", r"\\\1", text), "[[", "]]")


def _parted(text: str, *marks: str) -> str:
    for mark in marks:
        while mark in text:
            text = text.replace(mark, JOINER.join(mark))
    return text


def _right_halves(script: Playscript) -> frozenset[int]:
    """Lines that stand beside the line before: what cut it, or what was said in the same instant."""
    together, cutting = at_once(script), cuts(script.lines)
    right: set[int] = set()
    for before, after in pairwise(script.lines):
        beside = after.number in together or cutting.get(after.number) == before.number
        # A dual-dialogue block has two halves; a third speaker goes below.
        if beside and words_of(after) and before.number not in right:
            right.add(after.number)
    return frozenset(right)
