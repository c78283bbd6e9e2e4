"""Checks of addresses in the settings, for models and voices alike."""

from __future__ import annotations

import re

_AUTHORITY = re.compile(r"\s*(?:[A-Za-z][\w+.-]*:)?[/\\]*([^/?#]*)")


def has_credentials(url: str) -> bool:
    """Whether a URL has a user name or a password before its host. Such a URL must never be quoted."""
    authority = _AUTHORITY.match(url)
    return authority is not None and "@" in authority[1]
