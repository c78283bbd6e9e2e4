"""The keys of an answer, mistyped or not: only what is surely a visible key is shown.

A visible key may be mistyped by two characters. A word that could be one of the hidden keys with up to three
characters mistyped is hidden, whatever else it could be.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dramaturg.kernel.reasoning import REASONING_TAGS
from dramaturg.model_notes.labels import is_note_label, is_thought_label, labels

_VISIBLE = {"dialogue": "dialogue", "dialog": "dialogue", "speech": "dialogue", "action": "action", "actions": "action"}
VISIBLE = _VISIBLE | dict.fromkeys(labels("spoken"), "dialogue") | dict.fromkeys(labels("done"), "action")
"""The keys of what is shown; typos are forgiven in those of English."""
WRAPPERS = frozenset(
    {
        *("", "answer", "response", "output", "reply", "message", "messages", "result", "arguments", "parameters"),
        *("choices", "properties", "function", "data", "args", "kwargs", "character", "delta", "content"),
    }
)
"""Keys that may stand around the whole answer; whatever is inside another key's object is hidden."""
VISIBLE_TAGS = VISIBLE | dict.fromkeys(("say", "says"), "dialogue") | dict.fromkeys(("do", "does", "gesture"), "action")
TEXT_KEYS = frozenset({"text", "line", "content", "value", "words"})
"""Keys of the words themselves where a visible key has an object."""
MOST_TYPOS, MOST_HIDDEN_TYPOS, MANY = 2, 3, 1_000

GUARDED = ("internal", "plan", "note")
_HIDDEN = (
    *GUARDED,
    *("notes", "plans", "thought", "thoughts", "think", "thinking", "inner", "inner_thoughts", "hidden", "secret"),
    *("reason", "reasoning", "private", "mind", "state", "director", "mood", "tension", "tension_shift"),
)
HIDDEN_TAGS = (
    frozenset(_HIDDEN)
    | frozenset(("metadata", "details", "tool_call", "tool_calls", "function_call", "instructions", "reminder"))
    | frozenset(("subtext", "agenda", "motivation", "intent", "intention", "strategy"))
    | frozenset(("updatevariable", "update_variable", "variableupdateimpl", "statusplaceholderimpl"))
) - REASONING_TAGS
"""Tags around what is never shown, beside those of reasoning."""
_LABELS = ("internal", "thought", "thoughts", "thinking", "monologue", "inner", "mood", "tension", "reasoning")
_LABEL_WORDS = re.compile(
    r"(?:internal|inner|my )?\s*+(?:thoughts?|monologue|thinking|internal|mood|tension[ _]?shift|tension)"
    r"|director(?:['’]?s)? (?:notes?|state)|notes? (?:to|for) (?:the )?(?:director|moderator|system|user|player|model)"
)
_LONGEST = max(map(len, _HIDDEN)) + MOST_HIDDEN_TYPOS
_NOT_IN_A_KEY = re.compile(r"[\W\d]")


def key_of(typed: str) -> str:
    """A key as it is looked up: `Tension-Shift` is `tension_shift`."""
    return _NOT_IN_A_KEY.sub("", typed.strip().lower().replace("-", "_").replace(" ", "_"))


def own_label(name: str) -> str:
    """A label without the name of whose part it is: `runa's dialogue`."""
    rest = name.replace("’", "'").partition("'s ")[2]
    return rest if rest in VISIBLE else name


@lru_cache(maxsize=1024)
def visible_key(key: str) -> str | None:
    """`dialogue` or `action` if the key surely stands for it; else None."""
    if key in VISIBLE or len(key) > _LONGEST:
        return VISIBLE.get(key)
    near = [(distance(key, name), name) for name in _VISIBLE if _may_be(key, name, MOST_TYPOS)]
    typos, name = min(near, default=(_LONGEST, ""))
    if typos > MOST_TYPOS or any(_is_like(key, guarded, MOST_HIDDEN_TYPOS) for guarded in GUARDED):
        return None
    return None if any(_is_like(key, hidden, typos) for hidden in _HIDDEN) else VISIBLE[name]


@lru_cache(maxsize=1024)
def is_hidden_label(label: str, *, marked: bool = False) -> bool:
    """Whether the words before a colon begin something hidden; `marked`, a bracket or an asterisk is before them."""
    name = " ".join(label.replace("_", " ").replace("-", " ").lower().split())
    if name in VISIBLE:
        return False
    known = is_note_label(name) if marked else is_thought_label(name)
    return known or bool(_LABEL_WORDS.fullmatch(name)) or name in GUARDED or is_like_hidden(name)


def is_like_hidden(words: str) -> bool:
    """Whether words in prose are a hidden key with a few characters mistyped; the shorter, the fewer."""
    name = words.strip(" ,.;:'\"\n")
    if not name or len(name) > _LONGEST:
        return False
    after_comma = words.lstrip().startswith(",") and any(_is_like(name, word, 1) for word in GUARDED)
    return after_comma or _is_like_label(name)


@lru_cache(maxsize=1024)
def _is_like_label(name: str) -> bool:
    return any(_is_like(name, word, _bearable(word)) for word in _LABELS)


@lru_cache(maxsize=1024)
def near_guarded(text: str, *, typos: int = 1) -> tuple[int, ...]:
    """How many characters at the beginning of a text may be a hidden key, mistyped by so many."""
    return tuple(
        length
        for word in GUARDED
        for length in range(len(word) - typos, len(word) + typos + 1)
        if length <= len(text) and not text[length : length + 1].isalpha() and _is_like(text[:length], word, typos)
    )


def _is_like(name: str, word: str, typos: int) -> bool:
    """Whether a name is a word with up to so many typos."""
    return _may_be(name, word, typos) and distance(name, word, typos) <= typos


def _may_be(name: str, word: str, typos: int) -> bool:
    """False for most names that are not like a word, by their length and letters alone: counting typos takes longer."""
    return abs(len(name) - len(word)) <= typos and len(set(word) - set(name)) <= typos


def _bearable(word: str) -> int:
    return 3 if len(word) >= 8 else 2 if len(word) >= 6 else 0


def distance(one: str, two: str, most: int = MANY) -> int:
    """How many characters were mistyped: left out, added, replaced, or exchanged with their neighbour.

    Counting stops where it is surely more than `most`.
    """
    before: list[int] = []
    last = list(range(len(two) + 1))
    for row, char in enumerate(one, start=1):
        here = [row]
        for column, other in enumerate(two, start=1):
            least = min(last[column] + 1, here[-1] + 1, last[column - 1] + (char != other))
            if row > 1 and column > 1 and char == two[column - 2] and one[row - 2] == other:
                least = min(least, before[column - 2] + 1)
            here.append(least)
        if min(here) > most and min(last) >= most:  # an exchange may go on from the row before
            return most + 1
        before, last = last, here
    return last[-1]
