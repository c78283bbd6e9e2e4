"""The event streams of the capabilities: where each resumes, how its events are framed, how it is described."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from fastapi.sse import ServerSentEvent

from dramaturg.ensemble.wire import SessionEvent, event_number, sent_events
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.events import Audience, Entry, Event
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.person.seats import NumberedEvent
from dramaturg.scenes.person.shown import SeatEntry
from dramaturg.scenes.previews import LinePreview
from dramaturg.scenes.wire import PublicEntry
from dramaturg.server.http.errors import StreamCompleteError
from dramaturg.server.http.sse import EventStream, begun, data_frame, described, event_stream, greeting
from dramaturg.studio import Studio
from dramaturg.workshop.drafts.previews import VariantPreview
from dramaturg.workshop.wire import ConsultEvent

MayListen = Callable[[], Awaitable[bool]]
ASK_AGAIN_SECONDS = 1.0
"""How long a token is taken for good while events arrive without a pause."""
EPISODE_RETRY_MS = 1500
ENSEMBLE_RETRY_MS = 3000
RESET = "stream.reset"
_EVENT_NAME = "the name of the event, which `data` repeats"
_EPISODE_ID = "the position in the stream; send it back as `Last-Event-ID`"

PREVIEW = "preview"
RUN_STREAM = described(
    PublicEntry | LinePreview | VariantPreview,
    "`id` is the number of the entry, `event` its type, `data` the entry. With `previews`, also events without an id: "
    "`event` is `preview`, `data` a LinePreview of a scene or a VariantPreview of a draft.",
    id_is="the number of the entry; a preview has none",
    event_is="the type of its event, or `preview`",
    numbered=False,
)
TURN_STREAM = described(
    StreamEvent,
    "The events of the turn, up to `done`. `id` is the position in the stream, `event` the type.",
    id_is=_EPISODE_ID,
    event_is="the type of the event, which `data` repeats",
)
ENSEMBLE_STREAM = described(
    SessionEvent,
    "`id` is `<sessionId>:<seq>`, `event` the name, `data` one JSON object on one line.",
    id_is="`<sessionId>:<seq>`",
    event_is=_EVENT_NAME,
    entry=SessionEvent,
)
SESSION_STREAM = described(
    SessionEvent | StreamEvent,
    "`id` is the position in the stream, `event` the name, `data` one JSON object on one line.",
    id_is=_EPISODE_ID,
    event_is=_EVENT_NAME,
)
CONSULTATION_STREAM = described(
    ConsultEvent,
    "`event` is the name, `data` one JSON object on one line; `done` is the last event.",
    id_is=_EPISODE_ID,
    event_is=_EVENT_NAME,
    entry=ConsultEvent,
)


SEAT_STREAM = described(
    SeatEntry,
    "`id` is the number of the event, `event` its type, `data` the event.",
    id_is="the number of the event",
    event_is="its type, which `data` repeats",
    entry=SeatEntry,
)


async def seat_stream(studio: Studio, record: RunRecord, part: str, holder: str, after: int) -> EventStream:
    """What the person in a seat is shown after so many events.

    Raises StreamCompleteError if there is no more and never will be.
    """
    seats = studio.scenes.seats
    if after and record.status != "playing" and not await _is_any(seats.follow(record.id, part, after, holder=holder)):
        raise StreamCompleteError
    return event_stream(seats.follow(record.id, part, after, holder=holder), _seat_frame)


async def run_stream(
    studio: Studio, run_id: str, after: int, audience: Audience = "public", *, previews: bool = False
) -> EventStream:
    """The entries of a run for an audience, after a number, and previews of its lines if they are wanted.

    Raises StreamCompleteError if there is nothing and never will be.
    """
    record = await studio.runs.get(run_id)
    if after and record.status != "playing" and not await _is_any(studio.runs.tail(record.id, after, audience)):
        raise StreamCompleteError
    await studio.runs.check_reached(record.id, after)
    if previews:
        return event_stream(studio.follow(record.id, after, audience), _entry_or_preview)
    return event_stream(studio.runs.tail(record.id, after, audience), _entry_frame)


async def session_stream(studio: Studio, session: str, last_event_id: str, may: MayListen) -> EventStream:
    """Everything the player of an episode's session is shown after a position, for as long as the client may listen."""
    after = Mark.read(last_event_id) if last_event_id else Mark()
    await studio.episodes.record(session)
    return _player_stream(_while_allowed(studio.episodes.follow(session, after), may), session)


async def _while_allowed(events: AsyncGenerator[StreamEvent, None], may: MayListen) -> AsyncIterator[StreamEvent]:
    """The events, up to the first that comes when the client may not have it any more."""
    clock = asyncio.get_running_loop()
    asked = clock.time()
    async with aclosing(events):
        async for event in events:
            if clock.time() - asked >= ASK_AGAIN_SECONDS:
                if not await may():
                    return
                asked = clock.time()
            yield event


def turn_stream(studio: Studio, session: str, after: Mark, client_id: str | None = None) -> EventStream:
    """What the player is shown after a position, up to the `done` of the turn."""
    return _player_stream(studio.episodes.turn(session, after, client_id), session)


async def ensemble_stream(studio: Studio, session_id: str, last_event_id: str = "") -> EventStream:
    """The events of an ensemble's session. An id that it does not have restarts the stream, with an event that says so.

    Raises StreamCompleteError if nothing follows the last event and nothing ever will.
    """
    number = event_number(session_id, last_event_id) if last_event_id else 0
    if number:
        run = await studio.ensemble.open_run(session_id)
        if not any(sent_events(run.id, run.entries, number - 1)):
            number = None
        elif run.record.status != "playing" and not any(sent_events(run.id, run.entries, number)):
            raise StreamCompleteError
    opening = [greeting(f"session {session_id}", ENSEMBLE_RETRY_MS)]
    if number is None:
        kiosk = studio.ensemble.manifest(await studio.ensemble.open_run(session_id)).kiosk
        reset = SessionEvent(event=RESET, seq=1, ts=0.0, session_id=session_id, kiosk=kiosk)
        opening.append(ServerSentEvent(event=RESET, raw_data=reset.payload()))
    return event_stream(studio.ensemble.follow(session_id, number or 0), _session_frame, opening)


async def consultation_stream(events: AsyncIterator[ConsultEvent]) -> EventStream:
    """A consultation of the Foreman, once its first event has arrived. Raises what starting it raises."""
    return event_stream(await begun(events), lambda event: data_frame(event.id, event.event, event.payload()))


async def _is_any(events: AsyncIterator[object]) -> bool:
    async for _ in events:
        return True
    return False


def _player_stream(events: AsyncIterator[StreamEvent], session: str) -> EventStream:
    return event_stream(events, _player_frame, [greeting(f"session {session}", EPISODE_RETRY_MS)])


def _entry_frame(entry: Entry[Event]) -> ServerSentEvent:
    return data_frame(str(entry.seq), entry.event.type, entry.model_dump_json(by_alias=True))


def _entry_or_preview(shown: Entry[Event] | WireValue) -> ServerSentEvent:
    if isinstance(shown, Entry):
        return _entry_frame(shown)
    # Without an id, so that a client resumes after the last entry.
    return ServerSentEvent(event=PREVIEW, raw_data=shown.model_dump_json(by_alias=True))


def _seat_frame(shown: NumberedEvent) -> ServerSentEvent:
    return data_frame(str(shown.number), shown.event.type, shown.event.model_dump_json(by_alias=True))


def _player_frame(event: StreamEvent) -> ServerSentEvent:
    return data_frame(event.id, event.type, event.model_dump_json())


def _session_frame(event: SessionEvent) -> ServerSentEvent:
    return data_frame(event.id, event.event, event.payload())
