"""The spoken part of a text: its words, without stage directions, markup, links, code and emoji.

Quotes, dashes, ellipses and numbers are left to the engines.
"""

from __future__ import annotations

import re
import unicodedata

from dramaturg.kernel.errors import LineUnspeakable
from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.escape import unescaped
from dramaturg.kernel.text.shortened import short_line

MOST_PASSES = 12
"""How deep brackets and marks may stand inside one another; what is left beyond that is read without its marks."""
# Between asterisks these are actions, not emphasis: "Well *sighs* fine".
ACTS = frozenset(
    "sighs laughs smiles nods pauses shrugs grins chuckles coughs whispers gasps winks frowns beat blinks waves bows "
    "cries sobs giggles smirks snorts stares sniffs yawns groans hums claps gulps winces stammers trails hesitates "
    "sigh laugh smile nod pause shrug grin chuckle cough whisper gasp wink frown".split()
)

_DROPPED = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL | re.MULTILINE)
    for pattern in (
        r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)",
        r"<!--.*?(?:-->|\Z)",
        r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)",
        r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S[^\n]*$",
        r"!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\]\n]*\])?",
        r"`+[^`\n]*`+",
        r"~~[^~\n]+~~",
        r"<?\b(?:(?:https?|ftp|file)://|mailto:|www\.)[^\s<>\"”»)\]]*[^\s<>\"”»)\].,;:!?…]>?",
        r"<?\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}\b>?",
        r"</?[a-z][^<>\n]*>",
        r"(?<!\w):[a-z][a-z0-9_+-]+:(?!\w)",
        r"(?<![\w:;=])(?:[:;=][-o'^]?[)(DPp/\\|]|<3)(?![\w)])",
    )
)
_LINK = re.compile(r"\[([^\[\]\n]+)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_BOLD = re.compile(r"(\*\*|__)(?=\S)([^*_\n]*?\S)\1")
_STARRED = re.compile(r"\*(?=\S)([^*]*?)\*|(?<![^\W_])_(?=\S)([^_]*?)_(?![^\W_])")
_BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|（[^（）]*）|【[^【】]*】")
_LINE_MARK = re.compile(
    r"^[ \t]*+(?:#{1,6}(?=\s)|>+|[-+*•](?=\s)|\d{1,3}[.)](?=\s)|[-=_*|:][-=_* \t|:]{2,}+$)[ \t]*", re.MULTILINE
)
_MARKUP = re.compile(r"[*_`~\[\]{}()<>|^\\#（）【】]")
_ENDED = ".!?…,;:—–-\"”'’»"
_NEAR = 80
_KEPT_SIGNS = frozenset("°%&$€£¥+=@/")


def spoken(text: str) -> str:
    """The words to read aloud, on one line. Raises LineUnspeakable if there are none."""
    said = _settled(text)
    if not any(letter.isalnum() for letter in said):
        raise LineUnspeakable(
            f"There is nothing to say in '{short_line(text, 60)}': it has no words that are read aloud.",
            text=text[:200],
        )
    return said


def _settled(text: str) -> str:
    """Removing one thing may uncover another, so the pass is repeated until nothing changes.

    This terminates: line breaks, which may become full stops, are gone after the first pass, and all else shortens.
    """
    for _ in range(MOST_PASSES):
        less = _pass(text)
        if less == text:
            break
        text = less
    return text


def _pass(text: str) -> str:
    text = without_reasoning(unescaped(text))
    for pattern in _DROPPED:
        text = pattern.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _BOLD.sub(r"\2", text)
    text = _STARRED.sub(_stress_or_act, text)
    for _ in range(MOST_PASSES):
        less = _BRACKETED.sub(" ", text)
        if less == text:
            break
        text = less
    text = _LINE_MARK.sub(lambda mark: "" if ">" in mark[0] else "\n", text)
    text = _one_line(text)
    text = "".join(letter for letter in text if not _is_picture(letter))
    return _tidy(_MARKUP.sub(" ", text))


def _stress_or_act(match: re.Match[str]) -> str:
    """A single word within a sentence is emphasis and is read; anything else between the marks is an action."""
    inner = (match[1] or match[2] or "").strip()
    start, end = match.span()
    before = match.string[max(0, start - _NEAR) : start].rstrip()
    after = match.string[end : end + _NEAR].lstrip()
    word = inner.strip(".,!?;:…—")
    amid = bool(before) and (before[-1].isalnum() or before[-1] in ",’'") and bool(after)
    if amid and word.replace("'", "").replace("’", "").replace("-", "").isalpha() and word.lower() not in ACTS:
        return inner
    return " "


def _one_line(text: str) -> str:
    """Line breaks end a sentence unless the line merely wrapped."""
    lines = [line.strip() for line in text.splitlines()]
    said: list[str] = []
    gap = has_words = False
    for line in lines:
        if not line:
            gap = True
            continue
        if said:
            ended = said[-1][-1] in _ENDED or not has_words
            wraps = not gap and line[0].islower()
            said.append(" " if ended or wraps else ". ")
        said.append(line)
        has_words = has_words or any(letter.isalnum() for letter in line)
        gap = False
    return "".join(said)


def _is_picture(letter: str) -> bool:
    """Emoji, arrows, dingbats and invisible characters."""
    if letter in _KEPT_SIGNS:
        return False
    kind = unicodedata.category(letter)
    return kind in ("So", "Sk", "Cc", "Cf", "Co", "Cs", "Cn") or letter in "\ufe0e\ufe0f\u20e3" or "←" <= letter <= "⇿"


def _tidy(text: str) -> str:
    """Without the double spaces, stray commas and empty quotes that removals leave behind."""
    text = " ".join(text.split())
    text = re.sub(r"\"\s*\"|“\s*”|‘\s*’|«\s*»", " ", text)
    text = re.sub(r"(?<!\s)\s+([,.;:!?…])", r"\1", text)
    text = re.sub(r"([,;:])(?:\s*[,;:])+", r"\1", text)
    text = re.sub(r"([.!?…])\s*[,;:]+(?=\s|$)", r"\1", text)
    text = re.sub(r"^[\s,;:.!?—–-]+(?=[\w\"“‘'«])", "", text)
    return " ".join(text.split())
