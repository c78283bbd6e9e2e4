"""Tags that are only spoken of: 'put it into <message> tags'. They are words of the sentence they stand in."""

from __future__ import annotations

import re

LOOK_BACK = 24
"""How many characters before a tag tell whether it stands within a sentence."""
_WITHIN = re.compile(r"[^\W_][,’'“\"(]{0,2}[ (“\"‘'][“\"‘'(]?\Z|[^\W_][(“\"‘']\Z")
_GOES_ON = re.compile(r"[“”\"’')]?(?:[.,;:!?)](?:\s|\Z)|-\w| [a-zß-öø-ÿ(–—])")
_LEADS_TO = re.compile(
    r"(?:^|[\s(])(?:a|an|the|and|or|with|by|in|into|to|of|between|before|after|use|using|called|named|tag|tags|mark|word|"
    r"mit|und|oder|in|durch|zwischen|vor|nach)[ ][“\"‘'(]?\Z",
    re.I,
)
FEW_WORDS = 3
"""The most words between the tags of reasoning that are only spoken of."""
LOOK_AHEAD = 3
"""How many characters after a tag are needed to tell."""


def is_within_sentence(before: str) -> bool:
    """Whether a text that ends where a tag begins breaks off amid a sentence."""
    return _WITHIN.search(before[-LOOK_BACK:]) is not None


def leads_to_name(before: str) -> bool:
    """Whether a text that ends where a tag begins ends with a word that a name follows: 'with', 'the', 'and'."""
    return _LEADS_TO.search(before[-LOOK_BACK:]) is not None


def sentence_goes_on(after: str) -> bool:
    """Whether a text that begins where a tag ends continues a sentence."""
    return _GOES_ON.match(after[:LOOK_AHEAD]) is not None
