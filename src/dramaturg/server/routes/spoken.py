"""Questions to the ensemble that are spoken: the sound is stored, heard, and answered like any question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response
from pydantic import Field

from dramaturg.ensemble.request import DEFAULT_KIOSK, request_from
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_json
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.multipart import form_fields
from dramaturg.server.http.router import api_router
from dramaturg.server.push.websocket import relay_of
from dramaturg.voices.ears import LARGEST

router = api_router(prefix="/v1", tags=["ensemble"])
PATH = "/v1/sessions/spoken"
UPLOADS = {PATH: LARGEST + 100_000}
_SOUND = {"type": "string", "format": "binary", "description": "WAV, FLAC, MP3, Ogg, WebM or M4A, up to 25 MB"}
_TEXT = {"type": "string"}
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "audio": _SOUND,
                        "recording": {**_TEXT, "description": "instead of `audio`: the recording of an earlier error"},
                        "kiosk": {**_TEXT, "description": "whose conversation this goes on with"},
                        "speak": {"type": "string", "enum": ["true", "false"], "description": "speak every line"},
                        "slots": {**_TEXT, "description": "as in `POST /v1/chat`, in JSON: who answers, and how"},
                    },
                }
            },
            "audio/*": {"schema": _SOUND},
        },
    }
}


class SpokenSession(WireValue):
    """A session that answers a spoken question."""

    session_id: str
    text: str = Field(description="what was heard")
    language: str = ""
    recording: str = Field(description="the id under which the sound is kept")
    events: str = Field(description="follow the answers here")


@router.post(
    "/sessions/spoken",
    status_code=202,
    summary="Ask the ensemble aloud",
    openapi_extra=_FORM,
    responses={
        202: {"description": "The question was heard and is being answered; `Location` is the session."},
        **declared_errors(404, 409, 413, 422, 502, 503),
    },
)
async def ask_aloud(request: Request, response: Response, studio: OpenStudio) -> SpokenSession:
    """Ask the ensemble with a recording: a form with `audio`, or the sound itself as the body.

    The sound is stored first. If it cannot be heard, the error's `context.recording` names it, and a form with that
    `recording` tries again without sending it anew.
    """
    form = _read_form(request.headers.get("content-type", ""), await request.body())
    questions = studio.ensemble.questions
    named = form.get("recording", b"").decode("utf-8", "replace")
    recorded = await questions.kept(named) if named else await questions.keep(form.get("audio", b""))
    wishes = _wishes(form)
    request_from({"message": "…", **wishes})  # before anybody is paid to hear it
    heard = await questions.hear(recorded)
    run = await studio.ensemble.open(request_from({"message": heard.text, **wishes}), heard=heard)
    studio.ensemble.start(run)
    relay_of(request).follow(run.id)
    response.headers["Location"] = f"/v1/sessions/{run.id}"
    return SpokenSession(
        session_id=run.id,
        text=heard.text,
        language=heard.language,
        recording=recorded.id,
        events=f"/v1/sessions/{run.id}/events",
    )


def _wishes(form: Mapping[str, bytes]) -> dict[str, object]:
    """What a form says besides the question, as in a question that is typed. Raises InvalidConfig."""
    said = {key: form.get(key, b"").decode("utf-8", "replace") for key in ("kiosk", "speak", "slots")}
    wishes: dict[str, object] = {"kiosk": said["kiosk"] or DEFAULT_KIOSK}
    if said["speak"]:
        wishes["audio"] = said["speak"]
    if said["slots"]:
        try:
            wishes["slots"] = parse_json(said["slots"])
        except MalformedTextError as error:
            raise InvalidConfig(f"'slots' is not valid JSON ({error}). Send it as in POST /v1/chat.") from error
    return wishes


def _read_form(content_type: str, body: bytes) -> dict[str, bytes]:
    """The fields of a form; the whole body as `audio` if it is none. Raises InvalidConfig if it cannot be read."""
    if not content_type.casefold().startswith("multipart/form-data"):
        return {"audio": body}
    fields = form_fields(content_type, body)
    if fields is None:
        raise InvalidConfig("The form cannot be read. Send it as multipart/form-data with a field 'audio'.")
    return fields
