"""The adapter for every provider without one of our own, through `pydantic_ai.direct`: Google, Bedrock and others.

Its `Agent` is not used. The SDKs' retries are disabled, since `Retrying` is the only retry layer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from httpx2 import AsyncClient
from pydantic_ai import direct
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.messages import ModelRequest as Turn
from pydantic_ai.models import Model as PydanticModel
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidSettings, ModelError, ModelRejected, ModelTimeout, install_extra
from dramaturg.kernel.models.catalogue import ModelRef
from dramaturg.kernel.models.forms import instruction
from dramaturg.kernel.models.port import Finish, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.providers.faults import Source, fault, garbled, unreached, unusable, words_in
from dramaturg.kernel.models.providers.http_body import UnusableResponse
from dramaturg.kernel.models.providers.partial_answer import PartialAnswer, room_for
from dramaturg.kernel.models.providers.sdk_client import sdk_client

_FAULTS = (ModelAPIError, UnexpectedModelBehavior, UserError, UnusableResponse, RecursionError)
"""What a request raises; the last because errors of pydantic-ai quote a whole body, however deep it is."""
_FINISH: dict[str | None, Finish] = {"length": "length", "content_filter": "refusal"}


def open_pydantic_ai(ref: ModelRef, profile: ModelProfile, key: str | None, clock: Clock) -> PydanticAIWire:
    """The adapter for `ref`. Raises InvalidSettings if pydantic-ai does not know it or lacks its extra."""
    client = sdk_client() if ref.provider.name == "google" else None
    try:
        model = _google(ref, key, client) if client else infer_model(f"{ref.provider.name}:{ref.model}")
    except ImportError as error:
        raise InvalidSettings(f"{ref.name} needs {install_extra('providers')} ({error}).", model=ref.name) from error
    except UserError as error:
        raise InvalidSettings(f"{ref.name} cannot be opened: {error}", model=ref.name) from error
    return PydanticAIWire(ref, profile, model, clock, key, client)


def _google(ref: ModelRef, key: str | None, client: AsyncClient) -> PydanticModel:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=key, base_url=ref.provider.base_url, http_client=client)
    return GoogleModel(ref.model, provider=provider)


class PydanticAIWire:
    """One pydantic-ai model behind our `Model` protocol."""

    def __init__(
        self,
        ref: ModelRef,
        profile: ModelProfile,
        model: PydanticModel,
        clock: Clock,
        key: str | None = None,
        client: AsyncClient | None = None,
    ) -> None:
        provider = ref.provider
        self._ref = ref
        self._profile = profile
        self._model = model
        self._clock = clock
        self._client = client
        where = provider.base_url or provider.name
        self._source = Source(provider.name, ref.model, where, provider.key_env, key)

    @property
    def name(self) -> str:
        return self._ref.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def aclose(self) -> None:
        """Closes the connections of this model; entering and leaving its context is how pydantic-ai does it."""
        async with self._model:
            pass
        if self._client is not None:
            await self._client.aclose()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        partial = PartialAnswer(request, self.name, request.stop)
        try:
            response = await direct.model_request(
                self._model,
                self._turns(request),
                model_settings=self._settings(request),
                model_request_parameters=self._parameters(request),
                instrument=False,
            )
        except _FAULTS as error:
            raise self._fault(error) from error
        partial.add(_text(response))
        return self._whole(response, partial)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        partial = PartialAnswer(request, self.name, request.stop)
        try:
            async with direct.model_request_stream(
                self._model,
                self._turns(request),
                model_settings=self._settings(request),
                model_request_parameters=self._parameters(request),
                instrument=False,
            ) as stream:
                async for event in stream:
                    if piece := partial.add(_piece(event)):
                        yield piece
                response = stream.get()
        except _FAULTS as error:
            raise self._fault(error) from error
        if rest := partial.flush():
            yield rest
        yield self._whole(response, partial)

    def _turns(self, request: ModelRequest) -> list[ModelMessage]:
        turns: list[ModelMessage] = [
            Turn.user_text_prompt(message.text)
            if message.role == "user"
            else ModelResponse(parts=[TextPart(content=message.text)])
            for message in request.messages
        ]
        last = turns[-1]
        if isinstance(last, Turn):
            last.instructions = self._system(request) or None
        return turns

    def _system(self, request: ModelRequest) -> str:
        if request.output and not self._native(request):
            return f"{request.system}\n\n{instruction(request.output)}".lstrip()
        return request.system

    def _native(self, request: ModelRequest) -> bool:
        return bool(request.output and self._model.profile.get("supports_json_schema_output"))

    def _parameters(self, request: ModelRequest) -> ModelRequestParameters:
        if not request.output or not self._native(request):
            return ModelRequestParameters()
        form = OutputObjectDefinition(json_schema=dict(request.output.schema), name=request.output.name, strict=True)
        return ModelRequestParameters(output_mode="native", output_object=form, allow_text_output=True)

    def _settings(self, request: ModelRequest) -> ModelSettings:
        settings = ModelSettings(max_tokens=room_for(request, self._profile), max_retries=0)
        if self._profile.thinking != "none":
            settings["thinking"] = False
        if request.temperature is not None and self._profile.sampling:
            settings["temperature"] = request.temperature
        if request.stop:
            settings["stop_sequences"] = list(request.stop)
        return settings

    def _whole(self, response: ModelResponse, partial: PartialAnswer) -> ModelAnswer:
        partial.flush()
        partial.end(_FINISH.get(response.finish_reason, "stop"))
        used = response.usage
        if used.input_tokens or used.output_tokens:
            partial.usage = Usage(
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cache_read_tokens=used.cache_read_tokens,
                cache_write_tokens=used.cache_write_tokens,
            )
        return partial.to_answer(self._clock.now())

    def _fault(self, error: Exception) -> ModelError:
        source = self._source
        if isinstance(error, UnusableResponse | RecursionError):
            return unusable(source, error)
        if isinstance(error, ModelHTTPError):
            return fault(source, error.status_code, words_in(error.body) or error.message, error.retry_after)
        if isinstance(error, ModelTimeoutError | ModelRequestTimeout):
            return ModelTimeout(f"{source.name}: timed out ({source.quote(error.message)}).", model=source.model)
        if isinstance(error, ModelConnectionError):
            return unreached(source, error)
        if isinstance(error, ModelAPIError):
            return fault(source, 500, error.message, error.retry_after)
        if isinstance(error, ContentFilterError):
            return ModelRejected(
                f"{source.name} declined to answer ({source.quote(error.message)}).", model=source.model
            )
        if isinstance(error, UnexpectedModelBehavior):
            return garbled(source, error.message.encode())
        return ModelRejected(f"{source.name}: {source.quote(str(error))}", model=source.model)


def _text(response: ModelResponse) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _piece(event: object) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
