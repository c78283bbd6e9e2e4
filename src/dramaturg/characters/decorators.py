"""V3 decorators: lines `@@name value` at the top of an entry's content.

A line `@@@name` is a fallback: it applies if the decorator above it is unknown or invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from dramaturg.kernel.values import Value

LoreRole: TypeAlias = Literal["system", "user", "assistant"]
_LINE = re.compile(r"(@{2,})([A-Za-z_]+)(?![^\s])")
_NUMBERS = frozenset("activate_only_after activate_only_every depth reverse_depth scan_depth is_greeting".split())
_FLAGS = frozenset(
    "keep_activate_after_match dont_activate_after_match ignore_on_max_context activate dont_activate".split()
)
_CHOICES = {
    "role": get_args(LoreRole),
    "position": ("after_desc", "before_desc", "personality", "scenario"),
    "disable_ui_prompt": ("system_prompt", "post_history_instructions"),
}


class Decorators(Value):
    """The decorators of an entry; the first of each name applies. `unknown` lists names that are not supported."""

    activate_only_after: int | None = None
    activate_only_every: int | None = None
    keep_activate_after_match: bool = False
    dont_activate_after_match: bool = False
    depth: int | None = None
    reverse_depth: int | None = None
    role: LoreRole | None = None
    scan_depth: int | None = None
    is_greeting: int | None = None
    position: Literal["after_desc", "before_desc", "personality", "scenario"] | None = None
    ignore_on_max_context: bool = False
    additional_keys: tuple[tuple[str, ...], ...] = ()
    exclude_keys: tuple[str, ...] = ()
    is_user_icon: str | None = None
    activate: bool = False
    dont_activate: bool = False
    disable_ui_prompt: Literal["system_prompt", "post_history_instructions"] | None = None
    unknown: tuple[str, ...] = ()


def split_decorators(content: str) -> tuple[str, str]:
    """The lines of decorators, without the last newline, and the text below them."""
    place = 0
    while _LINE.match(content, place):
        place = (content.find("\n", place) + 1) or len(content)
    return content[:place].rstrip("\r\n"), content[place:]


def read_decorators(content: str) -> tuple[Decorators, str]:
    """The decorators of a content, and the content without them. Invalid ones are `unknown`, never an error."""
    above, below = split_decorators(content)
    if not above:
        return Decorators(), content
    fields: dict[str, object] = {}
    unknown: list[str] = []
    more: list[tuple[str, ...]] = []
    for name, value in _chosen(above):
        read = _value(name, value)
        if read is None:
            unknown.append(name)
        elif name == "additional_keys" and isinstance(read, tuple):
            more.append(read)
        else:
            fields.setdefault(name, read)
    found = Decorators.model_validate({**fields, "additional_keys": tuple(more), "unknown": tuple(unknown)})
    return found, below.strip("\r\n")


def _chosen(above: str) -> Iterator[tuple[str, str]]:
    """The decorators that apply. A fallback does if its decorator and all fallbacks before it are unusable."""
    settled = True
    waiting: tuple[str, str] | None = None
    for text in above.splitlines():
        line = _LINE.match(text)
        if line is None:
            continue
        one = (line[2].lower(), text[line.end() :].strip())
        if len(line[1]) == 2:
            if waiting and not settled:
                yield waiting
            waiting, settled = one, False
        elif settled:
            continue
        if _value(*one) is not None:
            settled = True
            yield one
    if waiting and not settled:
        yield waiting


def _value(name: str, value: str) -> object | None:
    """The value of a decorator; None if it is unknown or invalid."""
    if name in _NUMBERS:
        return int(value) if re.fullmatch(r"-?\d{1,6}", value.strip()) else None
    if name in _FLAGS:
        return True
    if name in _CHOICES:
        word = value.strip().lower()
        return word if word in _CHOICES[name] else None
    if name in ("additional_keys", "exclude_keys"):
        keys = tuple(key.strip() for key in value.split(",") if key.strip())
        return keys or None
    if name == "is_user_icon":
        return value.strip() or None
    return None
