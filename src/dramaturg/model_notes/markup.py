"""Markup and foreign turns in a whole answer: comments, tags around what nobody is to hear, what a player would say.

The time is in proportion to the text.
"""

from __future__ import annotations

import re
from functools import cache

from dramaturg.model_notes.closings import without_closings
from dramaturg.model_notes.labels import any_label, is_remark

PAGE_TAGS = {
    **dict.fromkeys(("b", "strong", "u", "small", "big", "span", "font", "center"), ""),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("br", "p", "div"), "\n"),
}
"""Tags of pages, with what stands in their place: emphasis is between asterisks, as everywhere in answers."""
_PAGE_TAG = re.compile(rf"<(?P<end>/?)(?P<tag>{'|'.join(PAGE_TAGS)})(?:\s[^<>{{\n]{{0,60}})?/?>", re.IGNORECASE)
_COMMENT, _COMMENT_END = "<!--", "-->"
_HIDDEN = (
    "player user details metadata meta state status stats tool_call tool_calls function_call instructions reminder "
    "lore note notes internal inner hidden secret private mood tension tension_shift director"
)
_HIDDEN_TAG = re.compile(rf"<(?P<tag>{'|'.join(_HIDDEN.split())})\b[^<>\n]{{0,80}}>", re.IGNORECASE)
_HIDDEN_BRACKET = re.compile(r"\[(?P<tag>scratchpad|analysis|cot|inst)\]", re.IGNORECASE)
_DEED = re.compile(r"<(?:actions?|gesture|narration|do)>([^<>]{1,600})</(?:actions?|gesture|narration|do)>", re.I)
_WRAPPER = re.compile(
    r"</?(?:character|narration|narrator|assistant|roleplay|scene|message|root|line|actions?|dialogue|speech|says?|do)\b"
    r"[^<>\n]{0,80}>",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\(\([^() ]{1,40} [^()]{1,600}\)\)|"
    r"\{ {0,3}(?:ooc\b|(?:internal|inner|thoughts?|thinking|plan|mood) ?:)[^{}]{0,600}\}",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"<｜[^｜<>\n]{1,40}｜>")
_BRACKET = re.compile(r"\*?[\[(（【]([^\[\]()（）【】\n]{3,120})[\])）】]\*?")
_BUBBLE = re.compile(r"(?:(?<=\n)|\A)[^\n]{0,3}💭[^\n]*")


def without_markup(text: str) -> str:
    """A text without comments, hidden tags and what they hold, foreign turns, remarks and closings; deeds in tags are
    put between asterisks.
    """
    text = _outside_comments(text)
    if "<" in text:
        text = _outside(text, _HIDDEN_TAG, "</{}")
        text = _WRAPPER.sub("", _DEED.sub(r"*\1* ", text))
    if "[" in text:
        text = _outside(text, _HIDDEN_BRACKET, "[/{}")
    if "((" in text or "{" in text:
        text = _ASIDE.sub("", text)
    if "｜" in text:
        text = _TOKEN.sub("", text)
    if "💭" in text:
        text = _BUBBLE.sub("", text)
    text = _BRACKET.sub(lambda found: "" if is_remark(found[1]) else found[0], text)
    return without_closings(_before_others(text)).strip()


def without_page_tags(text: str) -> str:
    """A text without the tags of a page."""
    return _PAGE_TAG.sub(_in_place_of, text) if "<" in text else text


def _in_place_of(found: re.Match[str]) -> str:
    shown = PAGE_TAGS[found["tag"].lower()]
    return "" if found["end"] and shown == "\n" else shown


def _outside_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find(_COMMENT, at)) >= 0:
        kept.append(text[at:start])
        end = text.find(_COMMENT_END, start)
        at = len(text) if end < 0 else end + len(_COMMENT_END)
    return "".join((*kept, text[at:])) if kept else text


def _outside(text: str, opening: re.Pattern[str], closing: str) -> str:
    """Without what stands between marks; a mark that is never closed is left out alone."""
    folded, unclosed = text.lower(), set[str]()
    if len(folded) != len(text):
        return text
    kept, at = [], 0
    while (found := opening.search(text, at)) is not None:
        kept.append(text[at : found.start()])
        name = found["tag"].lower()
        end = -1 if name in unclosed else folded.find(closing.format(name), found.end())
        if end < 0:
            unclosed.add(name)
            at = found.end()
            continue
        after = re.compile(r"[^<>\[\]\n]{0,80}[>\]]").match(text, end + 2)
        at = after.end() if after else end
    return "".join((*kept, text[at:])) if kept else text


def _before_others(text: str) -> str:
    found = _others().search(text)
    return text[: found.start()] if found is not None and text[: found.start()].strip() else text


@cache
def _others() -> re.Pattern[str]:
    return re.compile(rf"\n[ \t#*_>]{{0,8}}{any_label('others')}[*_]{{0,2}}[:：]", re.IGNORECASE)
