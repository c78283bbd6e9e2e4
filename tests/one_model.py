"""A gateway with one model behind every name, for tests that say what the model answers."""

from __future__ import annotations

from dramaturg.kernel.models.gateway import ModelChoice
from dramaturg.kernel.models.port import Model


class OneModel:
    """Opens the same model whatever it is called."""

    given_keys = ()

    def __init__(self, model: Model, name: str = "scripted") -> None:
        self.model = model
        self._name = name

    def open(self, name: str) -> Model:
        return self.model

    async def choose(self) -> ModelChoice:
        return ModelChoice(self._name, "There is no other.")

    def price(self, name: str) -> None:
        """Nobody charges anything that is known."""

    async def ready(self) -> None:
        """Nothing to wait for."""

    async def aclose(self) -> None:
        """Nothing to let go of."""
