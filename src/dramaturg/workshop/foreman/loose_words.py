"""What a model says outside of its message: announcements, labels, talk about the answer, turns of others.

Only loose words are judged. What stands in `<message>` is shown while it comes, so it stays as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dramaturg.model_notes.closings import is_closing
from dramaturg.model_notes.labels import is_thought_label
from dramaturg.model_notes.notes import without_talk
from dramaturg.model_notes.preambles import without_preamble

MOST_PARAGRAPHS = 12
LEAST_SIGNS = 2
LOOK = 400
_ANSWERS = frozenset(
    "message|response|reply|answer|final answer|final response|foreman|assistant|antwort|nachricht|réponse|respuesta|"
    "risposta|resposta|antwoord".split("|")
)
_OTHERS = frozenset("user|human|writer|nutzer|utilisateur|usuario".split("|"))
_NOTHING = frozenset(("", "none", "n/a", "no action", "keine", "aucune"))
_ROW = re.compile(
    r"[ \t]{0,3}(?P<heading>#{1,6}[ \t]{1,3})?(?P<bold>\*\*|__)?(?P<label>[^\W\d_]{2,16}(?: [^\W\d_]{2,12})?)"
    r"(?:\*\*|__)?(?P<colon>[ \t]?[:：])?(?:\*\*|__)?(?P<rest>[^\n]*)"
)
_BLOCK = re.compile(r"[ \t]{0,3}[|>][+-]?[ \t]{0,3}")
_STEP = re.compile(r"[ \t]{0,3}(?:\d{1,2}[.)]|[-*])[ \t]")
_GAP = re.compile(r"\n[ \t]*+\n")
_ALSO = (
    re.compile(
        r"\s{0,9}(?:ok(?:ay)?|alright|right|hm{1,9}|so|well|first|let me think|let['’]s (?:see|think))\b", re.IGNORECASE
    ),
    re.compile(
        r"[^\n]{0,300}?\b(?:i|we)(?: should| need to| must| have to| will|['’]ll) "
        r"(?:ask|respond|reply|answer|check|use|write|challenge)\b",
        re.IGNORECASE,
    ),
)
"""What a Foreman may well say to a writer, and what it says to itself as well."""
_SIGNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bthe writer (?:is asking|has asked|ask(?:s|ed) (?:about|for|me|whether)|wants (?:me|to know)|told me)\b",
        r"\bsession[ _]state\b|\bmessage tags?\b|\bas the foreman\b",
        r"\blet me think\b[^\n]{0,40}\bstep by step\b",
    )
)
"""What is said of a writer, or of the protocol, and to neither."""


class LooseWords(NamedTuple):
    """What is said to the writer of some loose words, and what was only thought."""

    said: str
    thought: str


def words_before(text: str, *, acted: bool = False) -> LooseWords:
    """The loose words with which an answer begins, or all of it. `acted`: something is to be done besides."""
    whole = text.strip("\n") + "\n" * text.endswith("\n")
    rest = _without_thoughts(_after_labels(whole, acted=acted))
    rest = _after_labels(without_preamble(rest), acted=acted)
    said = _own_rows(rest).strip()
    start = whole.find(said) if said else len(whole)
    return LooseWords(said, whole[: max(start, 0)].strip())


def words_after(text: str) -> LooseWords:
    """The loose words below a message: without reports about the answer, but with every question."""
    paragraphs = _GAP.split(text)
    dropped = [one for one in paragraphs if "?" not in one and is_closing(one, alone=True, quoted=False)]
    return LooseWords("\n\n".join(one for one in paragraphs if one not in dropped), "\n\n".join(dropped))


def _without_thoughts(text: str) -> str:
    """Without the paragraphs about the answer with which a text begins; the last paragraph is the answer."""
    text = without_talk(text)
    for _ in range(MOST_PARAGRAPHS):
        first, gap, rest = text.lstrip().partition("\n\n")
        if not gap or not rest.strip() or not (_is_talk(first) or _are_steps(first)):
            break
        text = rest
    return text


def _is_talk(paragraph: str) -> bool:
    head = paragraph[:LOOK]
    about = sum(one.search(head) is not None for one in _SIGNS)
    return bool(about) and about + sum(one.match(head) is not None for one in _ALSO) >= LEAST_SIGNS


def _are_steps(paragraph: str) -> bool:
    """Whether a list counts the steps to the answer."""
    return all(map(_STEP.match, paragraph.split("\n"))) and any(one.search(paragraph[:LOOK]) for one in _SIGNS)


def _after_labels(text: str, *, acted: bool) -> str:
    """What follows the label of the answer, where a text begins with one, or with the label of thoughts."""
    rows = text.split("\n")
    at = next((place for place, row in enumerate(rows) if row.strip()), len(rows))
    first = _label(rows[at]) if at < len(rows) else None
    if first is None:
        return text
    if first[0] in _ANSWERS:
        return _labelled(rows, at)
    if not is_thought_label(first[0]):
        return text
    answer = next((place for place in range(at + 1, len(rows)) if _label(rows[place], _ANSWERS)), None)
    if answer is not None:
        return _labelled(rows, answer)
    return "" if acted else text


def _labelled(rows: list[str], at: int) -> str:
    """The text below a label and in its row; a block of YAML is no longer indented."""
    found = _label(rows[at])
    rest, below = found[1] if found else "", rows[at + 1 :]
    if _BLOCK.fullmatch(rest):
        return "\n".join(row.removeprefix("  ") for row in below)
    return "\n".join((rest.lstrip(), *below))


def _own_rows(text: str) -> str:
    """The rows up to a turn that the model wrote for somebody else, without those that say that nothing is done."""
    kept: list[str] = []
    for row in text.split("\n"):
        found = _label(row)
        if found and found[0] in _OTHERS and kept:
            break
        if found and found[0] in ("action", "actions") and found[1].strip(" .*_").casefold() in _NOTHING:
            continue
        kept.append(row)
    return "\n".join(kept)


def _label(row: str, among: frozenset[str] = frozenset()) -> tuple[str, str] | None:
    """The label with which a row begins, in lower case, and the rest of the row."""
    found = _ROW.fullmatch(row)
    if found is None:
        return None
    alone = not found["rest"].strip() and (found["heading"] or found["bold"])
    label = found["label"].casefold()
    if not (found["colon"] or alone) or (among and label not in among):
        return None
    return label, found["rest"]
