"""What models write around prose that was ordered: a greeting or a plan above it, a count or an offer below it."""

from __future__ import annotations

import re

from dramaturg.model_notes.thoughts import is_reasoning

LONGEST_NOTE = 400
MOST_NOTES = 3
_WHAT = r"(?:scene|section|passage|draft|version|variant|rewrite|revision|part|story|text|prose|continuation)s?\b"
YES = r"(?:sure|certainly|of course|absolutely|okay|ok|understood|gladly)\b"
_GREETING = re.compile(
    rf"(?:{YES}[,.!:—– ]{{1,3}})?"
    r"(?:here(?:['’]s| is| are)|below is|this is|i(?:['’]ll| will|['’]ve| have)|let me)\b"
    rf"[^\n]{{0,120}}\b{_WHAT}(?:[^\n]{{0,160}}:)?[^\n]{{0,40}}",
    re.I,
)
_POLITE = re.compile(YES, re.I)
_AFTERWORD = re.compile(
    r"[\[(*_ ]{0,3}(?:word count|words:|\d[\d,.]{0,8} words\b|let me know (?:if|what|whether|how|which)\b|"
    r"i hope (?:this|that|you)[^\n]{0,40}\b(?:helps?|works?|meets?|enjoy|like|captures?|scene|draft)\b|"
    r"would you like (?:me|any|another|to (?:see|change|continue))\b|feel free to\b|"
    r"end of (?:the )?(?:scene|section|part)|to be continued|notes? on )",
    re.I,
)
_ORDERED = re.compile(
    r"\b(?:user|(?:the|this|a) (?:scene|prompt|brief|draft)|nutzer|utilisateur|usuario|let me (?:plan|write|draft)"
    r"|i(?: need to| should| will|['’]ll) (?:write|plan|draft|start|begin|keep|make))\b",
    re.I,
)
"""Words about a text that was ordered: without them, what begins like a thought may be a narrator's."""


def greets(paragraph: str) -> bool:
    """Whether a paragraph only announces the prose."""
    if len(paragraph) > LONGEST_NOTE or "\n" in paragraph:
        return False
    # Without a polite word before it or a colon after it, it may well be the first sentence of the scene.
    return bool((_POLITE.match(paragraph) or paragraph.endswith(":")) and _GREETING.fullmatch(paragraph))


def plans(paragraph: str) -> bool:
    """Whether a paragraph thinks about the prose, instead of being its beginning."""
    return is_reasoning(paragraph) and _ORDERED.search(paragraph[:LONGEST_NOTE]) is not None


def is_afterword(paragraph: str) -> bool:
    """Whether a paragraph below the prose counts its words, or offers to change it."""
    return len(paragraph) <= LONGEST_NOTE and _AFTERWORD.match(paragraph) is not None


def without_notes_around(prose: str) -> str:
    """Prose without the notes above and below it; all else stays to the letter, and so does a text of one paragraph."""
    for _ in range(MOST_NOTES):
        first, _, rest = prose.partition("\n\n")
        if not rest.strip() or not (greets(first.strip()) or plans(first)):
            break
        prose = rest.lstrip("\n")
    for _ in range(MOST_NOTES):
        above, _, last = prose.rstrip().rpartition("\n\n")
        if not above.strip() or not is_afterword(last):
            break
        prose = above.rstrip()
    return prose
