"""The packages of the extra `dramaturg[voices]`, and the error if they are missing."""

from __future__ import annotations

from importlib.util import find_spec

from dramaturg.kernel.errors import VoiceError, install_extra

INSTALL = install_extra("voices")
SOUND = ("numpy", "soxr")


def lacking(*modules: str) -> tuple[str, ...]:
    """Those that are not installed. Nothing is imported."""
    return tuple(module for module in modules if not _is_here(module))


def not_installed(modules: tuple[str, ...]) -> VoiceError:
    return VoiceError(
        f"Speech needs {', '.join(modules)}, which {'is' if len(modules) == 1 else 'are'} not installed. "
        f"Run: {INSTALL}. Everything else works without sound.",
        missing=modules,
    )


def _is_here(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
