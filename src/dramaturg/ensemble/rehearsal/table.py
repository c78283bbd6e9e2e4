"""The company at an ensemble's table: eight tempers that answer, comment on each other and reply.

A line is a pure function of the cue: the seats, the question, the answers heard, and the seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import orjson

from dramaturg.ensemble.rehearsal.abroad import lines_abroad
from dramaturg.ensemble.rehearsal.questions import TableQuestion, read_question
from dramaturg.kernel.models.rehearsal.sheet import load_sheet

if TYPE_CHECKING:
    from dramaturg.ensemble.rehearsal.cues import Remark, TableCue, TableSeat

TEMPERS = ("keeper", "grower", "pilot", "asker", "doubter", "teller", "maker", "listener")
_SLOT = re.compile(r"\{(\w+)\}")
_START = re.compile(r"(^[“„]?|[.!?]\s+)([a-zäöü])")
_WITH_TAIL = frozenset(("define", "advise", "how", "why", "believe", "choose", "open"))
_GRAVE = frozenset(("grave", "ernst"))
_GENTLE = _GRAVE | {"feeling", "trauer", "trouble"}
_GERMAN = frozenset(("deutsch", "befinden", "gruss", "ernst", "nachsehen", "trauer", "aufgabe", "froh"))
# Headings with one line for each temper.
_SHARED = (
    "deutsch ", "grave ", "ernst ", "insult ", "order ", "task ", "nachsehen ", "trauer ", "aufgabe ", "froh ",
    "trouble ", "yours ", "plain ", "gentle ",
)  # fmt: skip
_MARKS = ".!?…,;:—–。、！？؟،؛"
_TAIL_OFTEN = 0.4
_FEWEST, _MOST = 3, 9
_LONGEST_ANSWER = 380
_LONGEST_PERSONA = 140
_TIES = re.compile(
    r"^(?:and|but|or|because|so|then|only|though|und|aber|oder|nur|also|y|o|pero|porque|et|ou|mais|car|و|أو|لكن)\s+",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:which|who|that|if|when|in|of|with|as|until|unless|by|to|from|not|had|merely|right|though|"
    r"dass|das|die|der|mit|als|wäre|einmal|[Ww]as|[Ww]er|[Ww]enn|[Ww]eil|ob|[Ww]ie|um|[Qq]ue|[Qq]ui|quand|si|cuando|para"
    r"|pour|sans)\s"
)


def table_bank() -> Mapping[str, tuple[str, ...]]:
    """The lines of the table, by heading."""
    return load_sheet(__package__, "table.txt")


def table_text(cue: TableCue) -> str:
    """The line of `cue.me`, in the JSON of its turn."""
    question = read_question(cue.question)
    temper = tempers(cue.cast)[cue.me]
    rng = random.Random(f"{cue.seed}/{cue.question}/{cue.turn}/{cue.me}")
    speaker = _Speaker(cue, question, temper, rng)
    if cue.turn == 1:
        return _json({"text": speaker.answer(), "voice_profile": cue.profile})
    if cue.turn == 2:
        target, comment = speaker.comment()
        return _json({"targetSlotId": target, "comment": comment, "voice_profile": cue.profile})
    return _json({"text": speaker.reply(), "voice_profile": cue.profile})


@lru_cache(maxsize=64)
def tempers(cast: tuple[TableSeat, ...]) -> Mapping[int, str]:
    """A different temper for each seat, as its persona suggests; if two suggest the same, the clearer case gets it."""
    scores = {(seat.slot, temper): _score(f"{seat.name} {seat.persona}", temper) for seat in cast for temper in TEMPERS}
    given: dict[int, str] = {}
    for slot, temper in sorted(scores, key=lambda pair: (-scores[pair], pair[0], _from(pair))):
        if slot not in given and temper not in given.values():
            given[slot] = temper
    return given


def _from(pair: tuple[int, str]) -> int:
    """Seats whose personas suggest nothing take tempers in seat order."""
    slot, temper = pair
    return (TEMPERS.index(temper) - slot + 1) % len(TEMPERS)


def _score(persona: str, temper: str) -> int:
    rows = [row.split() for row in table_bank()["tempers"]]
    telling = next(frozenset(row[1:]) for row in rows if row[0] == temper)
    return sum(word in telling for word in re.findall(r"[a-z]+", persona.casefold()))


class _Speaker:
    def __init__(self, cue: TableCue, question: TableQuestion, temper: str, rng: random.Random) -> None:
        self._cue, self._question, self._temper, self._rng = cue, question, temper, rng
        self._german = question.kind in _GERMAN

    def answer(self) -> str:
        values = _values(self._question) | self._own()
        if self._question.language:
            return self._abroad(self._question.kind, values)
        if f"{self._question.kind} answer" in table_bank():
            if text := self._said(f"{self._question.kind} answer", values):
                return text
            return self._said(f"{self._temper} fact", values)
        text = self._said(f"{self._temper} {self._question.kind}", values) or self._said(f"{self._temper} open", values)
        if self._question.kind in _WITH_TAIL and self._rng.random() < _TAIL_OFTEN:
            tail = self._said(f"{self._temper} tail", {})
            if tail and len(text) + len(tail) < _LONGEST_ANSWER and not text.endswith("?"):
                text = f"{text} {tail}"
        return text or self._said(f"{self._temper} noise", {})

    def comment(self) -> tuple[int, str]:
        heard = sorted(self._cue.heard, key=lambda remark: remark.slot)
        target = self._rng.choice(heard)
        values = {"name": target.name, "quote": self._quote(target.text)}
        if self._question.language:
            heading = "grief comment" if self._question.kind in ("grief", "grave") else "comment"
            return target.slot, self._abroad(heading, values)
        return target.slot, self._said(self._heading("comment"), values)

    def reply(self) -> str:
        heard = self._cue.heard
        if not heard:
            return self._said(f"{self._temper} closing", {})
        first = self._rng.choice(heard)
        others = [remark for remark in heard if remark.slot != first.slot]
        if self._question.language:
            kind = self._question.kind
            return self._abroad(f"{kind} reply" if kind in ("grief", "grave") else "reply", {"name": first.name})
        values = {"name": first.name, "quote": self._taken_up(first)}
        if others and not self._german and self._question.kind not in _GENTLE:
            said = self._said(f"{self._temper} replies", {**values, "name2": self._rng.choice(others).name})
        else:
            said = self._said(self._heading("reply"), values)
        plain = "deutsch plain" if self._german else "gentle plain" if self._question.kind in _GENTLE else "plain reply"
        return said or self._said(plain, values)

    def _heading(self, occasion: str) -> str:
        kind = self._question.kind
        if kind in _GRAVE or kind == "trauer":
            return f"{kind} {occasion}"
        if self._german:
            return f"deutsch {occasion}"
        # No jokes at the expense of somebody in grief.
        return f"{self._temper} gentle {occasion}" if kind in ("feeling", "trouble") else f"{self._temper} {occasion}"

    def _abroad(self, heading: str, values: Mapping[str, str]) -> str:
        """The temper's line in the language of the question."""
        lines = lines_abroad(self._question.language, heading)
        return _filled(lines[TEMPERS.index(self._temper) % len(lines)], values)

    def _own(self) -> dict[str, str]:
        seat = next(seat for seat in self._cue.cast if seat.slot == self._cue.me)
        plain = " ".join(seat.persona.split()).rstrip(". ")
        short = 0 < len(plain) <= _LONGEST_PERSONA and "#" not in plain and ". " not in plain
        return {"me": seat.name, "persona": f"{plain[:1].lower()}{plain[1:]}" if short else ""}

    def _said(self, heading: str, values: Mapping[str, str]) -> str:
        """A line under a heading with all slots filled, and none that was said at this table before."""
        lines = table_bank()[heading]
        if heading.startswith(_SHARED):
            lines = (lines[TEMPERS.index(self._temper)],)
        filled = [_filled(line, values) for line in self._rng.sample(lines, len(lines))]
        whole = [line for line in filled if line]
        before = " ".join(self._cue.said)
        fresh = [line for line in whole if line[:40] not in before]
        return (fresh or whole or [""])[0]

    def _quote(self, text: str) -> str:
        """A clause of an answer, verbatim and whole."""
        own = _clauses(_unquoted(text)) or _clauses(text) or [text]
        return self._one_of(own) or _lowered(min(own, key=_unfit))

    def _taken_up(self, remark: Remark) -> str:
        """The commenter's own words to answer; empty if a comment has none that stand by themselves.

        What a comment quotes is the speaker's own, and is never given back as the commenter's.
        """
        told = re.sub(r"[^.!?]{0,400}\?", "", _unquoted(remark.text))  # a question is no point to grant
        own = [clause for clause in _clauses(told) if clause.casefold() not in self._cue.own.casefold()]
        standing = [clause for clause in own if clause != remark.name and not _LEANING.match(clause)]
        return self._one_of(standing)

    def _one_of(self, clauses: Sequence[str]) -> str:
        """A clause of suitable length; a dependent clause only if there is nothing better."""
        fitting = [clause for clause in clauses if _FEWEST <= len(clause.split()) <= _MOST]
        standing = [clause for clause in fitting if not _LEANING.match(clause) and len(clause.split()) > _FEWEST]
        return _lowered(self._rng.choice(standing or fitting)) if fitting else ""


def _unfit(clause: str) -> tuple[int, int]:
    """How far a clause is from the length of a quote: in words, or where words are not told apart, in letters."""
    words = len(clause.split())
    return (max(_FEWEST - words, words - _MOST, 0), -len(clause)) if words > 1 else (1, -len(clause))


def _unquoted(text: str) -> str:
    """A text without clauses that quote somebody."""
    marked = re.sub(r"[“„][^”“„]*[”“]|«[^«»]*»|「[^「」]*」", "\0", text)
    return "".join("|" if "\0" in clause else clause for clause in re.split(rf"([{_MARKS}]+)", marked))


def _clauses(text: str) -> list[str]:
    """The clauses between punctuation marks, without their leading conjunctions."""
    found = (clause.strip(" '’|¿¡") for clause in re.split(rf"[“„”«»「」\"|{_MARKS}]+", text))
    return [clause for clause in (_TIES.sub("", clause) for clause in found) if clause]


def _values(question: TableQuestion) -> dict[str, str]:
    told = {name: getattr(question, name) for name in ("topic", "do", "doing", "a", "b", "word", "asked", "result")}
    return told | {
        "it": "them" if question.plural else "it",
        "they": "they" if question.plural else "it",
        "is": "are" if question.plural else "is",
    }


def _filled(line: str, values: Mapping[str, str]) -> str:
    """The line with every slot filled; empty if one cannot be filled."""
    known = {**values, **{name[:1].upper() + name[1:]: _raised(value) for name, value in values.items()}}
    if any(not known.get(slot) for slot in _SLOT.findall(line)):
        return ""
    return _SLOT.sub(lambda found: known[found[1]], line)


def _raised(text: str) -> str:
    return re.sub(r"[^\W\d_]", lambda found: found[0].upper(), text, count=1)


def _lowered(text: str) -> str:
    """A sentence's first clause as it reads inside another; names and `I` keep their capital."""
    first = text.split()[0] if text else ""
    if (
        first in ("I", "I'm", "I've")
        or first.startswith(("I ", "I'"))
        or not first[:1].isupper()
        or first[1:2].isupper()
    ):
        return text
    return text[:1].lower() + text[1:] if first.casefold() in _OPENERS else text


_OPENERS = frozenset(
    "the a an to it if you we they there that this what when where who how some most my our your in on at with before "
    "after not nobody everybody somebody nothing something start begin take put write ask find go make measure leave "
    "two three first second both each every any and but or so then better because".split()
)


def _json(value: Mapping[str, object]) -> str:
    return orjson.dumps(value).decode()
