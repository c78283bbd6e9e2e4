"""Exports of a performed scene: screenplay, subtitles, Markdown, a web page, JSON, plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.scenes.exports.fountain import render_fountain
from dramaturg.scenes.exports.html_page import render_html
from dramaturg.scenes.exports.markdown import render_markdown
from dramaturg.scenes.exports.script import Playscript, playscript_of
from dramaturg.scenes.exports.vtt import render_vtt
from dramaturg.scenes.wire import document_of, result_of

Format = Literal["fountain", "vtt", "md", "html", "json", "txt"]
FORMATS: tuple[Format, ...] = get_args(Format)
_SCRIPTED: Mapping[Format, Callable[[Playscript], str]] = {
    "fountain": render_fountain,
    "vtt": render_vtt,
    "md": render_markdown,
    "html": render_html,
}


def export_run(run_id: str, entries: Sequence[Entry[Event]], form: Format) -> str:
    """A run in one format. The same events give the same text."""
    if form == "json":
        return document_of(run_id, entries).model_dump_json(indent=2) + "\n"
    if form == "txt":
        return result_of(run_id, entries).transcript
    return render_script(playscript_of(run_id, entries), form)


def render_script(script: Playscript, form: Format) -> str:
    """A script as a screenplay, subtitles, Markdown or a page."""
    return _SCRIPTED[form](script)


def read_formats(text: str) -> tuple[Format, ...]:
    """The formats in a list such as "fountain,html". Raises InvalidConfig for an unknown one."""
    names = [name.strip().lower().lstrip(".") for name in text.split(",")]
    return tuple(dict.fromkeys(known_format(name) for name in names if name))


def known_format(name: str) -> Format:
    """The format of that name. Raises InvalidConfig for an unknown one."""
    if name in FORMATS:
        return name
    near = get_close_matches(name, FORMATS, n=1)
    meant = f" Did you mean '{near[0]}'?" if near else ""
    raise InvalidConfig(f"There is no format '{name}'; known are {', '.join(FORMATS)}.{meant}", provided=name)


__all__ = [
    "FORMATS",
    "Format",
    "Playscript",
    "export_run",
    "known_format",
    "playscript_of",
    "read_formats",
    "render_fountain",
    "render_html",
    "render_markdown",
    "render_script",
    "render_vtt",
]
