"""Notes that a model labels as such, amid its answer or before it. The time is in proportion to the text."""

from __future__ import annotations

import re
from functools import cache

from dramaturg.model_notes.labels import any_label, begins_label, is_note_label
from dramaturg.model_notes.thoughts import goes_on_reasoning, is_reasoning

LONGEST_NOTE = 4_000
MOST_PARAGRAPHS = 12
"""How many paragraphs of thoughts before an answer are looked at."""
CLOSING = {"[": "]", "(": ")", "【": "】", "［": "］", "（": "）", "*": "*"}
_NOTE = re.compile(
    r"(?P<open>[\[(【［（]|\*(?! ))[ \t*_]{0,4}"
    r"(?:o\.?o\.?c\b\.?|(?P<label>[^\W\d_][^\W\d]{0,24}(?:[ '’.-][^\W\d]{1,24}){0,3}))"
    r"(?:[ \t]?\([^()\n]{0,30}\))?(?(label)[ \t*_]{0,4}[:：])(?P<bold>\*{0,3})",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"^(?P<before>[ \t>•-]{0,8})(?P<marks>[*_~`]{1,3})(?P<label>[^\W\d_][\w '’.-]{0,40})[:：](?P=marks)(?![*_~`])",
    re.MULTILINE,
)
_MAYBE_CLOSED = re.compile(r"[ \t>•-]{0,8}[*_~`]{1,3}(?P<label>[^\W\d_][\w '’.-]{0,40})(?:[:：][*_~`]{0,2})?")
_QUOTE = re.compile('["“”]')
_SAID = frozenset(("note", "nota", "hinweis", "anmerkung", "remarque"))
"""What somebody may well say in brackets."""
_ROW = re.compile(r"\n[ \t]{0,9}(?=[\[【［\"“„«「『—{]|\*[^*\s]|```)|(?<=[.!?…。])[ \t]{0,9}(?=[\[【［])")


def is_note(text: str) -> bool:
    """Whether a text that stood between brackets or asterisks is a note."""
    label, colon, _ = text[:80].replace("：", ":").partition(":")
    return bool(colon) and is_note_label(label)


def closed_label(row: str) -> str | None:
    """A hidden label closed by its marks right behind the colon, in bold however it was marked: `` `Plan:` ``."""
    found = _CLOSED.fullmatch(row)
    return _in_bold(found) if found is not None and is_note_label(found["label"]) else None


def begins_closed_label(row: str) -> bool:
    """Whether the beginning of a row may still become such a label."""
    found = _MAYBE_CLOSED.fullmatch(row)
    return found is not None and begins_label(found["label"])


def with_bold_labels(text: str) -> str:
    """A text with every such label at the beginning of a row in bold."""
    return _CLOSED.sub(_in_bold, text)


def _in_bold(found: re.Match[str]) -> str:
    return f"{found['before']}**{found['label']}:**" if is_note_label(found["label"]) else found[0]


def without_notes(text: str) -> str:
    """A text without what stands between brackets or asterisks behind a label: `[PLAN: …]`, `*piensa: …*`.

    A "(Note: …)" within quotation marks is said.
    """
    kept, at, from_here = [], 0, 0
    quotations = _Quotations(text)
    while (found := _NOTE.search(text, from_here)) is not None:
        said = found["open"] in "(（" and (found["label"] or "").casefold() in _SAID and quotations.hold(found.start())
        if said or (found["label"] is not None and not is_note_label(found["label"])):
            from_here = found.start() + 1
            continue
        kept.append(text[at : found.start()])
        at = from_here = _end_of_note(text, found)
    return "".join((*kept, text[at:])) if kept else text


class _Quotations:
    """The quotation marks of a text, counted from place to place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._open = 0
        self._last = max(text.rfind(mark) for mark in '"”')

    def hold(self, place: int) -> bool:
        """Whether a place, behind those asked before, is within quotation marks."""
        for found in _QUOTE.finditer(self._text, self._at, place):
            straight = found[0] == '"'
            self._open = (1 - self._open) if straight else int(found[0] == "“")
        self._at = place
        return bool(self._open) and place < self._last


def _end_of_note(text: str, found: re.Match[str]) -> int:
    """Behind the bracket that closes it; a label in bold takes its row, a note that is never closed its paragraph."""
    opening, start = found["open"], found.end()
    if opening == "*" and (found["bold"] or text.startswith("**", found.start())):
        row = _before(text, "\n", start)
        answer = _answered().search(text, start, row)
        return answer.end() if answer else row
    if opening == "*":
        end = text.find("*", start, _before(text, "\n\n", start))
        return _before(text, "\n", start) if end < 0 else end + 1
    depth = 1
    for one in _brackets(opening).finditer(text, start, start + LONGEST_NOTE):
        depth += 1 if one[0] == opening else -1
        if not depth:
            return one.end()
    return _before(text, "\n\n", start)


@cache
def _brackets(opening: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(opening + CLOSING[opening])}]")


def _before(text: str, border: str, start: int) -> int:
    end = text.find(border, start)
    return len(text) if end < 0 else end


def begins_with_thought(text: str) -> bool:
    """Whether a text or a row begins with a label of thoughts: `pensamiento: …`."""
    return _labelled().match(text) is not None


def labels_thought(text: str) -> bool:
    """Whether a thought is labelled anywhere in a text."""
    return _labelled().search(text) is not None


def without_thoughts(text: str) -> str:
    """A text without the thoughts it begins with: labelled ones, and paragraphs about the user and the answer.

    What a model has marked as its answer is kept, and the paragraphs after its thoughts. Else nothing is left.
    """
    reasoned = False
    for _ in range(MOST_PARAGRAPHS):
        first, _, rest = text.lstrip().partition("\n\n")
        goes_on = reasoned and bool(rest.strip()) and goes_on_reasoning(first)
        if not (goes_on or begins_with_thought(text) or is_reasoning(first)):
            break
        text, reasoned = _after_thought(text), True
    return text


def without_talk(text: str) -> str:
    """As `without_thoughts`, where a label before a paragraph may be a heading: "Analysis: …"."""
    for _ in range(MOST_PARAGRAPHS):
        if not is_reasoning(text.partition("\n\n")[0]):
            break
        text = _after_thought(text)
    return text


def _after_thought(text: str) -> str:
    answer = _answered().search(text)
    return text[answer.end() :] if answer else _after_paragraph(text)


def _after_paragraph(text: str) -> str:
    """What follows the first paragraph, or the rows in it that are surely none of a thought."""
    text = text.lstrip()
    end = _before(text, "\n\n", 0)
    rows = _ROW.search(text, 0, end)
    return text[rows.end() if rows else end :].lstrip()


@cache
def _labelled() -> re.Pattern[str]:
    return re.compile(
        rf"[\s#>*_(\[-]{{0,8}}(?<!\w)(?:[^\W\d_]{{1,20}}['’]s )?{any_label('thoughts')}[ \t]?[*_]{{0,2}}[:：]",
        re.IGNORECASE,
    )


@cache
def _answered() -> re.Pattern[str]:
    said = any_label("spoken", "spoken_below")
    return re.compile(
        rf"(?:(?:(?<=[\s.!?…)\]])|^)[*_#]{{0,3}}{any_label('answers')}|(?:(?<=\n)|^)[*_#]{{0,3}}{said})"
        r"[*_]{0,2}[ \t\u00a0\u202f]?[:：](?:\*\*|__)? {0,3}",
        re.IGNORECASE,
    )
