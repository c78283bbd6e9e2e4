"""What models wrap around an answer: thoughts, channels, fences, preambles, notes and the cue repeated."""

from __future__ import annotations

import re

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.model_notes.closings import speaks_of_answer
from dramaturg.model_notes.fences import unfenced
from dramaturg.model_notes.form_rows import with_labels
from dramaturg.model_notes.labels import is_answer_label, is_hidden_mark, is_note_label, is_thought_label, labels
from dramaturg.model_notes.markup import without_markup, without_page_tags
from dramaturg.model_notes.notes import (
    begins_with_thought,
    labels_thought,
    with_bold_labels,
    without_notes,
    without_thoughts,
)
from dramaturg.model_notes.preambles import ANSWER_OPENS, META, without_preamble
from dramaturg.model_notes.thought_tags import with_usual_tags
from dramaturg.scenes.answers.asides import with_aside_brackets
from dramaturg.scenes.answers.marks import DOUBLE_QUOTES, NOTE

_END_OF_TURN = re.compile(r"<\|(?:im_end|end|eot_id|return|endoftext|end_of_text|eom_id)\|>|</s>|<end_of_turn>", re.I)
_ROLE = "(?:assistant|user|system|developer|model|human|tool)"
_TOKEN = re.compile(
    rf"<\|(?:start|im_start|start_header_id)\|>\s?(?:{_ROLE}|\w{{0,12}}(?=[\n<:]))|"
    r"<\|\w{1,40}\|>|<s>|\[/?INST\]|<start_of_turn>\s?\w{0,12}",
    re.I,
)
_LABEL = re.compile(
    r"[\s#>*_-]{0,8}(?:(?:final |my |your )?(?:response|answer|output|reply|dialogue|speech|spoken words|line|words))"
    r"\s?[*_]{0,2}[:：][*_]{0,2}",
    re.I,
)
_OTHER_LABEL = re.compile(r"[\s#>*_-]{0,8}([^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20})?)[*_]{0,2}\s?[:：][*_]{0,2}")
_OWNED_LABEL = re.compile(r"[\s#>*_-]{0,8}[^\W\d_]\w{0,20}['’]s ([^\W\d_]{1,20})[*_]{0,2}\s?[:：][*_]{0,2}")
_ROW_OF_TAGS = re.compile(r"(?<=\n)[ \t]{0,9}[\[【［]")
_ECHO = re.compile(
    r"\s{0,20}(?:director'?s? note\b|the scene begins\.|nobody has spoken since\.|"
    r"tension(?:[ _]shift)?\s?[:：]\s?[+-]?\d)",
    re.I,
)
_FIELD_ROW = re.compile(
    r"[\s#>*_-]{0,8}(?:to|aside to|tone|emotion|mood|gesture|action|nonverbal|body language)\s?[:=]"
    r"[^\[\]\"“«「]{1,120}",
    re.I,
)
_BLOCK = re.compile(r"(?m)^([ \t]{0,9}[^\W\d_]\w{0,20}[:：])[ \t]{0,3}[|>][-+]?[ \t]{0,3}$")
_ASSIGNED = re.compile(r"(?m)^[ \t]{0,9}([^\W\d_]\w{0,20})[ \t]{0,3}=[ \t]{0,3}(?=[\"“'])")
_TAG = re.compile(r"</?(?:response|answer|output|reply|dialogue|speech|final|line|message|assistant|character)>", re.I)
_ATTRIBUTED = re.compile(
    r"<(?:response|answer|output|reply|message|line|character)\s(?P<more>[^<>=]{1,60}=[^<>]{0,4000})>", re.I
)
_ATTRIBUTE = re.compile(r"(?<!\w)(?P<name>[^\W\d]\w{0,30})\s?=\s?\"(?P<value>[^\"<>]{0,4000})\"")
_SURE = re.compile(r"[\s(\[*_#>/-]{0,8}(?:o\.?o\.?c\b|out of character|\(|\[|\*)", re.I)
_BRACKETED = re.compile(r"(?:(?<=\n)|\A)[ \t]{0,9}【([^【】\n:：]{1,12})】")
_TITLED = re.compile(r"[\s*_]{0,6}\(([^\W\d_]\w{1,20} \w{1,20})\)")
_THINKING = re.compile(
    r"[\s*_#>]{0,8}(?P<name>[^\W\d_][\w '’.-]{0,40}?)"
    r"(?:[ *_]{0,3}[(（](?P<manner>[^()（）\n]{1,24})[)）]|['’]s (?P<thoughts>[^\W\d][\w ]{0,20}))[*_]{0,2}\s?[:：]"
)
_BOLD_ROW = re.compile(r"^[ \t]{0,3}\*\*([^*\n\[(【［（][^*\n]{0,59})\*\*[ \t]{0,3}$", re.MULTILINE)
_MARKED_TAGS = re.compile(
    r"(?m)^[ \t]{0,3}[*_`]{1,3}([\[【［][^\[\]【】［］*`\n]{1,400}[\]】］]:?)[*_`]{1,3}:?(?=\s|[\"“„«「]|$)"
)
_TITLED_THOUGHT = re.compile(
    r"^[ \t>]{0,8}\*\*(?P<label>[^\W\d_][\w '’.-]{0,40})[ \t]?[:：]\*\*[ \t]{0,3}\n(?:[ \t]{0,9}\n)?(?=[ \t]{0,9}\S)",
    re.MULTILINE,
)
_OOC = re.compile(r"(?<=[\[【［])o\.?o\.?c\.?(?=[ \t]?[,;|，、\]】］])", re.IGNORECASE)
"""Without a colon it is the words behind the bracket that are out of character."""
_ROW_OF_MARK = re.compile(
    r"^[ \t]{0,3}[\[【［]([^\[\]【】［］\n]{1,40})[\]】］][ \t]{0,3}\n[ \t]{0,3}[\[【［]", re.MULTILINE
)
_RULE = re.compile(r"\s{0,10}(?:-{3,10}|\*{3,10}|_{3,10}|={3,10})\s{0,10}")
_BULLETS = ("-", "•", "*")
"""What remains of a row of a list whose words were a note."""
_THE_END = re.compile(
    r"\W{0,4}(?:END (?:OF )?(?:THE )?SCENE|THE END|FADE (?:OUT|TO BLACK)|SCENE END\b[^\n]{0,60})\W{0,4}"
)


def unwrapped(text: str) -> str:
    """The answer itself. What is around it is left out; nothing is left of a text that is all wrapping."""
    text = with_aside_brackets(_MARKED_TAGS.sub(r"\1", text))
    text = _ROW_OF_MARK.sub(_joined, text)
    text = _ASSIGNED.sub(_as_row, _BLOCK.sub(r"\1", text))
    text = with_labels(_BRACKETED.sub(_as_label, text) if "【" in text else text)
    text = without_page_tags(without_reasoning(with_usual_tags(text)))
    text = without_markup(_ATTRIBUTED.sub(_of_attributes, text) if "<" in text else text)
    text = _TITLED_THOUGHT.sub(_as_thought, with_bold_labels(_OOC.sub("THOUGHT", text)))
    text = without_thoughts(_from_tags(without_notes(text)))
    text = _without_tokens(text) if "<" in text or "[" in text else text
    fenced = unfenced(text) if "```" in text else None
    text = _BOLD_ROW.sub(r"## \1", text if fenced is None else fenced).replace("**", "").strip()
    return without_preamble(_rows(text)).strip()


def _from_tags(text: str) -> str:
    """Without the rows before the row of tags if one of them labels a thought and nothing in them is said."""
    tags = _ROW_OF_TAGS.search(text)
    head = text[: tags.start()] if tags is not None else ""
    return text[len(head) :] if labels_thought(head) and not any(mark in head for mark in DOUBLE_QUOTES) else text


def _without_tokens(text: str) -> str:
    if (turn := _END_OF_TURN.search(text)) is not None and text[: turn.start()].strip():
        text = text[: turn.start()]
    text = _END_OF_TURN.sub("", _TOKEN.sub("", text))
    return _TAG.sub("", text)


def _rows(text: str) -> str:
    """Without the rows that are no part of the answer. A note or a thought goes on to the end of its paragraph."""
    kept: list[str] = []
    dropping = answered = hidden = written = False
    thinker = ""
    for row in text.split("\n"):
        plain = row.strip()
        if not plain:
            dropping = False
            kept.append("")
            continue
        label = _label(row)
        if (dropping and label is None and _goes_on(plain, thinker)) or _is_fence(plain):
            continue
        thinker = _thinker(row)
        dropping = label is None and (bool(thinker) or _is_left_out(row, answered=written))
        if plain.startswith("#"):
            hidden = is_thought_label(plain.strip("#*_: "))
        titles = plain.startswith("#") and plain.lstrip("# ")[:1] not in ("[", "【", "［", "(")
        if dropping or hidden or (titles and (META.search(plain[:80]) or _is_label(plain))):
            continue
        if answered and _RULE.fullmatch(plain):
            break
        kept.append(row[label.end() :] if label is not None else _unmarked(row))
        written = written or bool(kept[-1].strip())
        answered = answered or any(mark in plain for mark in ANSWER_OPENS)
    return "\n".join(kept)


def _goes_on(plain: str, thinker: str) -> bool:
    """Whether a row belongs to the note or thought above it: not if it is said, or begins with the thinker's name."""
    return plain[0] not in ANSWER_OPENS and not (thinker and plain.lstrip("*_#> ").startswith(thinker))


def _label(row: str) -> re.Match[str] | None:
    """The label before an answer: `Response:`, or that word in another language."""
    if (label := _LABEL.match(row)) is not None:
        return label
    other = _OTHER_LABEL.match(row)
    if other is None:
        owned = _OWNED_LABEL.match(row)
        return owned if owned is not None and owned[1].casefold() in labels("spoken") else None
    return other if is_answer_label(other[1]) or other[1].casefold() in labels("spoken") else None


def _as_thought(found: re.Match[str]) -> str:
    """A label of thoughts with its row to itself stands before the row below it."""
    return f"{found['label']}: " if is_thought_label(found["label"]) else found[0]


def _joined(found: re.Match[str]) -> str:
    """`[THOUGHT]` above a row of tags is one of them."""
    return f"[{found[1]}, " if is_hidden_mark(found[1]) else found[0]


def _is_label(heading: str) -> bool:
    name = heading.strip("#*_: ").casefold()
    return is_answer_label(name) or name in labels("spoken")


def _is_fence(plain: str) -> bool:
    return plain.startswith("```") and (plain == "```" or plain[3:].isalnum())


def _of_attributes(found: re.Match[str]) -> str:
    """What is said and done in the attributes of a tag around an answer; the others are nobody's words."""
    values = {one["name"].casefold(): one["value"] for one in _ATTRIBUTE.finditer(found["more"])}
    done = "".join(f"*{value}* " for name, value in values.items() if name in labels("done") and value)
    return done + "".join(f'"{value}" ' for name, value in values.items() if name in labels("spoken") and value)


def _as_label(found: re.Match[str]) -> str:
    """`【动作】` before a row is its label; other words in such brackets stay."""
    return ("思考：" if is_note_label(found[1]) else f"{found[1]}：") if _is_known(found[1]) else found[0]


def _as_row(found: re.Match[str]) -> str:
    """`dialogue = "…"` is a row of a form; other rows with that sign stay."""
    return f"{found[1]}: " if _is_known(found[1]) else found[0]


def _is_known(name: str) -> bool:
    plain = name.casefold()
    return is_note_label(plain) or plain in labels("spoken") or plain in labels("done") or is_answer_label(plain)


def _is_left_out(row: str, *, answered: bool) -> bool:
    """Whether a row is a thought, a note or an echo; what may be one is so below an answer, or if it is about it."""
    titled = _TITLED.match(row)
    if titled is not None and is_thought_label(titled[1]):
        return True
    if begins_with_thought(row) or _THE_END.fullmatch(row) is not None or _ECHO.match(row) is not None:
        return True
    return NOTE.match(row) is not None and (answered or _SURE.match(row) is not None or speaks_of_answer(row))


def _thinker(row: str) -> str:
    """Who thinks in a row that says so: `Mara Quill (thinking): …`."""
    found = _THINKING.match(row)
    words = (found["manner"] or found["thoughts"]).strip().casefold() if found is not None else ""
    thinks = words != "analysis" and (is_thought_label(words) or words in labels("verbs"))
    return found["name"].rstrip(" *_") if found is not None and thinks else ""


def _unmarked(row: str) -> str:
    """A row without the marks of a list or a quotation; a field on a row of its own gets its bracket."""
    if _RULE.fullmatch(row):
        return ""
    deed = _OTHER_LABEL.match(row) or _OWNED_LABEL.match(row)
    if deed is not None and deed[1].casefold() in labels("done") and row[deed.end() :].strip():
        return f"*{row[deed.end() :].strip(' *_')}*"
    if _FIELD_ROW.fullmatch(row):
        return f"[{row.strip(' #>*_-')}]"
    bare = row.lstrip()
    for mark in ("> ", "- ", "• "):
        bare = bare.removeprefix(mark)
    bare = "" if bare.strip() in _BULLETS else bare
    number = re.match(r"\d{1,2}[.)] (?=[\"“«「\[])", bare)
    return bare[number.end() :] if number else bare
