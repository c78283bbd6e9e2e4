"""dramaturg: one studio for stories that language models perform.

The names below are the public surface; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dramaturg.characters import Card, load_card
    from dramaturg.ensemble.manifest import SessionManifest
    from dramaturg.ensemble.request import ChatRequest
    from dramaturg.ensemble.wire import SessionEvent
    from dramaturg.episodes.events import Persona
    from dramaturg.episodes.template import EpisodeTemplate
    from dramaturg.episodes.views import SessionView
    from dramaturg.episodes.wire import StreamEvent
    from dramaturg.kernel.errors import AuthorError, BudgetExceeded, DramaturgError, ModelError, StoreError, VoiceError
    from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest, Usage
    from dramaturg.kernel.models.profiles import ModelProfile
    from dramaturg.kernel.models.scripted import ScriptedModel
    from dramaturg.kernel.runs import Mark, Performance, Run
    from dramaturg.kernel.settings import Settings, read_settings
    from dramaturg.scenes.scene import SceneConfig, find_scene, read_scene
    from dramaturg.scenes.wire import SceneResult
    from dramaturg.studio import Studio
    from dramaturg.workshop.book.decisions import NewDecision
    from dramaturg.workshop.wire import BookView, ConsultEvent

__version__ = "0.1.0"
__all__ = [
    "AuthorError",
    "BookView",
    "BudgetExceeded",
    "Card",
    "ChatRequest",
    "ConsultEvent",
    "DramaturgError",
    "EpisodeTemplate",
    "Mark",
    "Model",
    "ModelAnswer",
    "ModelError",
    "ModelProfile",
    "ModelRequest",
    "NewDecision",
    "Performance",
    "Persona",
    "Run",
    "SceneConfig",
    "SceneResult",
    "ScriptedModel",
    "SessionEvent",
    "SessionManifest",
    "SessionView",
    "Settings",
    "StoreError",
    "StreamEvent",
    "Studio",
    "Usage",
    "VoiceError",
    "__version__",
    "find_scene",
    "load_card",
    "read_scene",
    "read_settings",
]

_HOMES = {
    "AuthorError": "dramaturg.kernel.errors",
    "BookView": "dramaturg.workshop.wire",
    "BudgetExceeded": "dramaturg.kernel.errors",
    "Card": "dramaturg.characters",
    "ChatRequest": "dramaturg.ensemble.request",
    "ConsultEvent": "dramaturg.workshop.wire",
    "DramaturgError": "dramaturg.kernel.errors",
    "EpisodeTemplate": "dramaturg.episodes.template",
    "Mark": "dramaturg.kernel.runs",
    "Model": "dramaturg.kernel.models.port",
    "ModelAnswer": "dramaturg.kernel.models.port",
    "ModelError": "dramaturg.kernel.errors",
    "ModelProfile": "dramaturg.kernel.models.profiles",
    "ModelRequest": "dramaturg.kernel.models.port",
    "NewDecision": "dramaturg.workshop.book.decisions",
    "Performance": "dramaturg.kernel.runs",
    "Persona": "dramaturg.episodes.events",
    "Run": "dramaturg.kernel.runs",
    "SceneConfig": "dramaturg.scenes.scene",
    "SceneResult": "dramaturg.scenes.wire",
    "ScriptedModel": "dramaturg.kernel.models.scripted",
    "SessionEvent": "dramaturg.ensemble.wire",
    "SessionManifest": "dramaturg.ensemble.manifest",
    "SessionView": "dramaturg.episodes.views",
    "Settings": "dramaturg.kernel.settings",
    "StoreError": "dramaturg.kernel.errors",
    "StreamEvent": "dramaturg.episodes.wire",
    "Studio": "dramaturg.studio",
    "Usage": "dramaturg.kernel.models.port",
    "VoiceError": "dramaturg.kernel.errors",
    "find_scene": "dramaturg.scenes.scene",
    "load_card": "dramaturg.characters",
    "read_scene": "dramaturg.scenes.scene",
    "read_settings": "dramaturg.kernel.settings",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'dramaturg' has no attribute '{name}'")
    value: object = getattr(import_module(_HOMES[name]), name)
    return value
