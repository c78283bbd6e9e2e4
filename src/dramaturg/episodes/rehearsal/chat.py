"""The company in an episode: a character answers with its card's own words, chosen by what the player said.

It cannot converse. Where the card has nothing to say, the answer tells of that, in the card's language, and invents
nothing. No sentence is said twice in a session.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import log
from typing import TYPE_CHECKING

import orjson

from dramaturg.episodes.keywords import named
from dramaturg.episodes.language import ENGLISH, tongues
from dramaturg.episodes.rehearsal.material import Utterance, lore_utterances
from dramaturg.episodes.rehearsal.portrait import Portrait, portrait_of
from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import common_words, function_words, stem, words

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
_BEATS = tuple(_SHIFT)
_SITUATIONS = {
    "establishment": ("opening",),
    "complication": ("cornered", "account", "doubting"),
    "escalation": ("pressing", "doubting", "refusing"),
    "pivot": ("revealing", "turning", "deciding"),
    "resolution": ("closing", "promising", "planning"),
}
_NOT_BEFORE = {"revealing": "escalation", "turning": "complication", "closing": "resolution", "promising": "resolution"}
"""The first beat in which a line of a situation may be said, however well it fits."""
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
    ("about_you", r"\b(?:who are you|about you(?:rself)?|your name|what are you|wer (?:bist du|sind sie)|wie heißt du"
     r"|qui (?:es-tu|êtes-vous)|qui[eé]n (?:eres|es usted)|chi sei|quem (?:és|é você)|wie ben (?:je|jij|u)"
     r"|vem är du|kim jesteś|кто (?:ты|вы))\b|誰です|どなた|你是谁|누구"),
    ("question", r"[?？]|\b(?:tell me|what|why|how|where|who|when|erzähl\w*|sag mir|parle[- ]moi|dis[- ]moi|raconte\w*"
     r"|háblame|cuéntame|dime|parlami|dimmi|raccontami|fala[- ]me|conta[- ]me|vertel\w*|opowiedz|powiedz"
     r"|расскажи\w*|скажи\w*)\b|教えて|话して|说说|告诉|말해"),
)  # fmt: skip
_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*")
_QUOTED = re.compile(r"[\"“]([^\"“”]{3,300})[\"”]")
_DEED = re.compile(r"\*[^*]{1,400}\*")
_KANA = re.compile(r"[\u3040-\u309f]+")
_NO_ECHO = re.compile(r"[<>{}\[\]\"“”„«»「」*\\/|:=_@#]")
_ECHO, LONGEST_ECHO = 4, 40
SHORTEST_TOPIC = 3
GESTURES_SHOWN = 0.6
ORDINARY = 0.4
"""How much an ordinary word counts when a line is chosen."""
PLENTY = 3
"""How many lines a card must have left to spend one on a change of subject."""


@cache
def deflections() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """What is told of a character who has nothing to say, by language and occasion."""
    raw = table(__package__, "deflections.toml")
    return {code: {name: tuple(rows) for name, rows in part.items()} for code, part in raw.items()}


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
    return [" ".join(found.split()) for found in _SENTENCE.findall(text) if found.strip(' .!?…。！？"“”*')]


def answer_text(cue: AnswerCue) -> str:
    """The character's answer, in the form that models are asked for."""
    return orjson.dumps(_Writer(cue).form()).decode()


def topics(text: str, language: str) -> tuple[str, ...]:
    """The words of a text that say what it is about, stemmed if they are English."""
    known = tongues().get(language)
    plain = known.common if known is not None else frozenset()
    found = [word for word in words(text) if word not in plain and word not in function_words()]
    if language == ENGLISH:
        return tuple(stem(word) for word in found if len(word) >= SHORTEST_TOPIC)
    return tuple(word for word in found if _tells(word))


def _weight(topic: str) -> float:
    return ORDINARY if topic in common_words() else 1.0


def _tells(word: str) -> bool:
    return not _KANA.fullmatch(word) if ord(word[0]) > 0x2E80 else len(word) >= SHORTEST_TOPIC


def _bare(sentence: str) -> str:
    return " ".join(words(sentence))


class _Writer:
    def __init__(self, cue: AnswerCue) -> None:
        self._cue, self._book, self._material = cue, cue.book, cue.book.material
        self._me = character_of(cue.book)
        self._turn = sum(one.by_player for one in cue.talk)
        self._said = next((one.text for one in reversed(cue.talk) if one.by_player), "")
        self._rng = random.Random(f"{cue.book.seed}/{cue.book.name}/{self._turn}/{cue.swipe}/{self._said}")
        self._spoken = {_bare(one) for line in cue.talk if not line.by_player for one in sentences(line.text)}
        self._reason = "There is nothing on the card for this."

    def form(self) -> dict[str, object]:
        beat, move = self._cue.beat, move_of(self._said) if self._said else "open"
        deed, dialogue = self._answer(move)
        shift = _SHIFT.get(beat, 0.0) + {"hostile": 0.15, "accuse": 0.15, "warm": -0.05, "silent": -0.05}.get(move, 0.0)
        mood = {"hostile": "cool", "warm": "warm", "flirt": "amused", "accuse": "tense"}
        return {
            "action": deed,
            "dialogue": dialogue,
            "internal": self._reason,
            "mood": "" if self._cue.care else mood.get(move, _MOODS.get(beat, "even")),
            "tension_shift": 0.0 if self._cue.care else round(shift, 2),
        }

    def _answer(self, move: str) -> tuple[str, str]:
        """What is done and what is said."""
        if self._cue.care:
            self._reason = "This is not a moment for the story."
            return self._told_of("stays") or self._told_of("quiet"), ""
        if move == "accuse":
            # Whatever the note wants, an accusation is answered.
            return self._accused()
        if told := self._told():
            self._reason = "The director's note has the line to say."
            return self._gesture(), told
        if memory := self._memory():
            self._reason = "Something they said on another day."
            return memory, self._next(move)
        if move not in ("breaker", "silent") and (found := self._fitting(move)):
            return self._deed_of(found), found.text
        if move == "about_you" and (own := self._introduction()):
            self._reason = "The card's own name and role are an answer."
            return self._gesture(), own
        if move in ("question", "about_you", "breaker"):
            # It changes the subject while it has plenty to say, and keeps its last lines for when they fit.
            plenty = len([one for one in self._fresh() if one.kind == "line"]) > PLENTY and move != "breaker"
            line = self._next(move) if plenty else ""
            occasion = "quiet" if move == "breaker" else "passed" if line else "told" if self._was_told() else "asked"
            return self._told_of(occasion), line
        if line := self._next(move):
            self._reason = "The next of the card's own lines for this beat."
            return self._gesture(), line
        return self._gesture() or self._told_of("quiet" if move == "silent" else "heard"), ""

    def _accused(self) -> tuple[str, str]:
        own = [one for one in self._fresh() if self._situation(one) in ("cornered", "account", "refusing", "revealing")]
        if own:
            self._reason = "An accusation, and a line of the card that answers it."
            return self._gesture(), own[self._cue.swipe % len(own)].text
        return self._gesture() or self._told_of("heard"), ""

    def _told(self) -> str:
        """The line that the director's note quotes, if any; a note without one only sets the pace."""
        quoted = _QUOTED.search(self._cue.note)
        line = quoted[1].strip() if quoted else ""
        return line if line and self._is_new(line) else ""

    def _memory(self) -> str:
        quoted = _QUOTED.search(self._book.memories[0]) if self._turn == 1 and self._book.memories else None
        return self._filled("recalls", memory=quoted[1].strip()) if quoted else ""

    # The card's own words.

    def _fresh(self) -> list[Utterance]:
        """What the card can still say in this beat."""
        place = _BEATS.index(self._cue.beat) if self._cue.beat in _BEATS else 0
        held = {name for name, beat in _NOT_BEFORE.items() if _BEATS.index(beat) > place}
        if move_of(self._said) == "parting":
            held.discard("closing")
        return [
            one
            for one in (*self._material.utterances, *self._stakes())
            if self._is_new(one.text) and self._situation(one) not in held
        ]

    def _stakes(self) -> Iterable[Utterance]:
        return (Utterance(line, "saying") for line in self._me.stakes_to("you", ("you",)))

    def _situation(self, one: Utterance) -> str:
        found = (name for name, lines in self._me.own.items() for line in lines if one.text.rstrip(".") in line)
        return next(found, "any")

    def _introduction(self) -> str:
        """Name and role, as the card has them."""
        who = self._book.character
        role = who.role[:1].upper() + who.role[1:]
        text = f"{who.name}. {role.rstrip('.')}." if role else f"{who.name}."
        return text if self._is_new(text) else ""

    def _was_told(self) -> bool:
        """Whether the card has already said what it has about this."""
        asked = set(topics(self._said, self._material.language)) - common_words()
        told = (one for one in self._material.utterances if not self._is_new(one.text))
        return any(asked.intersection(topics(one.text, self._material.language)) for one in told)

    def _fitting(self, move: str) -> Utterance | None:
        """What fits the player's words best, among what the card can say and the lore of this turn."""
        language = self._material.language
        asked = set(topics(self._said, language)) - set(topics(self._book.character.name, language))
        if move == "about_you":
            asked.update(topics(self._book.character.role, language))
        pool = [*self._fresh(), *(one for one in lore_utterances(self._cue.lore) if self._is_new(one.text))]
        about = [(set(topics(one.text, language)), set(topics(one.cue, language))) for one in pool]
        seen = Counter(word for text, cue in about for word in text | cue)
        weigh = {word: log(1 + len(pool) / seen[word]) * _weight(word) for word in asked if word in seen}
        scores = [
            sum(weight * (1.5 if word in cue else 1.0) for word, weight in weigh.items() if word in text | cue)
            for text, cue in about
        ]
        ranked = sorted((place for place, score in enumerate(scores) if score > 0), key=lambda at: -scores[at])
        if self._cue.swipe >= len(ranked):
            return None
        place = ranked[self._cue.swipe]
        shared = sorted(word for word in weigh if word in about[place][0] | about[place][1])
        self._reason = f"The card has something of its own about {', '.join(shared)}."
        return pool[place]

    def _next(self, move: str) -> str:
        """The next line of the card for this beat, if there is one."""
        fresh = self._fresh()
        wanted = (("closing",) if move == "parting" else ()) + _SITUATIONS.get(self._cue.beat, ())
        groups = [[one for one in fresh if self._situation(one) == name] for name in wanted]
        groups.append(
            [one for one in fresh if one.kind == "line" and self._situation(one) in ("any", "opening", "account")]
        )
        groups.append([one for one in fresh if one.kind in ("example", "saying")])
        groups.append([one for one in fresh if one.kind != "greeting"])
        groups.append([one for one in fresh if one.kind == "greeting"])
        for group in groups:
            if group:
                return group[self._cue.swipe % len(group)].text
        return ""

    def _deed_of(self, found: Utterance) -> str:
        return found.deed if found.deed and self._is_new(found.deed) else self._gesture()

    def _gesture(self) -> str:
        """One of the card's gestures that it has not made yet, or none."""
        fresh = [one for one in self._material.gestures if self._is_new(one)]
        if not fresh or self._rng.random() > GESTURES_SHOWN:
            return ""
        return self._rng.choice(fresh[:4])

    def _is_new(self, text: str) -> bool:
        return not any(self._was_said(_bare(one)) for one in sentences(text) or [text])

    def _was_said(self, sentence: str) -> bool:
        if sentence in self._spoken:
            return True
        return sentence.count(" ") >= _ECHO and any(sentence in one for one in self._spoken)

    # Where the card has nothing to say.

    def _told_of(self, occasion: str) -> str:
        echo = self._echo()
        fallbacks = ("asked", "quiet", "counting") if occasion in ("told", "passed") and echo else ("quiet", "counting")
        for name in (occasion if echo or occasion in ("quiet", "stays") else "quiet", *fallbacks):
            if found := self._filled(name, echo=echo, count=str(self._turn + 1 + self._cue.swipe)):
                return found
        return f"{self._book.character.name} … {self._turn}"

    def _filled(self, occasion: str, **parts: str) -> str:
        """A sentence for the occasion that has not been used in this session; empty if there is none left."""
        known = deflections().get(self._material.language, deflections()["other"])
        rows = known["asked"][1:2] or known["asked"] if occasion == "passed" else known[occasion]
        name = self._book.character.name
        start = (self._turn + len(name)) % len(rows)
        fresh: list[str] = []
        for row in (*rows[start:], *rows[:start]):
            text = row.replace("{name}", name)
            for key, value in parts.items():
                text = text.replace(f"{{{key}}}", value)
            if self._is_new(text):
                fresh.append(text)
        return fresh[self._cue.swipe] if self._cue.swipe < len(fresh) else ""

    def _echo(self) -> str:
        """The player's last few words, if they can be repeated; never a word that the director listens for."""
        found = sentences(self._said)
        if not found or named(self._said, self._book.watched) is not None:
            return ""
        language = self._material.language
        last = found[-1].strip(".!?…。！？¿¡,;- ")
        kept = last.split()[-_ECHO:]
        known = tongues().get(language)
        while len(kept) > 1 and known is not None and not topics(kept[0], language):
            kept = kept[1:]
        echo = " ".join(kept).strip("¿¡,;- ")
        longest = LONGEST_ECHO if " " in echo else LONGEST_ECHO // 2
        tells = set(topics(echo, language)) - (common_words() if language == ENGLISH else frozenset())
        return echo if tells and len(echo) <= longest and not _NO_ECHO.search(echo) else ""


def told_by(talk: Sequence[TalkLine], by_player: bool) -> list[str]:
    """The sentences of one side, oldest first; of the character, only what is said."""
    texts = (one.text if by_player else _DEED.sub(" ", one.text) for one in talk if one.by_player == by_player)
    found = (sentence.strip(' "“”') for text in texts for sentence in sentences(text))
    return [sentence for sentence in found if sentence]
