"""Markup and foreign turns in a whole answer: comments, tags around what nobody is to hear, what a player would say.

The time is in proportion to the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache

from dramaturg.model_notes.closings import without_closings
from dramaturg.model_notes.labels import any_label, is_remark, labels

PAGE_TAGS = {
    **dict.fromkeys(("b", "strong", "u", "small", "big", "span", "font", "center"), ""),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("br", "p", "div", "dl", "dt"), "\n"),
    "dd": ": ",
}
"""Tags of pages, with what stands in their place: emphasis is between asterisks, as everywhere in answers."""
AT_START = ("\n", ": ")
"""What stands in the place of an opening tag only."""
_PAGE_TAG = re.compile(rf"<(?P<end>/?)(?P<tag>{'|'.join(PAGE_TAGS)})(?:\s[^<>{{\n]{{0,60}})?/?>", re.IGNORECASE)
CALL_TAGS = ("tool_call", "tool_calls", "function_call")
NAMED_TAGS = ("parameter", "param", "argument", "arg", "field")
"""Tags that have the key of a value as their name: `<parameter name="dialogue">`."""
_NAME = re.compile(r"""\s{0,3}(?:name|key)\s?=\s?["']?(\w{1,30})""", re.IGNORECASE)
_NAMED = "|".join(NAMED_TAGS)
_VALUE = re.compile(
    rf"<(?:{_NAMED})\b(?P<more>[^<>\n]{{1,60}})>(?P<value>[^<]{{0,4000}})</(?:{_NAMED})>", re.IGNORECASE
)
_COMMENT, _COMMENT_END = "<!--", "-->"
_HIDDEN = (
    "player user details metadata meta state status stats tool_call tool_calls function_call instructions reminder "
    "lore note notes internal inner hidden secret private mood tension tension_shift director "
    "reason subtext agenda motivation intent intention strategy"
)
_HIDDEN_NAMES = "|".join(_HIDDEN.split())
_HIDDEN_TAG = re.compile(rf"<(?P<tag>{_HIDDEN_NAMES})\b\s?[^<>\n]{{0,80}}>", re.IGNORECASE)
_HIDDEN_END = re.compile(rf"<\s{{0,3}}/\s{{0,3}}(?P<tag>{_HIDDEN_NAMES})\b(?:[^<>\[\]]{{0,80}}>)?", re.IGNORECASE)
_HIDDEN_BRACKET = re.compile(r"\[(?P<tag>scratchpad|analysis|cot|inst)\]", re.IGNORECASE)
_BRACKET_END = re.compile(r"\[/(?P<tag>scratchpad|analysis|cot|inst)\b(?:[^<>\[\]\n]{0,80}[>\]])?", re.IGNORECASE)
_DEED = re.compile(r"<(?:actions?|gesture|narration|do)>([^<>]{1,600})</(?:actions?|gesture|narration|do)>", re.I)
_WRAPPER = re.compile(
    r"</?(?:invoke|function|function_calls|character|narration|narrator|assistant|roleplay|scene|message|root|line|actions?|dialogue|speech|says?|do)\b"
    r"(?:[^<>\n=]{0,60}=[^<>\n]{0,80}|\s{0,3}/?\s{0,3})>",
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
        text = _VALUE.sub(_in_tag, _called(text))
        text = _outside(text, _HIDDEN_TAG, _HIDDEN_END)
        text = _WRAPPER.sub("", _DEED.sub(r"*\1* ", text))
    if "[" in text:
        text = _outside(text, _HIDDEN_BRACKET, _BRACKET_END)
    if "((" in text or "{" in text:
        text = _ASIDE.sub("", text)
    if "｜" in text:
        text = _TOKEN.sub("", text)
    if "💭" in text:
        text = _BUBBLE.sub("", text)
    text = _BRACKET.sub(lambda found: "" if is_remark(found[1]) else found[0], text)
    return without_closings(_before_others(text)).strip()


def name_in_tag(more: str) -> str:
    """The name that a tag gives to its value."""
    found = _NAME.match(more)
    return found[1].lower() if found else ""


def _in_tag(found: re.Match[str]) -> str:
    """A value with a tag of its own: `<dialogue>`; what has no name is hidden."""
    name = name_in_tag(found["more"]) or "hidden"
    shown = name in labels("spoken") or name in labels("done")
    return f"<{name}>{found['value']}</{name}>" if shown else ""


def _called(text: str) -> str:
    """What stands in a tool's call, if there is nothing else."""
    bare = text.strip()
    for tag in CALL_TAGS:
        if bare.startswith(f"<{tag}>") and bare.find(f"</{tag}>") in (-1, len(bare) - len(tag) - 3):
            return bare.removeprefix(f"<{tag}>").removesuffix(f"</{tag}>").strip()
    return text


def without_page_tags(text: str) -> str:
    """A text without the tags of a page."""
    return _PAGE_TAG.sub(_in_place_of, text) if "<" in text else text


def _in_place_of(found: re.Match[str]) -> str:
    shown = PAGE_TAGS[found["tag"].lower()]
    return "" if found["end"] and shown in AT_START else shown


def _outside_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find(_COMMENT, at)) >= 0:
        kept.append(text[at:start])
        end = text.find(_COMMENT_END, start)
        at = len(text) if end < 0 else end + len(_COMMENT_END)
    return "".join((*kept, text[at:])) if kept else text


def _outside(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Without what stands between marks; a mark that is never closed is left out alone."""
    ends: dict[str, list[re.Match[str]]] = {}
    for end in closing.finditer(text):
        ends.setdefault(end["tag"].lower(), []).append(end)
    kept, at = list[str](), 0
    for found in opening.finditer(text):
        if found.start() < at:
            continue
        kept.append(text[at : found.start()])
        closings = ends.get(found["tag"].lower(), [])
        place = bisect_left(closings, found.end(), key=lambda end: end.start())
        at = closings[place].end() if place < len(closings) else found.end()
    return "".join((*kept, text[at:])) if kept else text


def _before_others(text: str) -> str:
    found = _others().search(text)
    return text[: found.start()] if found is not None and text[: found.start()].strip() else text


@cache
def _others() -> re.Pattern[str]:
    return re.compile(rf"\n[ \t#*_>]{{0,8}}{any_label('others')}[*_]{{0,2}}[:：]", re.IGNORECASE)
