"""A model of the program that uses dramaturg: what it raises and returns is checked where it enters."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager

from dramaturg.kernel.errors import DramaturgError, InvalidSettings, ModelError, ModelUnavailable, ModelUnreadable
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.prices import Priced
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.models.wrappers import open_stream

_LOG = logging.getLogger(__name__)


class OwnModel(Priced):
    """A program's model under the name it was given. It prices its answers itself, or nobody does."""

    def __init__(self, name: str, inner: Model) -> None:
        super().__init__(inner, None)
        self.name = name
        self._known = True

    @property
    def known(self) -> bool:
        """Whether all its answers so far had a price."""
        return self._known

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        with self._failing():
            return self._checked(await self.inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        piece: object = None
        with self._failing():
            async with open_stream(self.inner, request) as pieces:
                async for piece in pieces:
                    yield piece if isinstance(piece, str) else self._checked(piece)
        if not isinstance(piece, ModelAnswer):
            raise ModelUnreadable(f"The stream of {self.name} ended without a ModelAnswer as its last item.")

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except DramaturgError:
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ModelUnavailable(f"{self.name} cancelled its own answer.", model=self.name) from None
        except OSError as error:
            raise ModelUnavailable(f"{self.name} cannot be reached ({_said(error)}).", model=self.name) from error
        except Exception as error:  # reason: it is the program's code, and must cost no more than its answer
            _LOG.warning("The model %s failed.", self.name, exc_info=error)
            what = f"{self.name} failed ({_said(error)}). It is a model of this program; the log has the traceback."
            raise ModelError(what, model=self.name) from error

    def _checked(self, answer: object) -> ModelAnswer:
        if not isinstance(answer, ModelAnswer):
            raise ModelUnreadable(f"{self.name} gave {type(answer).__name__} and not a ModelAnswer.", model=self.name)
        usage, cost = answer.usage, answer.cost_usd
        fewest = min(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        if fewest < 0:
            raise ModelUnreadable(f"{self.name} counts {fewest} tokens.", model=self.name)
        if cost is not None and cost < 0:
            raise ModelUnreadable(f"{self.name} charges {cost} dollars.", model=self.name)
        self._known = self._known and cost is not None
        return answer


def own_models(given: Mapping[str, Model]) -> Mapping[str, Model]:
    """The models of a program by their names. Raises InvalidSettings for the name of the rehearsal company."""
    if taken := next(filter(is_stand_in, given), None):
        raise InvalidSettings(f"'{taken}' is the rehearsal company. Give your model another name.", model=taken)
    return {name: OwnModel(name, model) for name, model in given.items()}


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
