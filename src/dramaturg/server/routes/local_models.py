"""The models of the Ollama on this machine: what it has, and having it get one because the author asks for it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Path, Request
from pydantic import ConfigDict, Field

from dramaturg.kernel.values import Value, WireValue
from dramaturg.local_models.ollama import LONGEST_NAME, LocalModel, OfferedModel, PullStep, offered_models
from dramaturg.local_models.pulls import Pull, Pulls, PullStatus
from dramaturg.server.http.bodies import ErrorDetail
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.redaction import error_detail
from dramaturg.server.http.router import api_router
from dramaturg.studio import Studio

router = api_router(prefix="/v1/local-models", tags=["models"])
EXAMPLE = "qwen3:4b"


def pulls_of(request: Request) -> Pulls:
    pulls = request.app.state.model_pulls
    assert isinstance(pulls, Pulls)
    return pulls


OpenPulls = Annotated[Pulls, Depends(pulls_of)]


class PullWish(Value):
    """The model to get."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"examples": [{"model": EXAMPLE}]})

    model: str = Field(min_length=1, max_length=LONGEST_NAME, description="its name as Ollama has it, with its tag")


class LocalModelInfo(WireValue):
    """A model that the server on this machine has."""

    name: str = Field(description="the name to request it by", examples=[f"ollama/{EXAMPLE}"])
    size: int = Field(description="in bytes; 0 if the server does not say")
    parameters: str = Field(description="how many, in the server's words", examples=["4.0B"])
    quantization: str = Field(examples=["Q4_K_M"])

    @classmethod
    def of(cls, model: LocalModel) -> LocalModelInfo:
        return cls(name=model.name, size=model.size, parameters=model.parameters, quantization=model.quantization)


class ModelOffer(WireValue):
    """A model worth getting."""

    model: str = Field(examples=[EXAMPLE])
    gigabytes: float = Field(description="what is downloaded, rounded")
    licence: str
    about: str

    @classmethod
    def of(cls, offer: OfferedModel) -> ModelOffer:
        return cls(model=offer.name, gigabytes=offer.gigabytes, licence=offer.licence, about=offer.about)


class PullInfo(WireValue):
    """A download: how far it is, or how it ended."""

    model: str = Field(description="with its tag", examples=[EXAMPLE])
    name: str = Field(description="the name to request it by, once it is there", examples=[f"ollama/{EXAMPLE}"])
    status: PullStatus
    step: PullStep | Literal["waiting"] = Field(description="of a download that works")
    completed: int = Field(description="bytes that have arrived")
    total: int = Field(description="bytes of all files known by now; 0 before the first")
    error: ErrorDetail | None = Field(None, description="why it failed")

    @classmethod
    def of(cls, pull: Pull, studio: Studio) -> PullInfo:
        return cls(
            model=pull.model,
            name=pull.name,
            status=pull.status,
            step=pull.step,
            completed=pull.completed,
            total=pull.total,
            error=error_detail(studio, pull.error),
        )


class LocalModels(WireValue):
    """The server on this machine, what it has, what it gets, and what is worth getting."""

    address: str = Field(examples=["http://127.0.0.1:11434"])
    answers: bool = Field(description="whether it is there and gets models; if not, nothing can be got")
    models: tuple[LocalModelInfo, ...]
    pulls: tuple[PullInfo, ...] = Field(description="the downloads of this process, the oldest first")
    offers: tuple[ModelOffer, ...] = Field(description="models worth getting that are not there, smallest first")


@router.get("", summary="List the models of this machine")
async def list_local_models(studio: OpenStudio, pulls: OpenPulls) -> LocalModels:
    """What the Ollama that the settings name has, the downloads that were begun here, and models worth getting.

    Ask again for the progress of a download.
    """
    found = await pulls.server.models()
    here = {model.name for model in found or ()}
    return LocalModels(
        address=pulls.server.address,
        answers=found is not None,
        models=tuple(LocalModelInfo.of(model) for model in found or ()),
        pulls=tuple(PullInfo.of(pull, studio) for pull in pulls.listed()),
        offers=tuple(ModelOffer.of(offer) for offer in offered_models() if f"ollama/{offer.name}" not in here),
    )


@router.post("/pulls", status_code=202, summary="Get a model", responses=declared_errors(413, 422))
async def pull_model(wish: PullWish, studio: OpenStudio, pulls: OpenPulls) -> PullInfo:
    """Have the Ollama on this machine get a model. It goes on when the page is left.

    Asked for again while it works, nothing new is begun. A download that was stopped or failed goes on where it was.
    """
    return PullInfo.of(pulls.start(wish.model), studio)


@router.delete("/pulls/{model:path}", status_code=204, summary="Stop a download", responses=declared_errors(404, 422))
async def stop_pull(
    model: Annotated[str, Path(max_length=LONGEST_NAME, description="the model that is being got", examples=[EXAMPLE])],
    pulls: OpenPulls,
) -> None:
    """Stop a download; what has arrived is kept by Ollama. One that is over is taken off the list."""
    await pulls.remove(model)
