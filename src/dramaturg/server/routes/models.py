"""The models that can play here, and in OpenAI's form whom a chat program can talk to."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.gateway import ModelChoice, ModelState, ProviderState
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.values import WireValue
from dramaturg.server.completions.callers import CompatibleCaller
from dramaturg.server.completions.targets import CompatibleModel, models_for
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["models"])


class ModelPrice(WireValue):
    """US dollars per million tokens."""

    input: float
    output: float


class ModelInfo(WireValue):
    """A model that a provider serves."""

    name: str = Field(description="the name to request it by: provider/model")
    profile: ModelProfile
    price: ModelPrice | None = Field(description="null if unknown")

    @classmethod
    def of(cls, state: ModelState) -> ModelInfo:
        price = ModelPrice(input=state.price.input_usd, output=state.price.output_usd) if state.price else None
        return cls(name=state.name, profile=state.profile, price=price)


class ProviderInfo(WireValue):
    """A provider, whether it can be used now, and why or why not."""

    provider: str
    usable: bool
    reason: str
    models: tuple[ModelInfo, ...]
    needs_key: bool = Field(False, description="whether a key is all that is missing")

    @classmethod
    def of(cls, state: ProviderState) -> ProviderInfo:
        models = tuple(ModelInfo.of(model) for model in state.models)
        return cls(
            provider=state.name, usable=state.usable, reason=state.reason, models=models, needs_key=state.needs_key
        )


class ModelList(WireValue):
    """The default model and every provider with its models, for the author; and whom the caller may talk to."""

    object: Literal["list"] = "list"
    data: tuple[CompatibleModel, ...] = Field((), description="whom `POST /v1/chat/completions` can be asked for")
    choice: str = Field(description="the model that plays if a scene names none", examples=["rehearsal"])
    reason: str
    providers: tuple[ProviderInfo, ...]

    @classmethod
    def of(cls, choice: ModelChoice, states: list[ProviderState], data: tuple[CompatibleModel, ...] = ()) -> ModelList:
        providers = tuple(ProviderInfo.of(state) for state in states)
        return cls(data=data, choice=choice.name, reason=choice.reason, providers=providers)


@router.get("/models", summary="List the models", responses=declared_errors(422, 429))
async def list_models(caller: CompatibleCaller, studio: OpenStudio) -> ModelList:
    """Every provider with its models, context windows and prices, and the model that plays if none is named.

    `data` is for chat programs: the characters, episodes and ensembles to talk to. A player sees only the episodes that
    are open to players, and nothing of the rest.
    """
    data = await models_for(caller, studio)
    if not caller.is_author:
        return ModelList(data=data, choice="", reason="", providers=())
    return ModelList.of(await studio.choose(), await studio.gateway.survey(), data)


@router.get("/models/{model:path}", summary="Get somebody to talk to", responses=declared_errors(404, 422, 429))
async def get_model(
    model: Annotated[str, Path(max_length=300, description="an id of the list", examples=["character/alice"])],
    caller: CompatibleCaller,
    studio: OpenStudio,
) -> CompatibleModel:
    """One entry of `data`, as OpenAI's clients ask for it."""
    found = next((one for one in await models_for(caller, studio) if one.id == model), None)
    if found is None:
        name = model[:100]
        raise NotFound(f"There is no '{name}' to talk to. The list of models says who is here.", model=name)
    return found
