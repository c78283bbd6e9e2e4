"""Setting a request up: a cast in, an opened run and a production out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from dramaturg.ensemble.artifacts import session_folder
from dramaturg.ensemble.cast import CastSeat
from dramaturg.ensemble.ensemble import Ensemble, Turn3
from dramaturg.ensemble.events import (
    EnsembleOpened,
    EnsembleRun,
    HouseRead,
    PersonaRead,
    QuestionAsked,
    RemarkMade,
    Seat,
    VoicesCast,
)
from dramaturg.ensemble.lore import read_books, slot_lore
from dramaturg.ensemble.play import EnsembleProduction
from dramaturg.ensemble.request import ChatRequest
from dramaturg.ensemble.speaker import Speaker
from dramaturg.ensemble.speech import SpeechBooth, VoicePlan
from dramaturg.ensemble.state import EnsembleState, ensemble_state
from dramaturg.ensemble.templates import ensemble_template
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.runs.resources import OpenModel
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.text.escape import escaped
from dramaturg.voices.languages import code_of, name_of

SCRIPTED = "No model is playing: the rehearsal company answers with lines written beforehand, and understands nothing."
SOME_SCRIPTED = "Some seats have no model: for them the rehearsal company says lines written beforehand."
TEMPLATES: Mapping[int, str] = {1: "turn1_response", 2: "turn2_comment_select", 3: "turn3_reply"}


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in the queue of a kiosk: the session's id, its number, its random seed, and what it goes on from."""

    session_id: str
    number: int
    seed: int
    follows: str | None = None


@dataclass(frozen=True, slots=True)
class Speech:
    """The booth that records the lines, who speaks with which voice, and what is to be said about it.

    `silence` says why there is no booth.
    """

    booth: SpeechBooth | None
    silence: str = ""
    casting: VoicesCast | None = None
    remarks: tuple[str, ...] = ()


async def outside_a_kiosk(run: EnsembleRun) -> None:
    """A no-op for sessions played outside any kiosk."""


def open_ensemble(
    ensemble: Ensemble,
    request: ChatRequest,
    cast: Sequence[CastSeat],
    ticket: Ticket,
    *,
    profiles: Mapping[str, str],
    settings: Settings,
) -> tuple[Event, ...]:
    """The first events of a request's run: the request and a snapshot of the cast."""
    turn3: Turn3 = request.turn3 or ensemble.turn3 or settings.ensemble.turn3
    opened = EnsembleOpened(
        ensemble=ensemble.name,
        message=request.message,
        kiosk=request.kiosk,
        ticket=ticket.number,
        cast=tuple(one.seat for one in cast),
        seed=ticket.seed,
        turn3=turn3,
        audio=settings.ensemble.audio if request.audio is None else request.audio,
        folder=session_folder(ticket.session_id),
        follows=ticket.follows,
    )
    personas = (PersonaRead(slot_id=one.seat.slot_id, persona=one.persona) for one in cast)
    books = read_books(settings.project, ensemble, cast)
    house = HouseRead(system=ensemble.system, profiles=dict(profiles))
    question = QuestionAsked(
        message=request.message, kiosk=request.kiosk, slots=tuple(one.seat.slot_id for one in cast)
    )
    return (opened, question, house, *personas, *((books,) if books is not None else ()), *_stand_ins(cast))


def _stand_ins(cast: Sequence[CastSeat]) -> tuple[RemarkMade, ...]:
    """Says before anything else that nobody thinks here, where the rehearsal company plays."""
    scripted = [is_stand_in(one.seat.model) for one in cast]
    if not any(scripted):
        return ()
    return (RemarkMade(code="SCRIPTED", message=SCRIPTED if all(scripted) else SOME_SCRIPTED),)


def stage_ensemble(
    run: EnsembleRun,
    settings: Settings,
    open_model: OpenModel,
    artifacts: Artifacts,
    speech: Speech,
    on_spoken: Callable[[EnsembleRun], Awaitable[None]] = outside_a_kiosk,
) -> EnsembleProduction:
    """The production for an opened run. `open_model(name, who)` opens a model that records into this run."""
    state = ensemble_state(run.entries)
    speakers = {
        seat.slot_id: _speaker(run.id, seat, state, settings, open_model(seat.model, f"slot-{seat.slot_id}"))
        for seat in state.cast
    }
    booth = speech.booth if state.request.audio else None
    silence = speech.silence if state.request.audio and booth is None else ""
    return EnsembleProduction(
        speakers,
        booth,
        artifacts,
        settings.ensemble.timeout,
        on_spoken,
        silence,
        VoicePlan(voices_of(speech.casting), settings.ensemble.stage_rate, state.request.kiosk),
    )


def voices_of(casting: VoicesCast | None) -> dict[int, str]:
    """The voice of each slot."""
    return {one.slot_id: one.voice for one in casting.voices} if casting else {}


def _speaker(session_id: str, seat: Seat, state: EnsembleState, settings: Settings, model: Model) -> Speaker:
    return Speaker(
        seat=seat,
        persona=state.personas.get(seat.slot_id, ""),
        model=model,
        system=system_prompt(state, seat.slot_id),
        templates={turn: ensemble_template(name) for turn, name in TEMPLATES.items()},
        session_id=session_id,
        max_tokens=settings.models.max_tokens,
        temperature=settings.models.temperature,
        lore=slot_lore(state, seat.slot_id, settings.ensemble.lore_tokens, model.profile.context_window),
    )


def system_prompt(state: EnsembleState, slot: int) -> str:
    """The system prompt of a slot; it stays the same across turns and requests."""
    seat = state.seat(slot)
    others = ", ".join(other.name for other in state.cast if other.slot_id != slot)
    return ensemble_template("system").render(
        ensemble=state.house.system if state.house else "",
        name=escaped(seat.name),
        agent_id=seat.agent_id,
        persona=state.personas.get(slot, ""),
        others=escaped(others),
        language=escaped(_language(seat)),
        voice_profiles_table=profiles_table(state.profiles or {seat.voice_profile: "your own"}),
    )


def _language(seat: Seat) -> str:
    """The name of the language a seat speaks; empty for the question's."""
    return name_of(code_of(seat.language)) or seat.language if seat.language else ""


def profiles_table(profiles: Mapping[str, str]) -> str:
    """The voice profiles, one per line."""
    return "\n".join(f"- {name}: {said}" if said else f"- {name}" for name, said in profiles.items())
