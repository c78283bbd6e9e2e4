"""Whether a clause names a deed without its speaker doing it.

"I'd have returned the ring", "I nearly signed", "You signed it", "They say I sold it", "I'll pay you next week" and
"I sign as soon as you leave" have all the words of the deed. Read is a clause of a line, with the clauses beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from dramaturg.scenes.director.deed import Deed, alike
from dramaturg.scenes.director.tables import begins, lexicon, meets, row_set

SUPPOSED = "the words only suppose what the sub-goal asks for"
REGRETTED = "the words only say that it should have been done"
TRIED = "the words only say that it was tried, wanted or nearly done"
REPORTED = "the words only tell what others say or want"
ANOTHER = "the words say it of somebody else"
LATER = "the words only announce what the sub-goal asks for"
CONDITIONAL = "the words make it depend on something else"

_ROMANCE_FUTURE = re.compile(r"\w{2,}r(?:é|emos|ai|ons|ò|emo|ei)$")
_POLISH_WOULD = re.compile(r"\w{2,}[lł][aoiy]?by(?:m|ś|śmy|ście)?$")
_NEAR = 3


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a clause and of those beside it, and where the deed is named: its verb, and what counts as it."""

    said: Sequence[str]
    before: Sequence[str]
    after: Sequence[str]
    verbs: Sequence[int]
    own: Sequence[int]


def why_unreal(words: Words, deed: Deed) -> str:
    """Why the clause only names the deed; empty if it does it, or if it is another matter."""
    if not words.own:
        return ""
    if _should_have(words, deed):
        return REGRETTED
    if _would_have(words):
        return SUPPOSED
    if _is_tried(words, deed):
        return TRIED
    if _is_reported(words, deed):
        return REPORTED
    if deed.by_one and _is_of_another(words, deed):
        return ANOTHER
    return "" if deed.may_ask else _put_off(words, deed)


def _should_have(words: Words, deed: Deed) -> bool:
    return not row_set("unreal", "should_have") & deed.said and _matches("should_have", words.said)


def _would_have(words: Words) -> bool:
    if any(_POLISH_WOULD.match(words.said[place]) for place in words.verbs):
        return True
    return _matches("would_have", words.said) and not meets(words.said, _row("would_have_now"))


def _is_tried(words: Words, deed: Deed) -> bool:
    led = led_to(words.before, words.said, words.own[0])
    if row_set("denial", "before") & set(led):
        return False
    if meets(led[-5:], _unasked("tried", deed)) or meets(words.said, _unasked("nearly", deed)):
        return True
    if not words.verbs or deed.said & row_set("unreal", "by_wanting"):
        return False
    return meets(words.said[: words.verbs[0]][-6:], _unasked("wanted", deed))


def _unasked(row: str, deed: Deed) -> Sequence[str]:
    """The phrases of a row, but for those that the goal itself has: "admits that she tried to flee"."""
    return [phrase for phrase in _row(row) if not set(phrase.split()) & deed.said or len(phrase) < _NEAR]


def _is_reported(words: Words, deed: Deed) -> bool:
    led = words.said[: words.own[0]]
    if meets(words.said, _row("hearsay")) or begins(words.before, _row("according_to")):
        return True
    if any(_is_said_by_another(led, spot) for spot in range(len(led))):
        return True
    if words.verbs and meets(led, _row("want_so")):
        return True
    opens = bool(words.said) and words.said[0] in row_set("denial", "barrier")
    told = [spot for spot in range(len(words.before)) if _is_said_by_another(words.before, spot)]
    ends = bool(told) and told[-1] == len(words.before) - 1 and words.said[0] not in row_set("denial", "contrast")
    if told and (opens or ends):
        return True
    return opens and bool(words.verbs) and meets([*words.before, words.said[0]], _row("want_so"))


def _is_said_by_another(said: Sequence[str], spot: int) -> bool:
    led = said[max(0, spot - _NEAR) : spot]
    if said[spot] in row_set("unreal", "tell_so"):
        here = row_set("denial", "subjects") | row_set("unreal", "spoken_to")
        return not row_set("unreal", "will_tell").isdisjoint(led) and here.isdisjoint(said[:spot])
    if said[spot] not in row_set("unreal", "say_so") or meets(led, _row("whatever")):
        return False
    if led and led[-1] in row_set("negation", "infinitive_marks"):
        return False
    if led and led[-1] in row_set("unreal", "another"):
        return True
    return not row_set("denial", "subjects") & set(led)


def _is_of_another(words: Words, deed: Deed) -> bool:
    said = words.said
    if meets(said, _row("another_phrase")):
        return True
    if any(_follows_another(said, place, deed) for place in words.own):
        return True
    if words.verbs and words.verbs[0] == 0 and begins(said[1:], _row("bidden")):
        return True
    others = row_set("unreal", "another") | deed.others
    if said[0] not in others or row_set("unreal", "own") & set(said[1:]):
        return False
    return bool(words.verbs) and _speaks_of(said, 0)


def _follows_another(said: Sequence[str], place: int, deed: Deed) -> bool:
    """Whether the verb stands right behind its subject, as in English, and that is not the speaker."""
    spot = place - 1
    while spot > 0 and said[spot] in row_set("unreal", "between"):
        spot -= 1
    if spot < 0 or (spot and said[spot - 1] in row_set("unreal", "before_object")):
        return False
    if said[spot] in row_set("unreal", "you") | deed.others:
        return _speaks_of(said, spot)
    return (
        spot == 1 and said[0] in row_set("unreal", "kin_of") and said[spot] not in row_set("unreal", "own") | deed.said
    )


def _speaks_of(said: Sequence[str], spot: int) -> bool:
    """Whether what follows is said of somebody else, and not what the speaker does to them."""
    follows = said[spot + 1 : spot + 2]
    return not follows or (
        follows[0] not in row_set("unreal", "happens") and follows[0] not in row_set("unreal", "object_pronouns")
    )


def _put_off(words: Words, deed: Deed) -> str:
    """Why the deed is not done yet: another day, or after something else."""
    if not words.verbs:
        return ""
    said, place = words.said, words.verbs[0]
    behind = [*said[place:], *words.after]
    if meets(said[place:], _row("on_condition")) or begins(words.after, _row("on_condition")):
        return CONDITIONAL
    future = meets(said[: place + 1], _row("future")) or _ROMANCE_FUTURE.match(said[place]) is not None
    if not future:
        return ""
    beside = [word for part in (words.before, said, words.after) if part is said or len(part) <= _NEAR for word in part]
    if (
        meets(beside, _unasked("later", deed))
        or begins(words.after, _row("when"))
        or _weekdays() & set(beside) - deed.said
    ):
        return LATER
    hangs = any(word in row_set("denial", "if") for word in (*said[place:], *words.after[:1]))
    if hangs and not meets(behind, _row("if_you_like")):
        return CONDITIONAL
    bidden = words.before[:1] and words.before[0] in row_set("unreal", "bids") and said[0] in row_set("clauses", "join")
    return CONDITIONAL if bidden else ""


def led_to(before: Sequence[str], said: Sequence[str], place: int) -> Sequence[str]:
    """The words before a deed; an infinitive behind a comma hangs on the clause before it: "nicht vor, es zu tun"."""
    led = said[:place]
    hangs = (
        place < len(said)
        and bool(led)
        and led[-1] in row_set("negation", "hanging_infinitive")
        and not row_set("denial", "subjects") & set(led)
    )
    return [*before, *led] if hangs else led


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(word for row in lexicon("weekdays").values() for word in row)


def confirms(said: Sequence[str]) -> bool:
    """Whether a clause says that what others say is so."""
    return meets(said, _row("confirms")) and not row_set("denial", "before") & set(said)


def is_opposite(clauses: Sequence[Sequence[str]], deed: Deed) -> bool:
    """Whether words plainly do what a sub-goal wants refused, or say what it wants said not to be so."""
    spoken = [word for clause in clauses for word in clause]
    hedges = row_set("denial", "before") | row_set("denial", "if") | row_set("denial", "would")
    if hedges & set(spoken) or any(meets(spoken, lexicon(table)[row]) for table, row in _HEDGES):
        return False
    if deed.refuses and any(meets(clause, (*_row("gives_in"), *_row("owns_up"))) for clause in clauses):
        return True
    return bool(deed.left) and any(_does(clause, deed.left[0]) for clause in clauses)


_HEDGES = (
    ("denial", "idioms"),
    ("denial", "supposes"),
    ("unreal", "short_of"),
    ("unreal", "tried"),
    ("unreal", "wanted"),
)


def _does(said: Sequence[str], asked: str) -> bool:
    """Whether somebody says of himself that he does it: "I'll sign", "vendo la casa"."""
    for spot, word in enumerate(said):
        if not alike(word, asked):
            continue
        if row_set("denial", "subjects") & set(said[max(0, spot - _NEAR) : spot]):
            return True
        if spot < _NEAR and _FIRST_PERSON.match(word) and not row_set("unreal", "kin_of") & set(said[:spot]):
            return True
    return False


_FIRST_PERSON = re.compile(r"\w{3,}(?:[^aeiou]o|ré|rò|ę)$")


def is_short_of(led: Sequence[str]) -> bool:
    """Whether the words right before a deed leave it undone without a "not"."""
    return meets(led[-5:], _row("short_of"))


def _matches(row: str, said: Sequence[str]) -> bool:
    return _pattern(row).search(f" {' '.join(said)} ") is not None


@cache
def _pattern(row: str) -> re.Pattern[str]:
    phrases = (re.escape(phrase).replace(r"\*\ ", r"(?:\w+ ){0,5}") for phrase in _row(row))
    return re.compile(rf" (?:{'|'.join(phrases)})(?= )")


def _row(name: str) -> tuple[str, ...]:
    return lexicon("unreal")[name]
