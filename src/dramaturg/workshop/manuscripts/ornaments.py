"""Lines that break a text: stars, a number sign, dashes, ornaments."""

from __future__ import annotations

_MARKS = frozenset("*#~-–—_=+•·●○◦◆◇■□▪☆★※✦✧✶✻✽❦❧☙⁂⁎⁑∗×§.…o0xX＊＃　")
_ALONE = frozenset("#⁂*~§•·●○◆◇■□☆★※❦❧☙✦✧✶✻✽×∗＊＃")
_WEAK = frozenset(".…o0xX+=")
LONGEST = 60


def is_ornament(line: str) -> bool:
    """Whether a line is a break between scenes and nothing else."""
    marks = "".join(line.split())
    if not marks or len(line) > LONGEST or not all(char in _MARKS for char in marks):
        return False
    bare = marks.replace("\\", "")
    if len(bare) == 1:
        return bare in _ALONE
    if bare[0] in _WEAK or set(bare) == {"#"}:
        return len(set(bare)) == 1 and len(bare) >= 3 and " " in line.strip() and bare[0] not in "0"
    return len(bare) >= 3 or (len(set(bare)) == 1 and bare[0] in _ALONE)
