"""Builds the studio into the wheel. An editable installation is built without it; `make web` adds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "web"))
import toolchain


class StudioBuild(BuildHookInterface[Any]):
    """Adds the built studio to a wheel; a wheel that is built without Node has none, and says so when it is served."""

    def dependencies(self) -> list[str]:
        return [] if toolchain.system_node() else [toolchain.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self.target_name != "wheel":
            return
        try:
            toolchain.build()
        except (toolchain.Missing, subprocess.CalledProcessError) as reason:
            self.app.display_warning(f"The wheel has no studio for the browser: {reason}")
            return
        build_data["force_include"][str(toolchain.BUILT)] = "dramaturg/server/pages/studio"
