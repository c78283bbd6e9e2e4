"""The models that can play here."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from dramaturg.kernel.models.gateway import ModelChoice, ModelState, ProviderState
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors

router = APIRouter(prefix="/v1", tags=["models"])


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

    @classmethod
    def of(cls, state: ProviderState) -> ProviderInfo:
        models = tuple(ModelInfo.of(model) for model in state.models)
        return cls(provider=state.name, usable=state.usable, reason=state.reason, models=models)


class ModelList(WireValue):
    """The default model, and every provider with its models."""

    choice: str = Field(description="the model that plays if a scene names none", examples=["rehearsal"])
    reason: str
    providers: tuple[ProviderInfo, ...]

    @classmethod
    def of(cls, choice: ModelChoice, states: list[ProviderState]) -> ModelList:
        providers = tuple(ProviderInfo.of(state) for state in states)
        return cls(choice=choice.name, reason=choice.reason, providers=providers)


@router.get("/models", summary="List the models", responses=declared_errors(422))
async def list_models(studio: OpenStudio) -> ModelList:
    """Every provider with its models, context windows and prices, and the model that plays if none is named."""
    return ModelList.of(await studio.choose(), await studio.gateway.survey())
