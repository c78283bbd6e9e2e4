"""Every check, in the order of a report. A new one is a module with a `CHECK`, and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.health import (
    beat_progress,
    cast_function,
    contradictions,
    flaw_challenge,
    name_drift,
    pacing,
    props,
    symbols,
    theme,
    timeline,
)
from dramaturg.workshop.health.book import HealthCheck

CHECKS: tuple[HealthCheck, ...] = (
    pacing.CHECK,
    beat_progress.CHECK,
    timeline.CHECK,
    flaw_challenge.CHECK,
    cast_function.CHECK,
    symbols.CHECK,
    theme.CHECK,
    name_drift.CHECK,
    props.CHECK,
    contradictions.CHECK,
)
BY_NAME: Mapping[str, HealthCheck] = {
    key: one for one in CHECKS for key in (key_name(one.name), key_name(one.code), key_name(one.title))
}


def check_named(name: str) -> HealthCheck:
    """A check by its name, code or title. Raises InvalidConfig."""
    found = BY_NAME.get(key_name(name))
    if found is None:
        known = ", ".join(one.code for one in CHECKS)
        raise InvalidConfig(f"There is no check '{name}' (there are: {known}).", check=name)
    return found
