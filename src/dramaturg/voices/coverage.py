"""What the engines speak: the languages of each voice, and the voice for a line in one of them.

The offline voices speak English and nothing else: both are given their sounds by an English front end. A hosted
engine speaks what its model was trained on, or what the settings say that it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dramaturg.kernel.errors import LineUnspeakable
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.values import Value
from dramaturg.voices.languages import code_of, name_of
from dramaturg.voices.paces import VoicePace, pace_of
from dramaturg.voices.port import VoiceListing
from dramaturg.voices.profiles import OFFLINE, cast_of, voice_named

ENGLISH = ("en",)
ANY_VOICE = "any"
# ElevenLabs' models by the beginning of their names; the first match counts. As its model pages listed them in 2026.
_TWENTY_NINE = "ar bg cs da de el en es fi fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tl tr uk vi zh".split()
_ELEVENLABS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("eleven_monolingual", ENGLISH),
    ("eleven_turbo_v2_5", tuple(_TWENTY_NINE)),
    ("eleven_flash_v2_5", tuple(_TWENTY_NINE)),
    ("eleven_turbo_v2", ENGLISH),
    ("eleven_flash_v2", ENGLISH),
    ("eleven_multilingual_v1", ("en", "de", "es", "fr", "hi", "it", "pl", "pt")),
    ("eleven_multilingual_v2", tuple(one for one in _TWENTY_NINE if one not in ("hu", "no", "vi"))),
)
# The first letter of Kokoro's voices, whatever server has them.
_KOKORO: Mapping[str, str] = {
    "a": "en", "b": "en", "e": "es", "f": "fr", "h": "hi", "i": "it", "j": "ja", "p": "pt", "z": "zh",
}  # fmt: skip


class SpokenBy(Value):
    """A voice for a line, and the line's language; empty if it was not told apart."""

    voice: str
    language: str = ""


def languages_of(engine: str, model: str, voice: str, settings: VoiceSettings) -> tuple[str, ...]:
    """The codes of the languages that a voice really speaks; empty where only its server knows."""
    if engine in ("kokoro", "hibari"):
        return ENGLISH
    if engine == "silent":
        return ()
    if settings.languages:
        return tuple(sorted({code_of(named) or named for named in settings.languages}))
    if engine == "elevenlabs":
        return next((spoken for begins, spoken in _ELEVENLABS if model.startswith(begins)), ())
    if len(voice) > 3 and voice[2] == "_" and voice[1] in "fm" and voice[0] in _KOKORO:
        return (_KOKORO[voice[0]],)
    return ()


def voice_for(
    language: str, voice: str, engine: str, model: str, known: Sequence[VoiceListing], settings: VoiceSettings
) -> SpokenBy:
    """Who speaks a line in this language: the voice that is meant to, else another of the engine that can.

    Raises LineUnspeakable if there is none.
    """
    spoken = languages_of(engine, model, voice, settings)
    if not language or not spoken:
        return SpokenBy(voice=voice, language=language)
    assigned = _assigned(language, settings) if engine not in ("kokoro", "hibari") else ""
    if assigned and assigned != ANY_VOICE:
        return SpokenBy(voice=voice_named(assigned, engine, known), language=language)
    others = [listing.name for listing in known] or list(cast_of(engine).order)
    for name in (voice, *others):
        if language in languages_of(engine, model, name, settings):
            return SpokenBy(voice=name, language=language)
    raise LineUnspeakable(
        f"The line is in {name_of(language)}, and no voice of {engine} speaks that (they speak "
        f"{', '.join(name_of(one) for one in spoken)}). It stays text; to hear it, name an engine that does "
        "under [voices].",
        language=language,
        engine=engine,
    )


def _assigned(language: str, settings: VoiceSettings) -> str:
    return next((voice for named, voice in settings.languages.items() if (code_of(named) or named) == language), "")


def coverage_rows() -> Iterator[str]:
    """What every engine really speaks and how fast, as a table in Markdown."""
    yield "| engine | voice or model | languages | words a minute: own pace | calibrated |"
    yield "|---|---|---|--:|--:|"
    for engine in OFFLINE:
        for voice in cast_of(engine).order:
            pace = pace_of(engine, voice)
            figures = _figures(pace)
            spoken = languages_of(engine, "", voice, VoiceSettings())
            yield f"| `{engine}` | `{voice}` | {_listed(spoken)} | {figures} |"
    for begins, spoken in _ELEVENLABS:
        yield f"| `elevenlabs` | `{begins}…` | {_listed(spoken)} | – | – |"
    yield "| `elevenlabs` | other models | what the service makes of it | – | – |"
    yield (
        "| `openai-compatible` | Kokoro's voices, by their first letter | "
        + _listed(tuple(_KOKORO.values()))
        + " | – | – |"
    )
    yield "| `openai-compatible` | any other | `[voices.languages]`, else what the server makes of it | – | – |"


def _figures(pace: VoicePace | None) -> str:
    if pace is None:
        return "– | –"
    return f"{pace.own:.0f} | {pace.heard:.0f}" if pace.heard else f"about {pace.own:.0f} | not measured yet"


def _listed(codes: Sequence[str]) -> str:
    return ", ".join(name_of(code) for code in dict.fromkeys(codes))
