"""dramaturg: one studio for stories that language models perform.

The names below are the public surface; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dramaturg.kernel.settings import Settings, read_settings
    from dramaturg.scenes.scene import SceneConfig, find_scene, read_scene
    from dramaturg.scenes.wire import SceneResult
    from dramaturg.studio import Studio

__version__ = "0.1.0"
__all__ = [
    "SceneConfig",
    "SceneResult",
    "Settings",
    "Studio",
    "__version__",
    "find_scene",
    "read_scene",
    "read_settings",
]

_HOMES = {
    "SceneConfig": "dramaturg.scenes.scene",
    "SceneResult": "dramaturg.scenes.wire",
    "Settings": "dramaturg.kernel.settings",
    "Studio": "dramaturg.studio",
    "find_scene": "dramaturg.scenes.scene",
    "read_scene": "dramaturg.scenes.scene",
    "read_settings": "dramaturg.kernel.settings",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'dramaturg' has no attribute '{name}'")
    value: object = getattr(import_module(_HOMES[name]), name)
    return value
