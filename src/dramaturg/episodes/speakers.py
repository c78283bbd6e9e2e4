"""Who of a group answers: decided by code, from what was said and the session's seed.

Whoever is addressed, asked or named answers first. Otherwise the talkative are more likely to, and so are those who
have been silent for long. The same conversation always gives the same choice.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.episodes.conversation import ChatMessage
from dramaturg.episodes.events import GroupMember
from dramaturg.episodes.state import EpisodeState
from dramaturg.kernel.errors import InvalidConfig, NotFound

MOST_ANSWERS = 3
"""How many answer one message at most, however many are addressed."""
CHIMES_IN = 0.6
"""How likely a character who talks all the time is to add something unasked."""
LEAST_WEIGHT = 0.1
SHORTEST_PART = 3
_GAP = r"[^\S\n]{0,2}"
_AND = re.compile(rf"{_GAP}(?:[,&]|,?{_GAP}\b(?:and|or|und|oder|et|ou|y|o|e|en|och|i|и)\b){_GAP}", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:[.!?…:,\n\"“„«*—–。！？「-]\s{0,2}|@"
    r"|\b(?:hey|hi|hello|oh|and|but|dear|hallo|und|salut|bonjour|et|hola|ciao|oi|hoi)\s{1,2})\Z",
    re.IGNORECASE,
)
FARTHEST_BEFORE = 16
"""How many characters before a name are looked at; more than `_BEFORE` can match."""
_AFTER = re.compile(r"\s{0,2}(?:[,:;!?.…—–\"”»*、，。！？：」-]|$)")
_ALL = re.compile(
    r"\b(?:all of you|you all|y'all|both of you|you (?:both|two|three|four|five)|everyone|everybody"
    r"|ihr (?:alle|beiden?|zwei|drei)|euch (?:allen|beiden)|vous (?:tous|toutes|deux|trois)|ustedes|vosotros"
    r"|voi (?:tutti|due|tre)|tutti voi"
    r"|vocês|jullie|ni alla|wy wszyscy|вы все)\b|みなさん|みんな|你们|大家|여러분",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(r"[?？][\"”»」*\s]*$")


@dataclass(frozen=True, slots=True)
class SpeakerChoice:
    """Who answers next, and by which rule."""

    speaker: str
    why: str
    whispered: bool = False


@dataclass(frozen=True, slots=True)
class _Hit:
    """A member's name in a text."""

    character: str
    start: int
    end: int


def next_speaker(state: EpisodeState) -> SpeakerChoice | None:
    """Who of the group answers the player's last message next; None if the answers to it are complete."""
    talk = state.conversation
    last = next((place for place in reversed(range(len(talk))) if talk[place].role == "player"), None)
    if last is None:
        return SpeakerChoice(state.cast[0].character, "opens") if not talk and not state.unable else None
    message, answers = talk[last], talk[last + 1 :]
    done = {one.speaker for one in answers} | state.unable
    if message.private:
        return None if message.private in done else SpeakerChoice(message.private, "whispered to", whispered=True)
    if message.care and answers:
        return None
    free = [one for one in state.cast if one.character not in done]
    if not free or len(answers) + len(state.unable) >= MOST_ANSWERS:
        return None
    rng = random.Random(f"{state.session.seed}/{message.id}/{message.text}/{len(answers)}")
    return (
        _called(state.cast, free, message, answers)
        or _replies(free, talk[:last], message, answers, state.cast)
        or _by_turn(state, free, (message, answers), rng)
    )


def _called(
    cast: Sequence[GroupMember], free: Sequence[GroupMember], message: ChatMessage, answers: Sequence[ChatMessage]
) -> SpeakerChoice | None:
    """Somebody whom the last answer or the player addresses."""
    waiting = {one.character for one in free}
    if answers:
        asked = [one for one in addressed(answers[-1].text, cast) if one in waiting]
        if asked:
            return SpeakerChoice(asked[0], f"asked by {answers[-1].speaker}")
    direct = [one for one in addressed(message.text, cast) if one in waiting]
    if direct:
        return SpeakerChoice(direct[0], "addressed")
    if not answers and not addressed(message.text, cast):
        named = [one for one in mentioned(message.text, cast) if one in waiting]
        if named:
            return SpeakerChoice(named[0], "mentioned")
    return None


def _replies(
    free: Sequence[GroupMember],
    before: Sequence[ChatMessage],
    message: ChatMessage,
    answers: Sequence[ChatMessage],
    cast: Sequence[GroupMember],
) -> SpeakerChoice | None:
    """Whoever had just asked the player something, if the player speaks to nobody else."""
    if answers or not before or _ALL.search(message.text) or mentioned(message.text, cast):
        return None
    asked = before[-1]
    if asked.role != "character" or asked.private or not _ENDS_ASKING.search(asked.text):
        return None
    return next((SpeakerChoice(asked.speaker, "had asked") for one in free if one.character == asked.speaker), None)


def _by_turn(
    state: EpisodeState,
    free: Sequence[GroupMember],
    round_: tuple[ChatMessage, Sequence[ChatMessage]],
    rng: random.Random,
) -> SpeakerChoice | None:
    """The draw: talkativeness and silence weigh, and after the first answer nobody has to speak."""
    message, answers = round_
    to_all = _ALL.search(message.text) is not None
    if answers and not to_all:
        named = mentioned(message.text, state.cast)
        likely = [one for one in free if one.character in named] or free
        one = _drawn(state, likely, rng)
        speaks = len(answers) < state.template.most_answers and rng.random() < CHIMES_IN * one.talkativeness
        return SpeakerChoice(one.character, "chimes in") if speaks else None
    return SpeakerChoice(_drawn(state, free, rng).character, "to all" if to_all else "turn")


def _drawn(state: EpisodeState, free: Sequence[GroupMember], rng: random.Random) -> GroupMember:
    """A member by weight; each public message since it last spoke makes it likelier."""
    said = [one.speaker for one in state.conversation if one.role == "character" and not one.private]

    def silence(character: str) -> int:
        return next((place for place, who in enumerate(reversed(said)) if who == character), len(said))

    weights = [(LEAST_WEIGHT + one.talkativeness) * (0.5 + min(silence(one.character), 6)) for one in free]
    return rng.choices(free, weights)[0]


# Names.


def addressed(text: str, cast: Sequence[GroupMember]) -> tuple[str, ...]:
    """Whom a text speaks to, in its order: names set off by punctuation, alone or in a row, or after an @."""
    text = text.lower()  # as the names are looked for: the lower case of a letter may be two
    found: list[str] = []
    for row in _rows(text, _hits(text, _names(tuple(cast)))):
        ends = [place for place, hit in enumerate(row) if _AFTER.match(text, hit.end)]
        if ends and _is_set_off(text, row[0].start):
            found += [hit.character for hit in row[: ends[-1] + 1]]
        elif len(row) == 2 and ends == [0, 1]:
            found.append(row[1].character)  # "What do you think of Bo, Ada?"
        found += [hit.character for hit in row if text.endswith("@", 0, hit.start)]
    return tuple(dict.fromkeys(found))


def _is_set_off(text: str, start: int) -> bool:
    """Whether a name that begins there can be spoken to, by what precedes it."""
    return start == 0 or _BEFORE.search(text[max(0, start - FARTHEST_BEFORE) : start]) is not None


def _rows(text: str, hits: Sequence[_Hit]) -> list[list[_Hit]]:
    """Names that follow each other with nothing but a comma or an "and" between them."""
    rows: list[list[_Hit]] = []
    for hit in hits:
        if rows and _AND.fullmatch(text[rows[-1][-1].end : hit.start]):
            rows[-1].append(hit)
        else:
            rows.append([hit])
    return rows


def mentioned(text: str, cast: Sequence[GroupMember]) -> tuple[str, ...]:
    """Whose names are in a text, in its order."""
    return tuple(dict.fromkeys(hit.character for hit in _hits(text.lower(), _names(tuple(cast)))))


def member_called(name: str, cast: Sequence[GroupMember]) -> GroupMember:
    """The member with this name, in any of its forms. Raises NotFound, or InvalidConfig if there is no group."""
    if not cast:
        raise InvalidConfig("There is nobody else here, so nothing needs to be whispered. Leave the name out.")
    wanted = " ".join(name.lower().split())
    found = next((character for known, character in _names(tuple(cast)) if known == wanted), None)
    if found is None:
        known = ", ".join(one.display_name for one in cast)
        raise NotFound(f"There is no '{name[:80]}' in this group (here: {known}).", name=name[:80])
    return next(one for one in cast if one.character == found)


def split_whisper(text: str, cast: Sequence[GroupMember]) -> tuple[GroupMember, str]:
    """The name at the beginning of a text, and the words after it. Raises NotFound."""
    for known, character in _names(tuple(cast)):
        rest = text[len(known) :]
        if text[: len(known)].lower() == known and (not rest or not rest[0].isalnum()):
            return next(one for one in cast if one.character == character), rest.lstrip(" ,:").strip()
    return member_called(text.split()[0] if text.split() else "", cast), ""


@lru_cache(maxsize=256)
def _names(cast: tuple[GroupMember, ...]) -> tuple[tuple[str, str], ...]:
    """Every name by which a member may be called, longest first; a part of a name only if no one else has it."""
    whole = {name: one.character for one in cast for name in _forms(one)}
    parts: dict[str, set[str]] = {}
    for one in cast:
        for part in one.display_name.lower().split():
            parts.setdefault(part.strip(".,"), set()).add(one.character)
    for part, owners in parts.items():
        if len(part) >= SHORTEST_PART and len(owners) == 1 and part not in _TITLES:
            whole.setdefault(part, next(iter(owners)))
    return tuple(sorted(whole.items(), key=lambda pair: -len(pair[0])))


_TITLES = frozenset(
    "the old mrs mister miss lady lord sir captain doctor father mother brother sister von van der".split()
)


def _forms(one: GroupMember) -> Iterable[str]:
    yield one.character.lower()
    yield re.sub(r"[-_]+", " ", one.character.lower())
    yield " ".join(one.display_name.lower().split())


def _hits(text: str, names: Sequence[tuple[str, str]]) -> list[_Hit]:
    """The names in a text in lower case, none inside another."""
    found: list[_Hit] = []
    taken = bytearray(len(text))
    for name, character in names:
        for match in re.finditer(_pattern(name), text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"\1" * len(match[0])
                found.append(_Hit(character, match.start(), match.end()))
    return sorted(found, key=lambda hit: hit.start)


def _pattern(name: str) -> str:
    """Whole words; in scripts without spaces, the name wherever it stands."""
    spaced = all(ord(mark) < 0x2E80 for mark in name)
    return rf"(?<!\w){re.escape(name)}(?!\w)" if spaced else re.escape(name)
