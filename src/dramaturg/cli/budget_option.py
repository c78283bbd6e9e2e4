"""`--budget`: tokens or dollars, as they are typed."""

from __future__ import annotations

import re

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Limits


def limits_from(text: str) -> Limits:
    """A budget as it is typed: a number of tokens, or dollars with their sign. Raises InvalidConfig."""
    number = re.sub(r"[,_\s]|\$|usd", "", text.casefold())
    dollars = "$" in text or "usd" in text.casefold()
    try:
        limits = Limits(usd=float(number)) if dollars else Limits(tokens=int(number))
    except ValueError:
        limits = Limits()
    if not (limits.tokens or 0) > 0 and not (limits.usd or 0) > 0:
        raise InvalidConfig(f"--budget {text!r} is no budget. Give tokens, such as 20000, or dollars, such as $1.50.")
    return limits
