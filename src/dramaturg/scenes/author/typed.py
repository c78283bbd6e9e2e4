"""Directions as an author types them: `/event The lights go out`, `/note Bob Whisper`, `/more 5`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import real_problems, worded_problem
from dramaturg.scenes.author.names import member_called
from dramaturg.scenes.author.typed_budget import limits_from
from dramaturg.scenes.directions.direction import DIRECTIONS, Direction
from dramaturg.scenes.state import SceneState

ALL = ("all", "everybody", "everyone")
Fields = dict[str, object]


class Command(NamedTuple):
    """A word that an author can type, what follows it, and what it does."""

    form: str
    about: str
    fields: Callable[[str, SceneState], Fields]


def _nothing(rest: str, state: SceneState) -> Fields:
    return {}


def _text(rest: str, state: SceneState) -> Fields:
    return {"text": rest}


def _who(rest: str, state: SceneState) -> Fields:
    return {"who": member_called(rest, state)}


def _who_and_how(rest: str, state: SceneState) -> Fields:
    who, how = _named(rest, state)
    return {"who": who, "text": how}


def _note(rest: str, state: SceneState) -> Fields:
    first, _, text = rest.partition(" ")
    if first.casefold().strip(":,") in ALL:
        return {"text": text.strip()}
    who, text = _named(rest, state)
    return {"to": who, "text": text}


def _beats(rest: str, state: SceneState) -> Fields:
    return {"beats": int(rest) if rest.isdecimal() and len(rest) < 6 else rest}


def _budget(rest: str, state: SceneState) -> Fields:
    limits = limits_from(rest)
    return {"usd": limits.usd} if limits.usd is not None else {"tokens": limits.tokens}


COMMANDS: Mapping[str, Command] = {
    "event": Command("TEXT", "something happens, and everybody on stage notices", _text),
    "note": Command("NAME|all TEXT", "a note that only NAME reads, or everybody", _note),
    "next": Command("NAME", "only NAME is asked at the next beat", _who),
    "mute": Command("NAME", "NAME is not asked any more", _who),
    "unmute": Command("NAME", "NAME is asked again", _who),
    "enter": Command("NAME [HOW]", "NAME comes on stage", _who_and_how),
    "exit": Command("NAME [HOW]", "NAME leaves the stage", _who_and_how),
    "pause": Command("", "wait after each beat", _nothing),
    "step": Command("", "play one more beat, then wait again", _nothing),
    "go": Command("", "play on without waiting", _nothing),
    "more": Command("N", "the scene may be N beats longer", _beats),
    "end": Command("", "end the scene after this beat", _nothing),
    "budget": Command("2.50|20000", "what the run may spend in all: dollars, or tokens", _budget),
    "goal": Command("TEXT", "what the scene is to reach from here on", _text),
}


def read_direction(typed: str, state: SceneState) -> Direction:
    """A direction as it was typed, with or without its slash. Raises InvalidConfig that says how to put it."""
    word, _, rest = typed.strip().removeprefix("/").partition(" ")
    word, rest = word.casefold(), rest.strip()
    command = COMMANDS.get(word)
    if command is None:
        near = get_close_matches(word, COMMANDS, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(COMMANDS)}."
        raise InvalidConfig(f"There is no direction '{word}'. {meant}", do=word)
    if bool(rest) < (bool(command.form) and not command.form.startswith("[")):
        raise InvalidConfig(f"'{word}' needs more: {word} {command.form}.", do=word)
    given = {"do": word, **command.fields(rest, state)}
    try:
        asked: Direction = DIRECTIONS.validate_python(given)
    except ValidationError as error:
        why = worded_problem(real_problems(error.errors(), given)[0])
        raise InvalidConfig(f"'{word} {rest}' cannot be read: {why}. It is: {word} {command.form}.", do=word) from None
    return asked


def _named(text: str, state: SceneState) -> tuple[str, str]:
    """A member of the cast at the beginning of a text, in as many words as name it, and the rest."""
    words = text.split()
    for length in range(min(len(words), 4), 0, -1):
        name = " ".join(words[:length]).strip(":,")
        if _is_name(name, state):
            return member_called(name, state), " ".join(words[length:])
    return member_called(words[0].strip(":,"), state), " ".join(words[1:])


def _is_name(name: str, state: SceneState) -> bool:
    """Whether these words are a name and nothing else: "Ruth Calloway", and not "Ruth smiles"."""
    wanted = name.casefold()
    shown = {member.display_name.casefold() for member in state.cast}
    return wanted in shown or wanted in {member.name.casefold() for member in state.cast}
