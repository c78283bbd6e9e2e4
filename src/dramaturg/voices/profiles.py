"""Voice profiles: named manners of speaking, and the voice and delivery that each engine uses for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache

from dramaturg.kernel.errors import InvalidConfig, NoSuchVoice
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.text.tables import table
from dramaturg.kernel.values import Value
from dramaturg.voices.port import VoiceDelivery, VoiceListing

OFFLINE = ("kokoro", "hibari")
# The silent double stands in for this engine, so that everything but the sound is the same.
_STANDS_FOR = {"silent": "kokoro"}


CHANGES: Mapping[str, str] = {
    "kokoro": "A profile changes the voice and the pace; intonation and emotion it cannot.",
    "hibari": "A profile changes the voice and the pace; intonation and emotion it cannot.",
    "elevenlabs": "A profile changes the voice, the pace, how steady it is and how strong its style.",
    "openai-compatible": "A profile changes the voice and the pace, and gives directions to a model that takes any.",
    "silent": "A profile changes the pace.",
}
"""What a profile really changes on each engine. With a pinned voice, everything but the voice."""


class VoiceChoice(Value):
    """A voice of an engine, and how it speaks a line."""

    voice: str
    delivery: VoiceDelivery = VoiceDelivery()


class VoiceProfile(Value):
    """A named manner of speaking, and the voice it has on each engine."""

    name: str
    about: str
    choices: Mapping[str, VoiceChoice]

    def on(self, engine: str) -> VoiceChoice:
        return self.choices[_STANDS_FOR.get(engine, engine)]


class VoiceCast(Value):
    """The voices of an engine in the order they are assigned, the narrator's, and pairs that sound alike."""

    order: tuple[str, ...]
    narrator: str
    alike: tuple[tuple[str, str], ...] = ()


def profiles() -> Mapping[str, VoiceProfile]:
    """Every profile by name."""
    return _read()[0]


def profile(name: str) -> VoiceProfile:
    """The profile of that name. Raises InvalidConfig that suggests the nearest one."""
    known = profiles()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}."
        raise InvalidConfig(f"There is no voice profile '{name}'. {meant}", profile=name)
    return known[name]


def cast_of(engine: str) -> VoiceCast:
    """The voices that an engine assigns to speakers without a pinned voice."""
    return _read()[1][_STANDS_FOR.get(engine, engine)]


def choose_voice(
    engine: str,
    known: Sequence[VoiceListing],
    settings: VoiceSettings,
    *,
    profile_name: str | None = None,
    voice: str | None = None,
    speaker: str | None = None,
) -> VoiceChoice:
    """The voice that speaks a line, and its delivery.

    A pinned voice wins: the one pinned for this line (`voice`), else under `[voices] cast` for the speaker, else there
    for the profile. With a pin, the profile only sets the delivery; without one, the voice too. A pin may name a
    profile instead of a voice, which works on every engine. Raises InvalidConfig for an unknown profile and NoSuchVoice
    for an unknown voice.
    """
    manner = profile(profile_name).on(engine) if profile_name else VoiceChoice(voice=cast_of(engine).order[0])
    pinned = voice or settings.cast.get(speaker or "") or settings.cast.get(profile_name or "")
    if not pinned:
        return manner
    return VoiceChoice(voice=voice_named(pinned, engine, known), delivery=manner.delivery)


def voice_named(name: str, engine: str, known: Sequence[VoiceListing]) -> str:
    """The voice of an engine that a pin refers to. If the engine lists no voices, the name is taken as it is."""
    names = [listing.name for listing in known]
    if name in names:
        return name
    if name in profiles():
        return profile(name).on(engine).voice
    owner = next((other for other in _read()[1] if other != engine and name in cast_of(other).order), None)
    # Other servers have Kokoro's voices under the same names; ElevenLabs' are ids.
    if not names and (owner is None or engine != "elevenlabs"):
        return name
    foreign = f" It is a voice of {owner}." if owner else ""
    near = get_close_matches(name, [*names, *profiles()], n=1)
    meant = f" Did you mean '{near[0]}'?" if near else ""
    raise NoSuchVoice(
        f"{engine} has no voice '{name}'.{foreign}{meant} It has {', '.join(names) or 'those of the account'}; "
        "the name of a profile works on every engine.",
        voice=name,
        engine=engine,
    )


def narrator(engine: str, known: Sequence[VoiceListing], settings: VoiceSettings) -> str:
    """The narrator's voice."""
    return voice_named(settings.narrator, engine, known) if settings.narrator else cast_of(engine).narrator


def casting(engine: str, pins: Sequence[str | None], reserved: Iterable[str] = ()) -> tuple[str, ...]:
    """One voice per seat: pinned voices as they are, all others distinct, none `reserved` and none that sound alike.

    Raises InvalidConfig if the engine has too few voices. The same seats always get the same voices.
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
def _read() -> tuple[Mapping[str, VoiceProfile], Mapping[str, VoiceCast]]:
    raw = table(__package__, "profiles.toml")
    found = {}
    for name, row in raw["profiles"].items():
        choices = {
            engine: VoiceChoice(
                voice=one["voice"], delivery=VoiceDelivery(**{k: v for k, v in one.items() if k != "voice"})
            )
            for engine, one in row.items()
            if engine != "about"
        }
        found[name] = VoiceProfile(name=name, about=row["about"], choices=choices)
    return found, {engine: VoiceCast.model_validate(row) for engine, row in raw["casts"].items()}
