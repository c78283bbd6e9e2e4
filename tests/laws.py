"""How many examples a law is tried on."""

from __future__ import annotations

from hypothesis import settings


def examples(number: int, **more: object) -> settings:
    """Settings for a law that wants its own number of examples: all of them in `make test-long`, else a sample.

    The sample is the same share of `number` as the profile's own number is of a hundred.
    """
    return settings(max_examples=max(5, number * settings.default.max_examples // 100), **more)
