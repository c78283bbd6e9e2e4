"""Packaged TOML tables."""

from __future__ import annotations

import pytest

from dramaturg.kernel.text.tables import table


def test_a_table_of_a_package_is_read_once() -> None:
    found = table("dramaturg.kernel.text", "lexicon/tension.toml")
    assert {"tones", "words"} <= set(found)
    assert table("dramaturg.kernel.text", "lexicon/tension.toml") is found


def test_a_table_that_is_missing_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        table("dramaturg.kernel.text", "lexicon/nothing.toml")
