"""The words with which models label what nobody is to hear, and those that stand before an answer: `labels.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

LabelKind = Literal[
    "thoughts",
    "verbs",
    "notes",
    "leading",
    "answers",
    "spoken",
    "spoken_below",
    "done",
    "spoken_else",
    "done_else",
    "others",
    "remarks",
    "saying",
]

_HIDING = frozenset(("unspoken", "unsaid", "mental", "mind", "inward", "silent", "notes", "state"))
"""Parts of a key that say that nobody hears what stands under it."""

_MANNERS = frozenset({"thinking", "planning", "reflection", "analysis", "notes", "words", "length", "explanation"})
"""In brackets before words these may be how somebody speaks, or what somebody does."""
_ROLES = frozenset(
    "user human player system developer tool tool_response function functions ipython observation environment".split()
)
"""Who takes part in a chat besides the model, as chat templates and interfaces call them."""


@cache
def labels(kind: LabelKind) -> frozenset[str]:
    """The labels of one kind in every language, in lower case."""
    return frozenset(label for row in _table()[kind].values() for label in row)


def is_thought_label(words: str) -> bool:
    """Whether words before a colon say that somebody's thoughts follow."""
    return _plain(words) in labels("thoughts")


def is_note_label(words: str) -> bool:
    """Whether words before a colon say, between brackets or asterisks, that nobody is to hear what follows."""
    plain = _plain(words)
    kinds: tuple[LabelKind, ...] = ("thoughts", "verbs", "notes")
    return any(plain in labels(kind) for kind in kinds) or _is_longer(plain)


def is_hidden_mark(words: str) -> bool:
    """Whether a field of a bracket with tags says that nobody is to hear the words behind it: `[THOUGHT, TONE: sad]`.

    `[thinks]` is a gesture, and `[THINKS]` is none.
    """
    plain = _plain(words).rstrip(".")
    if words.isupper() and not any(colon in words for colon in ":：") and is_note_label(plain):
        return True
    return plain in (labels("thoughts") | labels("notes")) - labels("verbs") - _MANNERS


def is_answer_label(words: str) -> bool:
    """Whether words before a colon say that the answer follows."""
    return _plain(words) in labels("answers")


def is_hidden_block(key: str, value: str) -> bool:
    """Whether a block of an answer is none of it: `"type": "thinking"`, or `"role": "user"`."""
    return (key == "type" and is_thought_label(value)) or (key == "role" and is_role_of_others(value))


def is_role_of_others(role: str) -> bool:
    """Whether a turn with this role is not the model's own."""
    return role.strip().casefold() in _ROLES


def is_others_label(words: str) -> bool:
    """Whether words before a colon begin somebody else's turn of a transcript: "User: …"."""
    return _plain(words) in labels("others")


def is_remark(words: str) -> bool:
    """Whether words between brackets are about the answer: `[End of response]`."""
    return _plain(words).startswith(tuple(labels("remarks")))


@cache
def keys_of(kind: LabelKind) -> tuple[str, ...]:
    """The keys of one kind, in the order of the table."""
    return tuple(dict.fromkeys(key for row in _table()[kind].values() for key in row))


def key_instead(kind: Literal["spoken", "done"], values: Mapping[str, str]) -> str | None:
    """The key with words of a form that has none of the usual ones: `text`, or `spoken_text`; never a hidden one."""
    listed = keys_of("spoken_else" if kind == "spoken" else "done_else")
    filled = [key for key, value in values.items() if value.strip()]
    exact = next((key for key in listed if key in filled), None)
    known = labels(kind) | frozenset(listed)
    return exact or next((key for key in filled if "_" in key and _is_compound(key, known)), None)


def _is_compound(key: str, known: frozenset[str]) -> bool:
    parts = key.split("_")
    return any(part in known for part in parts) and not any(is_note_label(part) or part in _HIDING for part in parts)


def begins_label(words: str) -> bool:
    """Whether words may still become a label of thoughts, notes or an answer."""
    return _plain(words) in _beginnings()


@cache
def _beginnings() -> frozenset[str]:
    kinds: tuple[LabelKind, ...] = ("thoughts", "notes", "answers")
    known = (_plain(label) for kind in kinds for label in labels(kind))
    return frozenset(label[:length].rstrip() for label in known for length in range(len(label) + 1))


@cache
def any_label(*kinds: LabelKind) -> str:
    """A pattern of every label of some kinds, the longest first."""
    listed = sorted((label for kind in kinds for label in labels(kind)), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(label).replace(r"\ ", "[ _-]") for label in listed) + ")"


def _is_longer(plain: str) -> bool:
    """`She thinks`, `Bob's thoughts`, `note to the director`: a label with words before or after it."""
    first, _, rest = plain.partition(" ")
    if first in labels("leading") or rest in labels("verbs") or rest.partition(" ")[2] in labels("verbs"):
        return True
    return first.endswith(("'s", "’s")) and rest in labels("thoughts")


def _plain(words: str) -> str:
    return " ".join(words.replace("_", " ").replace("-", " ").strip(" *").casefold().split())


@cache
def _table() -> dict[str, dict[str, Iterable[str]]]:
    return tomllib.loads((files(__package__) / "labels.toml").read_text(encoding="utf-8"))
