"""Packaged TOML tables: one way to read them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(package: str, name: str) -> Mapping[str, Any]:
    """A TOML file of a package, by its path below it. It is read once and shared, so do not change it."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
