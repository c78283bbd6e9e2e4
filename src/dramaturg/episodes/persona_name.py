"""The player's name where an author wrote `{{user}}`: a name is data, and never more than a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.characters.tavern.macros import SOMEBODY

LONGEST_TOLD, MOST_WORDS = 40, 3
_NAME = re.compile(r"[^\W_][\w.'’ -]*+")


def told_name(name: str) -> str:
    """The name if it looks like one: up to three words, without markup. Anybody else is "the other person"."""
    is_name = len(name) <= LONGEST_TOLD and len(name.split()) <= MOST_WORDS and _NAME.fullmatch(name) is not None
    return name if is_name else SOMEBODY


def listed(names: Sequence[str]) -> str:
    """Names as people list them: "Mina, Jonas and Ivo"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
