"""A page to read: one HTML file, no script, nothing loaded, light or dark as the reader's screen is."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files

from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.cut import DASH
from dramaturg.scenes.exports.script import (
    Playscript,
    at_once,
    cuts,
    deed_of,
    directions,
    plain,
    sentence,
    speaker_of,
    words_of,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.wire import GoalRecord

_VOICES = 5
"""The number of colours in the stylesheet, and the most characters a scene can have."""
_LONGEST_KEPT = 24


def render_html(script: Playscript) -> str:
    """The scene as an article: heading, cast, lines in a list, and what was reached."""
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    rows = (
        *head(script.title, style),
        "<body>",
        "<main>",
        "<article>",
        _header(script),
        _lines(script),
        _outcome(script),
        "</article>",
        "</main>",
        "</body>",
        "</html>",
    )
    return "\n".join(rows) + "\n"


def head(title: str, style: str) -> tuple[str, ...]:
    """The rows of a page before its body; its only style is in it."""
    return (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{_text(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
    )


def _policy(style: str) -> str:
    """Nothing may be loaded, run or sent; of styles, only this one."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _header(script: Playscript) -> str:
    rows = ["<header>", f'<h1 dir="auto">{_text(script.title)}</h1>']
    if plain(script.setting):
        rows.append(f'<p class="setting" dir="auto">{_text(sentence(script.setting))}</p>')
    rows += ['<h2 class="unseen">Cast</h2>', '<ul class="cast">']
    for member in script.cast:
        role = f' <span class="role">{_text(member.role)}</span>' if plain(member.role) else ""
        name = f'<b class="{_voice(member.display_name, script)}">{_text(member.display_name)}</b>'
        rows.append(f'<li dir="auto">{name}{role}</li>')
    return "\n".join((*rows, "</ul>", "</header>"))


def _lines(script: Playscript) -> str:
    rows = ['<h2 class="unseen">The scene</h2>', '<ol class="lines">']
    cutting, together = cuts(script.lines), at_once(script)
    for line in script.lines:
        beside = line.number in together
        kinds = f"{_kind(line)}{' cuts' if line.number in cutting else ''}{' together' if beside else ''}"
        shown = _line(line, script, together=beside)
        rows.append(f'<li class="{kinds}" id="line-{line.number}" dir="auto">{shown}</li>')
    return "\n".join((*rows, "</ol>"))


def _kind(line: Line) -> str:
    if line.kind != "line":
        return line.kind
    return "said" if words_of(line) else "done"


def _line(line: Line, script: Playscript, *, together: bool) -> str:
    if line.kind != "line":
        return f"<p>{_text(sentence(line.content))}</p>"
    voice = _voice(line.speaker, script)
    if not (words := words_of(line)):
        deed, who = deed_of(line), speaker_of(line)
        return f'<p><b class="{voice}">{_text(who)}</b>{_text(deed.removeprefix(who), lead=True)}</p>'
    how = "; ".join(directions(line, script, together=together))
    head = f'<b class="{voice}">{_text(speaker_of(line))}</b>'
    head += f' <span class="how">{_text(how)}</span>' if how else ""
    head += f' <i class="gesture">{_text(line.nonverbal)}</i>' if line.nonverbal and plain(line.nonverbal) else ""
    gloss = f'\n<p class="gloss" dir="auto">{_text(line.gloss)}</p>' if line.gloss and plain(line.gloss) else ""
    return f'<p class="who">{head}</p>\n<p class="words" dir="auto">{_spoken(words)}</p>{gloss}'


def _spoken(words: str) -> str:
    """A dash at the end stays with the word it broke off."""
    before, _, last = words.rpartition(" ")
    if not last.endswith(DASH) or len(last) > _LONGEST_KEPT:
        return _text(words)
    return f'{_text(before)} <span class="kept">{_text(last)}</span>'.lstrip()


def _outcome(script: Playscript) -> str:
    rows = [
        "<footer>",
        f'<p class="end">{_text(script.end)}</p>',
        f'<h2>The goal</h2>\n<p dir="auto">{_text(script.goal)}</p>',
    ]
    if script.goals:
        rows += ['<ul class="goals">', *(_goal(record) for record in script.goals), "</ul>"]
    day = f'<time datetime="{script.played_at.isoformat()}">{script.played_at:%Y-%m-%d %H:%M}</time>'
    rows.append(
        f'<p class="played">Played on {day} by {_text(script.played_by)}, in {counted(script.beats, "beat")}.</p>'
    )
    return "\n".join((*rows, "</footer>"))


def _goal(record: GoalRecord) -> str:
    shown = record.evidence
    if shown is None:
        return f'<li class="open" dir="auto"><span class="mark">open</span> {_text(record.goal.text)}</li>'
    quote = f'<q>{_text(shown.quote)}</q> <span class="role">{_text(shown.speaker)}</span>'
    return f'<li class="met" dir="auto"><span class="mark">met</span> {_text(record.goal.text)} {quote}</li>'


def _voice(name: str, script: Playscript) -> str:
    names = [member.display_name for member in script.cast]
    return f"voice-{names.index(name) % _VOICES + 1}" if name in names else "voice-0"


def _text(text: str, *, lead: bool = False) -> str:
    """Text and nothing but text; `lead` keeps a space before it."""
    space = " " if lead and text[:1].isspace() else ""
    return space + escape(plain(text), quote=True)
