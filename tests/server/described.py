"""What the server says of itself, worked out once for all tests of a process."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import Settings
from dramaturg.server.app import create_app

SCHEMA = create_app(Settings(project=Path("story"))).openapi()
