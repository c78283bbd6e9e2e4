"""Which model plays where nothing else is said: the author chooses it for as long as this server runs."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from dramaturg.kernel.values import Value, WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["models"])


class ModelWish(Value):
    """The model that is to play."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"examples": [{"model": "rehearsal"}]})

    model: str = Field(max_length=200, description="a model of the list, or `rehearsal`; empty to look for one again")


class ChosenModel(WireValue):
    """The model that plays if a scene names none, and why."""

    choice: str = Field(examples=["rehearsal"])
    reason: str


@router.put("/models/choice", summary="Choose the model that plays", responses=declared_errors(413, 422, 502, 503))
async def choose_model(wish: ModelWish, studio: OpenStudio) -> ChosenModel:
    """Let a model play wherever none is named, until the server stops. Nothing is written; runs keep their model."""
    choice = await studio.resources.play_with(wish.model.strip())
    return ChosenModel(choice=choice.name, reason=choice.reason)
