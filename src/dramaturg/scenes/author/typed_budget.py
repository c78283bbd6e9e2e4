"""A budget as it is typed: `20000` tokens, `$1.50`, `2.50`."""

from __future__ import annotations

import re
from math import isfinite

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Limits

FEWEST_TOKENS = 100
_DOLLARS = re.compile(r"\$|usd|\.\d", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[,_\s$]|usd|tokens?", re.IGNORECASE)


def limits_from(text: str) -> Limits:
    """Dollars with their sign or cents, tokens as a whole number. Raises InvalidConfig."""
    number = _NOT_A_NUMBER.sub("", text)
    try:
        limits = Limits(usd=float(number)) if _DOLLARS.search(text) else Limits(tokens=int(number))
    except ValueError:
        limits = Limits()
    if limits.tokens is not None and 0 < limits.tokens < FEWEST_TOKENS:
        raise InvalidConfig(f"{text!r} would be tokens, too few for one answer. Write ${limits.tokens} for dollars.")
    if not any(isfinite(limit) and limit > 0 for limit in limits if limit is not None):
        raise InvalidConfig(f"{text!r} is no budget. Give tokens, such as 20000, or dollars, such as $1.50.")
    return limits
