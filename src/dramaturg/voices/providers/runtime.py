"""ONNX Runtime, loaded with its telemetry switched off."""

from __future__ import annotations

import os
from types import ModuleType


def onnx_runtime() -> ModuleType:
    """The runtime of both offline engines. All code that uses it must import it through this function.

    Its official builds send telemetry unless this variable is set before they are loaded, and leave an identifier in
    the user's home. Set it to 0 to allow that.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    module: ModuleType = onnxruntime
    return module
