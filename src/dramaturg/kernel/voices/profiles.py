"""Voice profiles: how a line is meant to sound, by name, and which voice and delivery that is on each engine."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.values import Value
from dramaturg.kernel.voices.port import Delivery, VoiceListing

# The double stands in for the engine that would speak otherwise, so that everything but the sound is the same.
_STANDS_FOR = {"silent": "kokoro"}


class Reading(Value):
    """Which voice of an engine speaks a line, and how."""

    voice: str
    delivery: Delivery = Delivery()


class Profile(Value):
    """A manner of speaking with its name, and its reading on each engine."""

    name: str
    about: str
    readings: Mapping[str, Reading]

    def on(self, engine: str) -> Reading:
        return self.readings[_STANDS_FOR.get(engine, engine)]


class VoiceCast(Value):
    """The voices of an engine in the order they are given out, the narrator's, and pairs that sound alike."""

    order: tuple[str, ...]
    narrator: str
    alike: tuple[tuple[str, str], ...] = ()


def profiles() -> Mapping[str, Profile]:
    """Every profile by its name."""
    return _read()[0]


def profile(name: str) -> Profile:
    """The profile of that name. Raises InvalidConfig that names the nearest."""
    known = profiles()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}."
        raise InvalidConfig(f"There is no voice profile '{name}'. {meant}", profile=name)
    return known[name]


def cast_of(engine: str) -> VoiceCast:
    """Who speaks on an engine where nobody is pinned."""
    return _read()[1][_STANDS_FOR.get(engine, engine)]


def reading(
    engine: str,
    known: Sequence[VoiceListing],
    settings: VoiceSettings,
    *,
    profile_name: str | None = None,
    voice: str | None = None,
    speaker: str | None = None,
) -> Reading:
    """Which voice speaks, and how.

    The voice is the one that is pinned: for this line (`voice`), else in `[voices] cast` for the speaker, else there
    for the profile. With a pin, the profile gives the delivery alone; without, the voice too. A pin may name a
    profile, which every engine has, in place of a voice. Raises InvalidConfig for a profile and VoiceError for a
    voice that is not known.
    """
    manner = profile(profile_name).on(engine) if profile_name else Reading(voice=cast_of(engine).order[0])
    pinned = voice or settings.cast.get(speaker or "") or settings.cast.get(profile_name or "")
    if not pinned:
        return manner
    return Reading(voice=voice_named(pinned, engine, known), delivery=manner.delivery)


def voice_named(name: str, engine: str, known: Sequence[VoiceListing]) -> str:
    """The voice of an engine that a pin means. An engine that lists no voices is believed to have it."""
    names = [listing.name for listing in known]
    if name in names:
        return name
    if name in profiles():
        return profile(name).on(engine).voice
    if not names:
        return name
    owner = next((other for other in _read()[1] if other != engine and name in cast_of(other).order), None)
    foreign = f" It is a voice of {owner}." if owner else ""
    near = get_close_matches(name, [*names, *profiles()], n=1)
    meant = f" Did you mean '{near[0]}'?" if near else ""
    raise VoiceError(
        f"{engine} has no voice '{name}'.{foreign}{meant} It has {', '.join(names)}; "
        "the name of a profile will do on every engine.",
        voice=name,
        engine=engine,
    )


def narrator(engine: str, known: Sequence[VoiceListing], settings: VoiceSettings) -> str:
    """The voice that tells what happens."""
    return voice_named(settings.narrator, engine, known) if settings.narrator else cast_of(engine).narrator


def casting(engine: str, pins: Sequence[str | None], reserved: Iterable[str] = ()) -> tuple[str, ...]:
    """One voice a seat: the pinned ones as they are, every other its own, none `reserved` and none like another's.

    Raises InvalidConfig where the engine has too few. The same seats always get the same voices.
    """
    cast = cast_of(engine)
    taken = {*(pin for pin in pins if pin), *reserved}
    given: list[str] = []
    for pin in pins:
        chosen = pin or next((name for name in cast.order if _is_free(name, taken, cast.alike)), None)
        if chosen is None:
            raise InvalidConfig(
                f"{engine} has too few voices for {len(pins)} speakers. Pin the same voice for some of them under "
                "[voices] cast, or use another engine.",
                engine=engine,
                speakers=len(pins),
            )
        taken.add(chosen)
        given.append(chosen)
    return tuple(given)


def _is_free(name: str, taken: set[str], alike: tuple[tuple[str, str], ...]) -> bool:
    return name not in taken and not any(name in pair and taken & set(pair) for pair in alike)


@cache
def _read() -> tuple[Mapping[str, Profile], Mapping[str, VoiceCast]]:
    raw = tomllib.loads(files(__package__).joinpath("profiles.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in raw["profiles"].items():
        readings = {
            engine: Reading(voice=one["voice"], delivery=Delivery(**{k: v for k, v in one.items() if k != "voice"}))
            for engine, one in row.items()
            if engine != "about"
        }
        found[name] = Profile(name=name, about=row["about"], readings=readings)
    return found, {engine: VoiceCast.model_validate(row) for engine, row in raw["casts"].items()}
