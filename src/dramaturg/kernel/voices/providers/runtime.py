"""ONNX Runtime, loaded so that it keeps to itself."""

from __future__ import annotations

import os
from types import ModuleType


def onnx_runtime() -> ModuleType:
    """The runtime of both offline engines. Everything that uses it asks for it here first.

    Its official builds report to their maker unless this variable is set before they are loaded, and leave an
    identifier in the user's home. Who wants that can set it to 0.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    module: ModuleType = onnxruntime
    return module
