"""The spoken words of an answer, apart from gestures and narration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dramaturg.model_notes.preambles import META
from dramaturg.scenes.answers.asides import read_aside
from dramaturg.scenes.answers.marks import DOUBLE_QUOTES, NOTE, SILENCE
from dramaturg.scenes.answers.narration import Narration, is_narration, is_saying, without_attribution, without_pronoun
from dramaturg.scenes.answers.parts import Names
from dramaturg.scenes.answers.segments import Segment, segments
from dramaturg.scenes.answers.tags import GESTURE, Fields, take_tags, unquoted

LONGEST_CONTENT = 4_000
_UNDERLINED = re.compile(r"(?<!\w)_([^_\n]+)_(?!\w)")
_STAGE = re.compile(r"\s{0,3}(?:stage|stage direction|action)\s?:", re.IGNORECASE)
_ADDRESSED = re.compile(r"(?:speaking |turning )?to (\w[\w .'’-]{0,40})", re.IGNORECASE)
_ENDS = (".", "!", "?", "…", ",", ":", ";", "—", "–", "-", "。", "！", "？", "、", '"', "”", "*")
_EMPHASIZED = frozenset("is was has does this his hers its us yes as always thus ours yours theirs perhaps".split())
_DEGREES = frozenset("very so too more rather quite almost and but".split())
_ROW_OF_FIELDS = re.compile(r"\s{0,9}(?:to|aside to|tone|emotion|mood)\s?[:=]", re.IGNORECASE)
_SEAM = re.compile(r"[\"“”]\s+[\"“”](?=\S)")
_DOTS = re.compile(r"[\s.…·・‥\-–—_*~]*")
_CLOSING = {"[": "]", "【": "】", "［": "］", "(": ")", "（": "）"}
_BROKEN_GESTURE = re.compile(r"(?<!\S)\*(?=\S)[^*\n]{1,200}\Z")
_BROKEN_TAG = re.compile(r"\[\s{0,3}(?:to|tone|aside|interrupt|silent|react|in)\b[^\[\]]{0,200}\Z", re.IGNORECASE)


def take_words(text: str, names: Names, fields: Fields) -> str:
    """The words in a character's own part; tags, gestures and manner go into the fields."""
    parts = _without_tags(segments(text), names, fields)
    read = _quoted if _is_narrated(parts, names) else _plain
    words = read(parts, names, fields)
    words = _emphasis(words, names, fields).strip()
    return "" if _DOTS.fullmatch(words) or not _says_something(words) else words[:LONGEST_CONTENT].strip()


def take_manner(manner: str, fields: Fields) -> None:
    """What stands in parentheses behind a name or before words: how it is said, to whom, or a gesture."""
    for piece in manner.split(","):
        plain = " ".join(piece.split()).strip("*_ ")
        if not plain or take_tags(plain, fields):
            continue
        if (addressed := _ADDRESSED.fullmatch(plain)) is not None:
            if not fields.target:
                fields.address(addressed[1].strip())
        elif fields.tone is None and is_manner(plain):
            fields.tone = plain
        else:
            fields.gesture(plain)


def is_manner(text: str) -> bool:
    """`quietly`, `very softly`: how something is said."""
    found = text.casefold().split()
    return (
        bool(found) and len(found[-1]) > 4 and found[-1].endswith("ly") and all(one in _DEGREES for one in found[:-1])
    )


def _without_tags(found: Sequence[Segment], names: Names, fields: Fields) -> list[Segment]:
    """Without the groups that are tags, notes or gestures; the others stay as words."""
    spoken = any(part.kind == "quote" for part in found)
    kept: list[Segment] = []
    for at, part in enumerate(found):
        if part.kind != "group":
            behind_it = found[at + 1].kind if at + 1 < len(found) else ""
            kept.append(_closed(part, fields) if behind_it == "quote" and part.kind == "plain" else part)
            continue
        inside, before = part.text, fields.mark
        if (part.mark not in "(（" or ":" in inside or "：" in inside) and take_tags(inside, fields):
            if fields.mark == "silent" and _has_quotation(kept):
                fields.mark = before
            continue
        if _is_left_out(inside, names, fields):
            continue
        above = kept[-1].text.rstrip() if kept else ""
        behind = found[at + 1].text.lstrip() if at + 1 < len(found) else ""
        glued = bool(above) and not above.endswith(_ENDS) and kept[-1].kind == "plain"
        if (glued and not (spoken and part.mark in "[【［") and _goes_on(behind)) or not _is_gesture(inside):
            kept.append(Segment("plain", f"{part.mark}{inside}{_CLOSING[part.mark]}"))
            continue
        take_manner(_of_me(inside, names), fields)
    return kept


def _has_quotation(parts: Sequence[Segment]) -> bool:
    """Whether something is said: silence behind it is what follows."""
    return any(part.kind == "quote" and any(map(str.isalnum, part.text)) for part in parts)


def _closed(part: Segment, fields: Fields) -> Segment:
    """Tags before the words without a bracket, or in one that was not closed, are read as if it were there."""
    if _ROW_OF_FIELDS.match(part.text) and take_tags(part.text, fields):
        return Segment("plain", "")
    head, bracket, tail = part.text.rpartition("[")
    return Segment("plain", head) if bracket and take_tags(tail, fields) else part


def _goes_on(behind: str) -> bool:
    return behind[:1].islower() or behind[:1] in (",", ".", "!", "?", ";")


def _is_left_out(inside: str, names: Names, fields: Fields) -> bool:
    if NOTE.match(inside) or (len(inside) > 24 and META.search(inside)):
        return True
    if (stage := _STAGE.match(inside)) is not None:
        what = inside[stage.end() :].strip()
        if not names.others.match(what):
            fields.gesture(_of_me(what, names))
        return True
    plain = _of_me(inside, names).strip()
    if SILENCE.fullmatch(plain) or names.is_me(plain):
        return True
    return names.others.match(inside.strip()) is not None


def _of_me(text: str, names: Names) -> str:
    """A stage direction without the name of who does it."""
    plain = text.strip()
    mine = names.mine.match(plain)
    rest = plain[mine.end() :] if mine else ""
    if rest[:2] in ("'s", "’s"):
        return rest[2:].strip()
    return rest[1:].strip() if rest[:1] in (" ", ",", "\n", "\t") else text


def _is_gesture(inside: str) -> bool:
    plain = inside.strip()
    return any(char.isalpha() for char in plain) and plain.casefold().strip(".") not in ("sic", "pause for effect")


def _is_narrated(parts: Sequence[Segment], names: Names) -> bool:
    """Whether the quotations are what is said, and what is around them is told; else they are quoted in the words."""
    for at, part in enumerate(parts):
        if part.kind != "quote":
            continue
        before = GESTURE.sub("", parts[at - 1].text).strip(" \t\n") if at else ""
        first = at == 0 or (not before and at == 1)
        ends = part.text.rstrip().endswith((".", "!", "?", "…", ",", "—", "–", "-", "。", "！", "？"))
        if (first and (ends or not _is_mention(parts[at + 1 :], names))) or (at and parts[at - 1].kind == "quote"):
            return True
        if not first and ends and (before.endswith(_ENDS) or is_narration(before, names)):
            return True
        if not first and part.mark in "「『" and (is_narration(before, names) or before.endswith(_ENDS)):
            return True
    return False


def _is_mention(behind: Sequence[Segment], names: Names) -> bool:
    """Whether a quotation without an end of its own goes on as the subject of a sentence."""
    text = behind[0].text.lstrip() if behind and behind[0].kind == "plain" else ""
    return text[:1].islower() and not is_narration(text, names) and not is_saying(text)


def _quoted(parts: Sequence[Segment], names: Names, fields: Fields) -> str:
    """The quotations that are this character's; what is told around them becomes gesture and manner."""
    told = Narration(names, fields)
    said: list[str] = []
    for at, part in enumerate(parts):
        if part.kind == "plain":
            if told.gives_word_to_others(part.text, behind_quote=bool(said), is_last=at + 1 == len(parts)):
                if said and told.is_of_the_last:
                    said.pop()
                break
            text = _BROKEN_GESTURE.sub("", _BROKEN_TAG.sub("", part.text)) if said else part.text
            told.take(_without_gestures(text, names, fields), behind_quote=bool(said) and parts[at - 1].kind == "quote")
            continue
        words = " ".join(part.text.split())
        follows = parts[at + 1].text.strip() if at + 1 < len(parts) else ""
        closes = at + 1 == len(parts) or (parts[at + 1].kind == "plain" and follows.endswith((".", "!", "?")))
        said.append(f"{words[:-1]}." if words.endswith(",") and (closes or at + 2 >= len(parts)) else words)
    return " ".join(one for one in said if one)


def _plain(parts: Sequence[Segment], names: Names, fields: Fields) -> str:
    """Words that stand without quotation marks; those in them stay."""
    whole = " ".join(_rebuilt(parts).split())
    whole = _BROKEN_TAG.sub("", whole)
    whole = unquoted(_SEAM.sub(" ", _without_gestures(whole, names, fields).strip()))
    if whole[:2] in ("— ", "– "):
        whole = without_attribution(whole[2:].strip(), names)
    told = names.mine.match(whole) is not None and SILENCE.fullmatch(_of_me(whole, names)) is not None
    if told or whole in ("SILENT", "silent"):
        return ""
    if not any(part.kind == "quote" for part in parts) and is_narration(whole, names, alone=True):
        Narration(names, fields).take(whole)
        return ""
    return whole


def _rebuilt(parts: Sequence[Segment]) -> str:
    ends = {"“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』", "〝": "〞", "‟": "”"}
    return "".join(
        f"{part.mark}{part.text}{ends.get(part.mark, part.mark)}" if part.kind == "quote" else part.text
        for part in parts
    )


def _without_gestures(text: str, names: Names, fields: Fields) -> str:
    """Outside quotations: starred and underlined words are gestures, unless they stress a word of a sentence."""
    if "_" in text:
        text = _UNDERLINED.sub(r"*\1*", text)
    return "".join(_divided(text, names, fields)) if "*" in text else text


def _emphasis(words: str, names: Names, fields: Fields) -> str:
    """Inside the words: a gesture is taken out, a stress loses its stars."""
    if "_" in words:
        words = _UNDERLINED.sub(r"\1", words)
    if words[:1] in ("(", "["):
        end = words.find(")" if words[0] == "(" else "]", 0, 120)
        inside = words[1:end] if end > 0 else ""
        if inside[:1].islower() and len(words) > end + 1:
            take_manner(inside, fields)
            words = words[end + 1 :].strip()
    return " ".join("".join(_divided(words, names, fields)).split()) if "*" in words else words


def _divided(text: str, names: Names, fields: Fields) -> Iterator[str]:
    """The text between the starred words, and those of them that only stress what is said."""
    at = 0
    for found in GESTURE.finditer(text):
        yield text[at : found.start()]
        before, behind = text[max(at, found.start() - 40) : found.start()].rstrip(), text[found.end() : found.end() + 9]
        inside = found[1].strip()
        if is_stress(inside, before, behind, is_first=at == 0):
            yield inside
        else:
            take_deed(inside, names, fields)
            yield " "
        at = found.end()
    rest = text[at:]
    broken = _BROKEN_GESTURE.search(rest)
    if broken is not None and not text[:at].strip() and not rest[: broken.start()].strip():
        take_deed(broken[0], names, fields)
    yield rest if broken is None else rest[: broken.start()]


def take_deed(text: str, names: Names, fields: Fields) -> None:
    """A gesture, the mark of an aside, or a sentence in its place, told of the speaker."""
    if (mark := read_aside(text.strip("()[] "))) is not None:
        fields.mark_aside(mark)
    elif is_manner(text):
        take_manner(text, fields)
    elif is_narration(text, names):
        Narration(names, fields).take(text)
    else:
        fields.gesture(without_pronoun(text))


def is_stress(inside: str, before: str, behind: str, *, is_first: bool) -> bool:
    """Whether starred words stress a part of the sentence they stand in."""
    if inside[:1] in DOUBLE_QUOTES:
        return True
    if not before:
        return is_first and inside[:1].isupper() and " " not in inside and bool(behind.strip())
    first = inside.split(maxsplit=1)[0].casefold() if inside else ""
    if before.endswith(_ENDS) or (first.endswith("s") and first not in _EMPHASIZED and len(first) > 3):
        return False
    return _goes_on(behind.lstrip()) or not behind.strip() or " " not in inside


def _says_something(words: str) -> bool:
    return any(char.isalnum() or char in "?!？！" for char in words)
