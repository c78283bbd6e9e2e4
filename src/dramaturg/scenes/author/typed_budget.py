"""A budget as it is typed: `20000` tokens, `$1.50`, `2.50`."""

from __future__ import annotations

import re

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Limits

FEWEST_TOKENS = 100
_WHOLE = r"(?:\d{1,3}(?:[,_\s]\d{3}){1,5}|\d{1,18})"
_SIGN = r"(?:\$|usd)"
_TOKENS = re.compile(rf"{_WHOLE}\s?(?:tokens?)?")
_DOLLARS = re.compile(rf"{_SIGN}\s?{_WHOLE}?(?:\.\d{{1,9}})?|{_WHOLE}(?:\.\d{{1,9}})?\s?{_SIGN}|{_WHOLE}?\.\d{{1,2}}")
_UNCLEAR = re.compile(rf"({_SIGN})?\s?([1-9]\d{{0,2}})\.(\d{{3}})\s?(?:{_SIGN}|tokens?)?")
"""Where the point may stand before thousands, as it does in much of Europe."""


def limits_from(text: str, option: str = "") -> Limits:
    """Dollars with their sign or cents, tokens as a whole number. Raises InvalidConfig, which names the `option`."""
    typed, shown = text.strip().casefold(), f"{option} {text!r}".lstrip()
    number = re.sub(r"[^\d.]", "", typed)
    if unclear := _UNCLEAR.fullmatch(typed):
        sign, whole, rest = unclear.groups()
        ways = f"${whole}{rest} or ${whole}.{rest[:2]}"
        if not sign:
            ways = f"{whole}{rest} for tokens, or ${whole}.{rest[:2]} for dollars"
        raise InvalidConfig(f"{shown} can be read in two ways. Write {ways}.")
    limits = Limits()
    if _TOKENS.fullmatch(typed):
        limits = Limits(tokens=int(number))
    elif _DOLLARS.fullmatch(typed) and number:
        limits = Limits(usd=float(number))
    if limits.tokens is not None and 0 < limits.tokens < FEWEST_TOKENS:
        raise InvalidConfig(f"{shown} would be tokens, too few for one answer. Write ${limits.tokens} for dollars.")
    if not (limits.tokens or limits.usd):
        raise InvalidConfig(f"{shown} is no budget. Give tokens, such as 20000, or dollars, such as $1.50.")
    return limits
