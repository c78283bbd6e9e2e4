"""The adapter for GGUF files, run in this process by llama.cpp (the extra `dramaturg[local]`)."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelRejected, ModelUnavailable
from dramaturg.kernel.models.catalogue import ModelRef
from dramaturg.kernel.models.gguf import LARGEST_WINDOW, Weights
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.providers.faults import Source, fault, words_in
from dramaturg.kernel.models.providers.partial_answer import PartialAnswer

# Five characters and a judge. Each conversation reuses the slot that caches its prefix and computes only the rest.
SLOTS = 6
# A plain completion has no chat template to keep a small model from repeating itself.
REPEAT_PENALTY = 1.1


class LocalWire:
    """One GGUF file. It is loaded by the first request or by `ready`, and kept in memory until `aclose`.

    A request with one assistant message and no system prompt is a text to complete; any other is a chat, formatted
    with the template in the file.
    """

    def __init__(self, ref: ModelRef, weights: Weights, clock: Clock) -> None:
        self._ref = ref
        self._weights = weights
        self._clock = clock
        self._profile = weights.profile(ref.model)
        self._source = Source("local", ref.model, str(weights.path))
        self._threads = ThreadPoolExecutor(SLOTS, thread_name_prefix="local")
        self._loading: asyncio.Future[Any] | None = None

    @property
    def name(self) -> str:
        return self._ref.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def ready(self) -> None:
        """Returns when the weights are in memory. Raises ModelRejected if they cannot be loaded."""
        await self._engine()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        async with aclosing(self._pieces(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelAnswer):
                    return piece
        raise ModelUnavailable(f"{self.name} stopped before its answer was complete.", model=self.name)

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        return self._pieces(request)

    async def aclose(self) -> None:
        """Releases the weights once running requests have noticed the cancellation."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._loading is not None:
            await asyncio.gather(self._loading, return_exceptions=True)
            self._loading = None

    async def _engine(self) -> Any:
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.get_running_loop().run_in_executor(self._threads, _load, self._weights)
        return await asyncio.shield(self._loading)

    async def _pieces(self, request: ModelRequest) -> AsyncGenerator[str | ModelAnswer, None]:
        engine = await self._engine()
        partial = PartialAnswer(request, self.name)
        chunks: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        nobody_listens = threading.Event()
        loop = asyncio.get_running_loop()

        def hear(chunk: dict[str, Any]) -> bool:
            """Called by llama.cpp for each token, on its own thread; returning true stops it."""
            if not nobody_listens.is_set() and not loop.is_closed():
                loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            return nobody_listens.is_set()

        ask = engine.handle_completions if _is_text(request) else engine.handle_chat_completions
        playing = loop.run_in_executor(self._threads, ask, self._body(request), hear)
        playing.add_done_callback(lambda _: chunks.put_nowait(None))
        try:
            while (chunk := await chunks.get()) is not None:
                if piece := partial.add(self._read(chunk, partial)):
                    yield piece
            await playing
        finally:
            nobody_listens.set()
        yield partial.to_answer(self._clock.now())

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "stop": list(request.stop),
            # The same request gets the same answer; a retry under another key gets a different one.
            "seed": zlib.crc32(request.key.encode()),
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if _is_text(request):
            return body | {"prompt": request.messages[0].text, "repeat_penalty": REPEAT_PENALTY}
        system = [{"role": "system", "content": request.system}] if request.system else []
        body["messages"] = system + [{"role": one.role, "content": one.text} for one in request.messages]
        body["chat_template_kwargs"] = {"enable_thinking": False}
        if form := request.output:
            held = {"name": form.name, "schema": form.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": held}
        return body

    def _read(self, chunk: dict[str, Any], partial: PartialAnswer) -> str:
        if error := chunk.get("error"):
            raise fault(self._source, int(error.get("code", 500)), words_in(chunk))
        if used := chunk.get("usage"):
            cached = (used.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
            partial.usage = Usage(
                input_tokens=used["prompt_tokens"],
                output_tokens=used["completion_tokens"],
                cache_read_tokens=cached,
            )
        said = ""
        for choice in chunk.get("choices") or ():
            said += choice.get("text") or (choice.get("delta") or {}).get("content") or ""
            if choice.get("finish_reason") == "length":
                partial.end("length")
        return said


def _is_text(request: ModelRequest) -> bool:
    return not request.system and len(request.messages) == 1 and request.messages[0].role == "assistant"


def _load(weights: Weights) -> Any:
    """llama.cpp with these weights: on all cores but one, without logging, closed to the network."""
    import xllamacpp  # type: ignore[import-not-found, import-untyped, unused-ignore]

    pool = min(SLOTS * weights.window, LARGEST_WINDOW)
    _check_memory(weights, pool)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.path)
    params.n_ctx, params.n_parallel, params.kv_unified, params.cache_ram_mib = pool, SLOTS, True, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, _cores() - 1)
    params.verbosity, params.warmup, params.fit_params = -1, False, False
    # It always opens a server on a local port; nothing here uses it, so a random key locks it.
    params.api_keys, params.cors_origins = [secrets.token_hex(32)], ""
    params.ui = params.endpoint_slots = params.endpoint_props = False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, MemoryError) as error:
        raise ModelRejected(
            f"llama.cpp cannot load {weights.path}: the file is damaged, this version does not support its format, "
            f"or it does not fit into the free memory (it needs about {_gigabytes(weights.memory(pool))}).",
            model=str(weights.path),
        ) from error


def _cores() -> int:
    """The cores available to this process, where the system reports them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 2


def _check_memory(weights: Weights, pool: int) -> None:
    """Rejects a file whose size would get this process killed."""
    needed, there = weights.memory(pool), _memory()
    if there and needed > there:
        raise ModelRejected(
            f"{weights.path} needs about {_gigabytes(needed)} of memory and this machine has {_gigabytes(there)}. "
            "Use a smaller model, or one with fewer bits per weight (Q4 instead of F16).",
            model=str(weights.path),
        )


def _memory() -> int:
    """The total memory in bytes; 0 if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _gigabytes(number: int) -> str:
    return f"{number / 1e9:.1f} GB"
