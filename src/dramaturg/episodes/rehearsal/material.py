"""What a card gives the company to say: its own words and gestures, and nothing else.

Greetings, example dialogue, authored lines and quoted sayings are speech; what stands between asterisks, or outside
the quotation marks of a text that has them, is a gesture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dramaturg.characters import Card, parse_card
from dramaturg.characters.tavern.macros import SOMEBODY, MacroContext, expand_macros
from dramaturg.characters.tavern.markdown import EXAMPLE_START
from dramaturg.episodes.language import ENGLISH, code_of, language_of
from dramaturg.episodes.persona_name import told_name

LONGEST_UTTERANCE = 320
LONGEST_GESTURE = 160
SHORTEST = 2
_USER = re.compile(r"\{\{\s*user\s*\}\}|<USER>|" + SOMEBODY, re.IGNORECASE)
_USER_SPEAKS = re.compile(rf"^\s*(?:\{{\{{\s*user\s*\}}\}}|<USER>|{SOMEBODY}|you|user|anon)\s*:\s*", re.IGNORECASE)
_DEED = re.compile(r"\*{1,2}([^*]{1,2000})\*{1,2}")
_SPOKEN = re.compile(r"[\"“„«「]([^\"“”„«»「」]+)[\"”“»」]")
_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*[\"”»」)]*")
_UNSAYABLE = re.compile(r"[{}<>\[\]|#=_]|https?:|\b(?:char|user|ooc|roleplay|nsfw)\b", re.IGNORECASE)
_LINES = re.compile(
    r"\b(?:lines|says|sayings|quotes?|dialogue|speech|catchphrases?|zeilen|sätze|sprüche|zitate|répliques|phrases|"
    r"citations|frases|citas|battute|frasi|falas|zinnen|uitspraken|repliker|kwestie|powiedzenia|реплики|фразы)\b"
    r"|セリフ|台詞|台词|대사",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(
    r"\b(?:examples?|sample|beispiele?|exemples?|ejemplos?|esempi|exemplos?|voorbeelden|exempel|przykłady|примеры)\b"
    r"|会話例|示例|예시",
    re.IGNORECASE,
)
_GESTURES = re.compile(
    r"\b(?:gestures?|mannerisms?|habits|tics|gesten|eigenheiten|gestes|manies|gestos|gesti|manierismi|trejeitos|gebaren|"
    r"gester|gesty|жесты)\b|仕草|手势|몸짓",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r"\b(?:secrets?|hidden|knows?|knowledge|truth|geheimnis\w*|secretos?|segreti|keep in mind)\b", re.IGNORECASE
)
_LABEL = re.compile(r"^[^\W\d_][^:\"“«]{1,40}:\s+(?=\S)")
_INSTRUCTS = re.compile(
    r"\b(?:you must|you should|always|never|do not|don't|remember to|portray|respond|write)\b", re.IGNORECASE
)
UtteranceKind = Literal["greeting", "example", "line", "saying", "lore"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something the character can say. `cue` is what it answers to in an example, and `deed` the gesture before it."""

    text: str
    kind: UtteranceKind
    cue: str = ""
    deed: str = ""


@dataclass(frozen=True, slots=True)
class CardMaterial:
    """A card's own words and gestures, and the language they are in."""

    utterances: tuple[Utterance, ...] = ()
    gestures: tuple[str, ...] = ()
    language: str = ENGLISH


NO_MATERIAL = CardMaterial()


def material_of(card: Card, player: str = "") -> CardMaterial:
    """What a card gives to say to this player."""
    return _material(card.name, card.raw, told_name(player) if player else "")


@lru_cache(maxsize=128)
def _material(name: str, raw: str, player: str) -> CardMaterial:
    card = parse_card(name, raw)
    found = [*_greetings(card, player), *_examples(card, player), *_lines(card, player)]
    said = {one.text: one for one in reversed(found)}
    utterances = tuple(one for one in dict.fromkeys(found) if said[one.text] == one)
    deeds = [deed for text in _prose(card) for deed, _ in _passages(_addressed(text, card, player))]
    gestures = tuple(dict.fromkeys((*_own_gestures(card), *(deed for deed in deeds if deed))))
    return CardMaterial(utterances, gestures, _language(card, utterances))


def _language(card: Card, utterances: Iterable[Utterance]) -> str:
    if card.language and (code := code_of(card.language)):
        return code
    spoken = " ".join(one.text for one in utterances)
    return language_of(spoken or card.text) or language_of(card.text, ENGLISH)


def _greetings(card: Card, player: str) -> Iterator[Utterance]:
    for text in card.greetings:
        yield from _utterances(_addressed(text, card, player), "greeting")


def _examples(card: Card, player: str) -> Iterator[Utterance]:
    for section in card.sections:
        if _EXAMPLES.search(section.heading):
            for cue, reply in example_pairs(section.text, card.display_name):
                yield from _utterances(_addressed(reply, card, player), "example", _addressed(cue, card, player))


def _lines(card: Card, player: str) -> Iterator[Utterance]:
    """Authored lines in any language, and sayings quoted anywhere that is not secret."""
    for section in card.sections:
        if _HIDDEN.search(section.heading) or _EXAMPLES.search(section.heading) or _GESTURES.search(section.heading):
            continue
        authored = bool(_LINES.search(section.heading))
        for line in section.lines:
            text = _addressed(line, card, player)
            quoted = [found[1] for found in _SPOKEN.finditer(text)]
            if quoted:
                for one in quoted:
                    if authored or len(one.split()) > SHORTEST:
                        yield from _said(one, "line" if authored else "saying")
            elif authored:
                yield from _said(_LABEL.sub("", text), "line")


def example_pairs(text: str, name: str) -> Iterator[tuple[str, str]]:
    """The character's turns in example dialogue, each with what it answers to."""
    theirs = re.compile(
        rf"^\s*(?:\{{\{{\s*char\s*\}}\}}|<BOT>|{re.escape(name)}|{re.escape(name.split()[0])})\s*:\s*", re.IGNORECASE
    )
    for block in EXAMPLE_START.split(text):
        cue, reply, speaking = "", "", ""
        for line in block.splitlines():
            if found := _USER_SPEAKS.match(line):
                if reply:
                    yield cue, reply
                cue, reply, speaking = line[found.end() :], "", "user"
            elif found := theirs.match(line):
                if reply:
                    yield cue, reply
                    cue = ""
                reply, speaking = line[found.end() :], "char"
            elif speaking == "user":
                cue = f"{cue} {line}".strip()
            elif speaking == "char":
                reply = f"{reply}\n{line}".strip()
        if reply:
            yield cue, reply


def _utterances(text: str, kind: UtteranceKind, cue: str = "") -> Iterator[Utterance]:
    for deed, words in _passages(text):
        for number, said in enumerate(_portions(words, LONGEST_UTTERANCE // 2)):
            yield Utterance(said, kind, cue if number == 0 else "", deed if number == 0 else "")


def _said(text: str, kind: UtteranceKind) -> Iterator[Utterance]:
    for said in _portions(_DEED.sub(" ", text), LONGEST_UTTERANCE):
        yield Utterance(said, kind)


def _passages(text: str) -> Iterator[tuple[str, str]]:
    """A text as gestures and the words that follow each."""
    prose = bool(_SPOKEN.search(_DEED.sub(" ", text)))
    for paragraph in text.split("\n"):
        deed, place = "", 0
        parts = list((_SPOKEN if prose else _DEED).finditer(paragraph))
        for found in parts:
            between = paragraph[place : found.start()]
            if prose:
                deed = _deed(between) or deed
                yield deed, found[1]
                deed = ""
            else:
                if _sayable(between):
                    yield deed, between
                deed = _deed(found[1])
            place = found.end()
        rest = paragraph[place:]
        if prose or not _sayable(rest):
            if last := _deed(rest) or deed:
                yield last, ""
        else:
            yield deed, rest


def lore_utterances(texts: Iterable[str]) -> tuple[Utterance, ...]:
    """What a character can say of the lore it was told: statements, no directions to the actor."""
    told = (said for text in texts for said in _portions(_DEED.sub(r"\1", text), LONGEST_UTTERANCE // 2))
    return tuple(Utterance(said, "lore") for said in told if not _INSTRUCTS.search(said))


def _portions(text: str, most: int) -> Iterator[str]:
    """Words in portions of a few sentences, leaving out what nobody can say."""
    portion = ""
    for found in _SENTENCE.findall(text):
        sentence = " ".join(found.split()).strip(' *"“”')
        if not _sayable(sentence):
            continue
        if portion and len(portion) + len(sentence) > most:
            yield portion
            portion = ""
        portion = f"{portion}{'' if ord(sentence[0]) > 0x2E80 else ' '}{sentence}".strip()
    if portion:
        yield portion


def _sayable(text: str) -> bool:
    words = text.strip()
    return (
        any(mark.isalpha() for mark in words) and len(words) <= 4 * LONGEST_UTTERANCE and not _UNSAYABLE.search(words)
    )


def _deed(text: str) -> str:
    """The last sentence of narration, if it can stand as a gesture."""
    found = [" ".join(one.split()).strip(' *,;:-–—"“”') for one in _SENTENCE.findall(_DEED.sub(r"\1", text))]
    fit = [one.rstrip(".") for one in found if SHORTEST < len(one) <= LONGEST_GESTURE and _sayable(one)]
    return fit[-1] if fit and any(mark.isspace() or ord(mark) > 0x2E80 for mark in fit[-1]) else ""


def _prose(card: Card) -> Iterator[str]:
    yield from card.greetings
    for section in card.sections:
        if _EXAMPLES.search(section.heading):
            yield from (reply for _, reply in example_pairs(section.text, card.display_name))


def _own_gestures(card: Card) -> Iterator[str]:
    """Gestures that the card lists, without the feeling they belong to."""
    for section in card.sections:
        if _GESTURES.search(section.heading):
            for line in section.lines:
                text = _LABEL.sub("", line).strip(" .*")
                if _sayable(text) and len(text) <= LONGEST_GESTURE and not _SPOKEN.search(text):
                    yield f"{card.display_name} {text[0].lower()}{text[1:]}" if text[0].isalpha() else text


def _addressed(text: str, card: Card, player: str) -> str:
    """The text spoken to this player; without a name, they are not addressed by one."""
    text = _USER.sub("{{user}}", expand_macros(text, MacroContext(card.display_name, "{{user}}", seed=card.name)))
    if player:
        return text.replace("{{user}}", player)
    return re.sub(r",\s*\{\{user\}\}(?=\s*[.!?,…])|^\s*\{\{user\}\}\s*[,:]\s*", "", text)
