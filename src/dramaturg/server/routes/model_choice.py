"""Which model plays where nothing else is said: the author chooses it for as long as this server runs."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, SecretStr

from dramaturg.kernel.redaction import SHORTEST_SECRET
from dramaturg.kernel.values import Value, WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["models"])


LONGEST_KEY = 500
_KEY = rf"^[\x21-\x7e]{{{SHORTEST_SECRET},{LONGEST_KEY}}}$"


def _key_alone(key: SecretStr) -> SecretStr:
    if not re.fullmatch(_KEY, key.get_secret_value()):
        size = f"{SHORTEST_SECRET} to {LONGEST_KEY} characters of an English keyboard"
        raise ValueError(f"a key has {size} and no spaces")
    return key


ProviderKey = Annotated[
    SecretStr,
    Field(json_schema_extra={"pattern": _KEY}),
    BeforeValidator(lambda pasted: pasted.strip() if isinstance(pasted, str) else pasted),
    AfterValidator(_key_alone),
]


class ModelWish(Value):
    """The model that is to play."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"examples": [{"model": "rehearsal"}]})

    model: str = Field(max_length=200, description="a model of the list, or `rehearsal`; empty to look for one again")
    key: ProviderKey | None = Field(
        None,
        description="a key for the model's provider; kept in the server's memory until it stops, and never sent back",
    )


class ChosenModel(WireValue):
    """The model that plays if a scene names none, and why."""

    choice: str = Field(examples=["rehearsal"])
    reason: str


@router.put("/models/choice", summary="Choose the model that plays", responses=declared_errors(413, 422, 502, 503))
async def choose_model(wish: ModelWish, studio: OpenStudio) -> ChosenModel:
    """Let a model play wherever none is named, until the server stops. Nothing is written; runs keep their model."""
    key = wish.key.get_secret_value() if wish.key else ""
    choice = await studio.resources.play_with(wish.model.strip(), key)
    return ChosenModel(choice=choice.name, reason=choice.reason)
