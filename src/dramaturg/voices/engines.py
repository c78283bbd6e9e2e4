"""Selection of the speech engine: which one can run here, and why another cannot. The only place that picks one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from dramaturg.kernel.errors import DramaturgError, VoiceError
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.voices import extra
from dramaturg.voices.booth import Booth, SpeechEngine
from dramaturg.voices.cache import LineCache
from dramaturg.voices.engine_speed import release, speed_of
from dramaturg.voices.port import VoiceListing
from dramaturg.voices.profiles import OFFLINE
from dramaturg.voices.providers.thread_pool import thread_count

HOSTED = {"elevenlabs": "elevenlabs_voice:ElevenLabsVoice", "openai-compatible": "openai_voice:OpenAICompatibleVoice"}
# Concurrent lines at a hosted engine; an engine that knows its plan's limit queues on its own.
_HOSTED_CONCURRENCY = 8


class EngineState(Value):
    """An engine: whether it is usable here, the reason, and its voices."""

    engine: str
    usable: bool
    reason: str
    voices: tuple[VoiceListing, ...] = ()


def open_booth(settings: Settings, artifacts: Artifacts, *, keep: bool = True) -> Booth:
    """A booth with the engine of the settings; `auto` takes the best that keeps up here, with a remark that says why.

    Lines are cached below the artifacts unless `keep` is false; then `auto` takes the best, however long it needs.
    Blocking: reads Kokoro's network to check its hash and perhaps measures it, so call it in a thread from async code.
    Raises VoiceError if no engine is usable.
    """
    wanted = settings.voices.engine
    engine, remark = (
        _auto(settings, artifacts if keep else None) if wanted == "auto" else (open_engine(wanted, settings), "")
    )
    return Booth(
        engine,
        artifacts,
        settings.voices,
        cache=LineCache(artifacts) if keep else None,
        concurrency=_HOSTED_CONCURRENCY if engine.engine in HOSTED else 2,
        remark=remark,
    )


def open_engine(name: str, settings: Settings) -> SpeechEngine:
    """The engine of that name. Raises VoiceError that says what is missing."""
    if name in HOSTED:
        return _hosted(name)(settings)
    if name == "silent":
        from dramaturg.voices.providers.silent_voice import SilentVoice

        return SilentVoice()
    if reason := _fault(name):
        raise VoiceError(f"The engine '{name}' cannot speak here. {reason}", engine=name)
    return _offline(name, settings)


def survey(settings: Settings) -> list[EngineState]:
    """Every engine, and whether it is usable here. Nothing is spoken and no server is contacted."""
    return [*(_state(name, settings) for name in OFFLINE), *(_state(name, settings) for name in HOSTED), _silent()]


def _auto(settings: Settings, artifacts: Artifacts | None) -> tuple[SpeechEngine, str]:
    """The best offline engine that keeps up, and why it is that one. The last one speaks if none does."""
    faults = {name: _fault(name) for name in OFFLINE}
    usable = [name for name, fault in faults.items() if not fault]
    if not usable:
        raise VoiceError(f"No speech engine is usable here. {faults[OFFLINE[-1]]}")
    best = usable[0]
    if best != OFFLINE[0]:
        return _offline(best, settings), f"{best} speaks instead of {OFFLINE[0]}. {faults[OFFLINE[0]]}"
    if artifacts is None or len(usable) == 1:
        return _offline(best, settings), ""
    engine, threads = _offline(best, settings), thread_count(settings.voices.concurrency)
    speed = speed_of(engine, threads, artifacts)
    takes = f"takes {speed.seconds:.1f} s here for a second of speech"
    if speed.keeps_up:
        return engine, f"{best} speaks: it {takes}, which keeps up."
    release(engine)
    return _offline(usable[1], settings), (
        f"{usable[1]} speaks instead of {best}, which {takes} and would be heard late. To use it all the same, set "
        f'engine = "{best}" under [voices].'
    )


def _fault(name: str) -> str:
    module = import_module(f"dramaturg.voices.providers.{name}_voice")
    fault: Callable[[], str] = module.fault
    return fault()


def _offline(name: str, settings: Settings) -> SpeechEngine:
    if name == "kokoro":
        from dramaturg.voices.providers.kokoro_voice import KokoroVoice

        return KokoroVoice(settings.voices.concurrency)
    from dramaturg.voices.providers.hibari_voice import HibariVoice

    return HibariVoice(settings.voices.concurrency)


def _hosted(name: str) -> Callable[[Settings], SpeechEngine]:
    """The class of a hosted engine, which connects when it first speaks."""
    module, kind = HOSTED[name].split(":")
    try:
        found = import_module(f"dramaturg.voices.providers.{module}")
    except ModuleNotFoundError as error:
        raise VoiceError(f"The engine '{name}' is not part of this version.", engine=name) from error
    hosted: Callable[[Settings], SpeechEngine] = getattr(found, kind)
    return hosted


def _state(name: str, settings: Settings) -> EngineState:
    if name in OFFLINE:
        reason = _fault(name)
        voices = () if extra.lacking("hibari") else _offline(name, settings).known()
        return EngineState(engine=name, usable=not reason, reason=reason or "offline, in this process", voices=voices)
    try:
        engine = _hosted(name)(settings)
    except DramaturgError as error:
        return EngineState(engine=name, usable=False, reason=error.message)
    return EngineState(engine=name, usable=True, reason="hosted, set up in the settings", voices=engine.known())


def _silent() -> EngineState:
    return EngineState(engine="silent", usable=True, reason="for tests: silence of the right length")
