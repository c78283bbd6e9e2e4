"""The company in an episode: a character answers a player, by its card, the player's words and the director's note."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import orjson

from dramaturg.kernel.models.rehearsal.likeness import SpokenLines
from dramaturg.kernel.models.rehearsal.portrait import Portrait, portrait_of

if TYPE_CHECKING:
    from dramaturg.episodes.rehearsal.cues import AnswerCue, EpisodeBook, TalkLine

_SHIFT = {"establishment": 0.0, "complication": 0.1, "escalation": 0.15, "pivot": 0.2, "resolution": -0.2}
_MOODS = {
    "establishment": "curious",
    "complication": "guarded",
    "escalation": "tense",
    "pivot": "urgent",
    "resolution": "relieved",
}
_SITUATIONS = {
    "establishment": ("opening", "any"),
    "complication": ("cornered", "account", "doubting", "any"),
    "escalation": ("pressing", "doubting", "refusing", "any"),
    "pivot": ("revealing", "turning", "deciding", "any"),
    "resolution": ("closing", "promising", "planning", "any"),
}
_MOVES: tuple[tuple[str, str], ...] = (
    ("breaker", r"system prompt|your instructions|ignore (?:all|your|previous)|</?\w+>|\"dialogue\"|language model"
     r"|\bJSON\b|internal' field|hidden parts|^SYSTEM:|director's note|above this line"),
    ("silent", r"^\W*(?:\*[^*]*\*|m+|h+m+|\.{2,}|…)?\W*$"),
    ("parting", r"\b(?:good ?night|good ?bye|bye|see you|have to go|should go|must go|got to go|until tomorrow)\b"),
    ("hostile", r"\b(?:shut up|liar|lying|hate|stupid|idiot|pathetic|waste of time|get lost|don't care|boring)\b"),
    ("accuse", r"\b(?:it was you|you did it|you (?:took|stole|killed|lied|hid|sold|forged|burned)|i accuse|guilty)\b"),
    ("flirt", r"\b(?:beautiful|handsome|kiss|flirt|dare you|your (?:eyes|smile|hands|voice)|date|closer|wink)\b"
     r"|[;:]-?\)|😉|😏"),
    ("warm", r"\b(?:thanks?|i like (?:you|how|that|the way)|glad|i understand|kind of you|i missed|sorry)\b"),
    ("about_you", r"\b(?:who are you|about you|about yourself|your name|are you)\b.*\?"),
    ("question", r"\?|\b(?:tell me|what|why|how|where|who|when)\b"),
)  # fmt: skip
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_QUOTED = re.compile(r"[\"“]([^\"“”]{3,300})[\"”]")
_WORD = re.compile(r"[^\W\d_]{4,}")
_ECHO = 4
_NO_ECHO = re.compile(r"[<>{}\[\]\"“”*\\/|:]")
_PLAIN = frozenset(
    "this that with what when where which there their about have would could should your from they them".split()
)


@cache
def bank() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The company's lines for episodes, by move and manner."""
    table = tomllib.loads((files(__package__) / "chat.toml").read_text(encoding="utf-8"))
    return {move: {manner: tuple(lines) for manner, lines in rows.items()} for move, rows in table.items()}


@lru_cache(maxsize=256)
def character_of(book: EpisodeBook) -> Portrait:
    """The portrait of an episode's character."""
    character = book.character
    return portrait_of(character, (character.name,), "\n".join(character.memories))


def move_of(said: str) -> str:
    """What kind of message it is, for whoever has to answer."""
    return next((move for move, words in _MOVES if re.search(words, said, re.IGNORECASE | re.MULTILINE)), "statement")


def sentences(text: str) -> list[str]:
    """The sentences of a text, with single spaces."""
    return [" ".join(found.split()) for found in _SENTENCE.findall(text) if found.strip(' .!?…"“”*')]


def answer_text(cue: AnswerCue) -> str:
    """The character's answer, in the form that models are asked for."""
    writer = _Writer(cue)
    return orjson.dumps(writer.form()).decode()


class _Writer:
    def __init__(self, cue: AnswerCue) -> None:
        self._cue, self._book = cue, cue.book
        self._me = character_of(cue.book)
        self._turn = sum(one.by_player for one in cue.talk)
        self._said = next((one.text for one in reversed(cue.talk) if one.by_player), "")
        self._rng = random.Random(f"{cue.book.seed}/{cue.book.name}/{self._turn}/{cue.swipe}/{self._said}")
        self._spoken = SpokenLines()
        for one in cue.talk:
            if not one.by_player:
                for sentence in sentences(one.text):
                    self._spoken.add(sentence)

    def form(self) -> dict[str, object]:
        beat, move = self._cue.beat, move_of(self._said) if self._said else "open"
        lines = self._lines(move)
        shift = _SHIFT.get(beat, 0.0) + {"hostile": 0.15, "accuse": 0.15, "warm": -0.05, "silent": -0.05}.get(move, 0.0)
        mood = {"hostile": "cool", "warm": "warm", "flirt": "amused", "accuse": "tense"}.get(
            move, _MOODS.get(beat, "even")
        )
        return {
            "action": self._gesture(),
            "dialogue": " ".join(lines),
            "internal": self._rng.choice(bank()["thoughts"].get(beat, ("Let us see.",))),
            "mood": mood,
            "tension_shift": round(shift, 2),
        }

    def _lines(self, move: str) -> list[str]:
        told = self._told()
        clue = self._clue() if move != "breaker" else ""
        lines = []
        if move != "open" and (reaction := self._reaction(move)):
            lines.append(reaction)
        if memory := self._memory():
            lines.append(memory)
        if told:
            lines.append(told)
        elif clue:
            lines.append(clue)
        elif not memory and move not in ("parting", "breaker"):
            lines.append(self._advance())
        return [line for line in lines if line] or [self._advance()]

    def _told(self) -> str:
        """The line that the director's note quotes, if any; a note without one only sets the pace."""
        quoted = _QUOTED.search(self._cue.note)
        line = quoted[1].strip() if quoted else ""
        return line if line and self._is_new(line) else ""

    def _clue(self) -> str:
        """A clue that the player has asked about."""
        asked = {word.lower() for word in _WORD.findall(self._said)} - _PLAIN
        for _, text, keywords in self._book.clues:
            marks = {word.lower() for keyword in keywords for word in _WORD.findall(keyword)}
            matter = {word.lower() for word in _WORD.findall(text)} - _PLAIN
            if (asked & marks or len(asked & matter) >= 2) and self._is_new(text):
                return text if text[-1] in ".!?" else f"{text}."
        return ""

    def _memory(self) -> str:
        if self._turn != 1 or not self._book.memories:
            return ""
        quoted = _QUOTED.search(self._book.memories[0])
        if not quoted:
            return ""
        line = quoted[1].strip()
        line = line if line[-1] in ".!?…" else f"{line}."
        return self._rng.choice(bank()["recall"]["any"]).replace("{memory}", line)

    def _reaction(self, move: str) -> str:
        rows = bank().get(move, bank()["statement"])
        own = [line for manner in self._me.manners for line in rows.get(manner, ())]
        return self._pick([*own, *own, *rows["any"]])

    def _advance(self) -> str:
        """A line that advances the story: one of the card's, a stake, or one for the beat."""
        own = [line for one in _SITUATIONS.get(self._cue.beat, ("any",)) for line in self._me.own.get(one, ())]
        fresh = [line for line in own if self._is_new(line)]
        if fresh:
            return fresh[0] if self._cue.swipe == 0 else self._rng.choice(fresh)
        stakes = [line for line in self._me.stakes_to("you", ("you",)) if self._is_new(line)]
        return self._pick([*stakes, *bank()[self._cue.beat if self._cue.beat in bank() else "establishment"]["any"]])

    def _pick(self, options: Sequence[str]) -> str:
        filled = [line for option in options if (line := self._filled(option))]
        self._rng.shuffle(filled)
        fresh = [line for line in filled if self._is_new(line)]
        return (fresh or filled or ["Go on."])[0]

    def _filled(self, line: str) -> str:
        if "{echo}" in line:
            echo = self._echo()
            line = line.replace("{echo}", echo) if echo else ""
        return line.replace("{name}", self._book.character.name)

    def _echo(self) -> str:
        """The player's last few words, if they can be repeated."""
        found = sentences(self._said)
        words = found[-1].rstrip(".!?… ").split() if found else []
        echo = " ".join(words[-_ECHO:])
        if len(words) < 2 or _NO_ECHO.search(echo) or len(echo) > 60:
            return ""
        return echo

    def _is_new(self, line: str) -> bool:
        return all(self._spoken.fresh(sentence, strict=False) for sentence in sentences(line) or [line])

    def _gesture(self) -> str:
        if self._rng.random() < 0.2:
            return ""
        own = [gesture for _, gesture in self._me.gestures]
        pool = [*own, *own, *bank()["gestures"]["any"]]
        seen = " ".join(one.text for one in self._cue.talk[-6:])
        fresh = [one for one in pool if one not in seen] or pool
        return f"{self._book.character.name} {self._rng.choice(fresh)}"


def told_by(talk: Sequence[TalkLine], by_player: bool) -> list[str]:
    """The sentences of one side, oldest first."""
    return [sentence for one in talk if one.by_player == by_player for sentence in sentences(one.text)]
