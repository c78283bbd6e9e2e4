"""A provider, a gateway to it and a still clock, for every test of the models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.settings import Settings
from tests.model_server import ModelServer

KEYS = {"ANTHROPIC_API_KEY": "sk-ant-secret-123456", "OPENAI_API_KEY": "sk-secret-abcdef123456"}
