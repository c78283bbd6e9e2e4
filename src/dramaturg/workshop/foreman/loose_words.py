"""What a model says outside of its message: announcements, labels, talk about the answer, turns of others.

Only loose words are judged. What stands in `<message>` is shown while it comes, so it stays as it is.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from dramaturg.model_notes.closings import is_closing
from dramaturg.model_notes.labels import is_thought_label
from dramaturg.model_notes.notes import without_talk
from dramaturg.model_notes.preambles import without_preamble
from dramaturg.model_notes.sections import label_of

MOST_PARAGRAPHS = 12
LEAST_SIGNS = 2
LOOK = 400
LONGEST_ROW = 80
"""How much of a row shows with which label it begins."""
_ANSWERS = frozenset(
    "message|response|reply|answer|final answer|final response|foreman|assistant|antwort|nachricht|réponse|respuesta|"
    "risposta|resposta|antwoord".split("|")
)
_OTHERS = frozenset("user|human|writer|nutzer|utilisateur|usuario".split("|"))
_OTHERS_HEADED = frozenset(("instruction", "system", "tool"))
"""Who has a turn below a heading, as in `### Instruction:`."""
_ACTIONS = frozenset(("action", "actions"))
_BARE = frozenset(("user", "human", "system", "tool"))
"""What is left of a mark without its tokens, alone in a row."""
_MAY_BE_SAID = frozenset(("analysis", "character analysis", "reflection", "reflections", "subtext", "tension shift"))
"""Labels of thoughts that a Foreman may well put before what it says."""
_NOTHING = frozenset(("", "none", "n/a", "no action", "keine", "aucune"))
_BLOCK = re.compile(r"[ \t]{0,3}[|>][+-]?[ \t]{0,3}")
_STEP = re.compile(r"[ \t]{0,3}(?:\d{1,2}[.)]|[-*])[ \t]")
_JSON = re.compile(r"(?:\{\s{0,9}\"|\[\s{0,9}\{)|```json|```[ \t]{0,9}\Z")
_WORD = re.compile(r"\w")
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


def begins_others_turn(row: str) -> bool:
    """Whether a row begins somebody else's turn."""
    return _is_others(row, label_of(row), below_answer=False)


def _is_others(row: str, found: tuple[str, str] | None, *, below_answer: bool) -> bool:
    """The same by the label that was found; below an answer the bare name begins a turn too."""
    if found is None:
        return below_answer and row.strip().casefold() in _BARE
    return found[0] in _OTHERS or (found[0] in _OTHERS_HEADED and row.lstrip(" \t").startswith("#"))


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
    first = label_of(rows[at]) if at < len(rows) else None
    if first is None:
        return text
    if first[0] in _ANSWERS:
        return _labelled(rows, at)
    if not is_thought_label(first[0]):
        return text
    answer = next((place for place in range(at + 1, len(rows)) if label_of(rows[place], _ANSWERS)), None)
    if answer is not None:
        return _labelled(rows, answer)
    json = next((place for place in range(at + 1, len(rows)) if _JSON.match(rows[place])), None)
    if json is not None and not rows[json - 1].strip():
        return "\n".join(rows[json:])
    return "" if acted else text


def _labelled(rows: list[str], at: int) -> str:
    """The text below a label and in its row; a block of YAML is no longer indented."""
    found = label_of(rows[at])
    rest, below = found[1] if found else "", rows[at + 1 :]
    if _BLOCK.fullmatch(rest):
        return "\n".join(row.removeprefix("  ") for row in below)
    return "\n".join((rest.lstrip(), *below))


def _own_rows(text: str) -> str:
    """The rows up to a turn that the model wrote for somebody else, without those that say that nothing is done."""
    kept: list[str] = []
    for row in text.split("\n"):
        found = label_of(row)
        if found and found[0] in _OTHERS and kept:
            break
        if found and found[0] in _ACTIONS and found[1].strip(" .*_").casefold() in _NOTHING:
            continue
        kept.append(row)
    return "\n".join(kept)


class Whose(Enum):
    """Whose words the rows outside a message are."""

    OWN = "own"
    THOUGHT = "thought"
    OTHERS = "others"
    NOBODYS = "nobody's"
    """The answer is over: somebody else's turn has begun."""


class LooseRows:
    """Follows the rows outside the messages of an answer: where thoughts are labelled, and where others have a turn.

    A turn of others below an answer ends it. Above the message, where a model may only think of the writer, its words
    are left out up to there, unless an own turn follows it: then the answer ended with that turn.
    """

    def __init__(self) -> None:
        self.whose = Whose.OWN
        self.calls = False
        """Whether a row of the last words names an action, as `Action: save_decision` does."""
        self._row, self._judged = "", 0
        self._has_words = self._has_answered = False

    def hear(self, text: str) -> int:
        """Takes the words up to the next tag; returns where in them begins what is no part of the answer, if it does.

        That is somebody else's turn, or, below the message, a thought.
        """
        at, cut, self.calls = 0, len(text), False
        for place, piece in enumerate(text.split("\n")):
            if place:
                self._end_row()
            begins = max(at - len(self._row), 0)
            self.collect(piece)
            self.judge()
            if self.whose is Whose.NOBODYS or (self.whose is Whose.THOUGHT and self._has_answered):
                cut = min(cut, begins)
            if self.whose is Whose.NOBODYS:
                break
            at += len(piece) + 1
        return cut

    def collect(self, piece: str) -> None:
        """Takes a piece of a row, which is judged when a tag or another row begins."""
        if piece == "\n":
            self.judge()
            self._end_row()
        elif len(self._row) < LONGEST_ROW:
            self._row += piece[: LONGEST_ROW - len(self._row)]

    def judge(self) -> None:
        """Judges the row so far: another or a tag begins."""
        if len(self._row) == self._judged or self.whose is Whose.NOBODYS:
            return
        self._judged = len(self._row)
        found = label_of(self._row)
        if _is_others(self._row, found, below_answer=self._has_answered):
            if self._has_answered:
                self.whose = Whose.NOBODYS
            elif self._has_words:
                self.whose = Whose.OTHERS
        elif found is not None:
            self._meet_label(found[0])

    def _meet_label(self, label: str) -> None:
        if label in _ANSWERS:
            self.whose = Whose.NOBODYS if self.whose is Whose.OTHERS else Whose.OWN
        elif self.whose is not Whose.OTHERS and label in _ACTIONS:
            self.whose, self.calls = Whose.OWN, True
        elif self.whose is Whose.OWN and is_thought_label(label) and label not in _MAY_BE_SAID:
            self.whose = Whose.THOUGHT

    def begin_message(self) -> None:
        self._clear()
        if self.whose in (Whose.THOUGHT, Whose.OTHERS):
            self.whose = Whose.OWN

    def end_element(self) -> None:
        """A message or something to be done has ended."""
        self._clear()
        self._has_answered = self._has_answered or self.whose is Whose.OWN

    def _end_row(self) -> None:
        self._has_words = self._has_words or bool(_WORD.search(self._row))
        self._clear()

    def _clear(self) -> None:
        self._row, self._judged = "", 0
