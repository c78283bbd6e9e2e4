"""The house: who can play here, and whether all is well."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from dramaturg import __version__
from dramaturg.kernel.models.gateway import ModelChoice, ModelState, ProviderState
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.values import WireValue
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.server.wire import Health

router = APIRouter(tags=["house"])
guarded = APIRouter(prefix="/v1", tags=["house"])


class ModelPrice(WireValue):
    """US dollars for a million tokens."""

    input: float
    output: float


class ModelOffer(WireValue):
    """A model that a provider serves."""

    name: str = Field(description="what to ask for: provider/model")
    profile: ModelProfile
    price: ModelPrice | None = Field(description="null where it is not known")

    @classmethod
    def of(cls, state: ModelState) -> ModelOffer:
        price = ModelPrice(input=state.price.input_usd, output=state.price.output_usd) if state.price else None
        return cls(name=state.name, profile=state.profile, price=price)


class ProviderOffer(WireValue):
    """A provider, whether it can be used now, and why (not)."""

    provider: str
    usable: bool
    reason: str
    models: tuple[ModelOffer, ...]

    @classmethod
    def of(cls, state: ProviderState) -> ProviderOffer:
        models = tuple(ModelOffer.of(model) for model in state.models)
        return cls(provider=state.name, usable=state.usable, reason=state.reason, models=models)


class ModelList(WireValue):
    """Who plays when nobody is named, and everybody who could."""

    choice: str = Field(description="plays where a scene names no model", examples=["rehearsal"])
    reason: str
    providers: tuple[ProviderOffer, ...]

    @classmethod
    def of(cls, choice: ModelChoice, states: list[ProviderState]) -> ModelList:
        offers = tuple(ProviderOffer.of(state) for state in states)
        return cls(choice=choice.name, reason=choice.reason, providers=offers)


@guarded.get("/models", summary="Who can play here", responses=refusals(422))
async def list_models(studio: OpenStudio) -> ModelList:
    """Every provider with its models, windows and prices; and which model plays when none is named."""
    return ModelList.of(await studio.choose(), await studio.gateway.survey())


@router.get("/healthz", summary="Whether all is well", responses=refusals(503))
async def get_health(studio: OpenStudio) -> Health:
    """200 when the server is up and its store can be read."""
    await studio.runs.find(limit=1)
    return Health(version=__version__)
