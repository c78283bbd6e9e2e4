"""What may be shown of a line while its model is still writing it.

Only the words of an answer in the form that was asked for: a bracket of tags, then a quotation. As long as it is not
certain that the answer is one (reasoning, a preamble, an unfinished tag, plain prose), nothing is shown. The words go
through the reader that will make the line, so what it leaves out is not shown before either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.scenes.answers.marks import DOUBLE_QUOTES
from dramaturg.scenes.answers.tags import Fields, take_tags
from dramaturg.scenes.response import LONGEST, parse_response

_FORM = re.compile(r'\s{0,40}\[(?P<tags>[^\[\]<>{}\n]{1,400})\]\s{0,9}["“„«「『]')
# At a quotation mark the words end; what follows one of the others may be a gesture, a note, a tag or a stress.
_END = re.compile(rf"[{DOUBLE_QUOTES}\n\[(（【［<*_{{]")


def line_preview(raw: str, *, me: str, cast: Sequence[str]) -> str:
    """The words that are certain to be in the line, as far as they are written; empty if none are."""
    form = _FORM.match(raw)
    if form is None or not take_tags(form["tags"], Fields()):
        return ""
    words = raw[form.end() : LONGEST]
    end = _END.search(words)
    said = words[: end.start()] if end else words
    if not said.strip(" ,"):
        return ""
    parsed, _ = parse_response(f'[{form["tags"]}] "{said.rstrip(" ,")}"', me=me, cast=cast)
    return parsed.content if parsed.action in ("speak", "interrupt") else ""
